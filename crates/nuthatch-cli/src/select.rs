//! Which memories a command means: the options of recall and list as one filter.
//!
//! Scopes that nobody names are the visible ones: global, user and the current project.
//! Another project is looked into only by name or with `--all-projects`.

use clap::Args;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Scopes, Superseded};
use nuthatch::id::SessionId;
use nuthatch::place::Wanted;

use crate::wiring::Desk;

/// Where to look.
#[derive(Clone, Debug, Default, Args)]
pub struct ScopeArgs {
    /// Only this scope: global, user, project, or one such as session:ID (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    pub scopes: Vec<String>,
    /// Every scope of every project
    #[arg(long, conflicts_with = "scopes")]
    pub all_projects: bool,
}

impl ScopeArgs {
    fn wanted(&self) -> Wanted {
        let ScopeArgs { scopes, all_projects } = self.clone();
        Wanted { scopes, all_projects, ..Wanted::default() }
    }

    /// The scopes meant, as seen from `session` where one is named.
    pub fn scopes(&self, desk: &Desk, session: Option<&SessionId>) -> Result<Scopes> {
        desk.scopes(&self.wanted(), session)
    }
}

/// What to look for, besides words.
#[derive(Clone, Debug, Default, Args)]
pub struct SelectArgs {
    #[command(flatten)]
    pub scopes: ScopeArgs,
    /// Only this category (repeatable)
    #[arg(long = "category", value_name = "NAME")]
    pub categories: Vec<String>,
    /// Stored at or after this time: 7d, yesterday, 2026-03-01 …
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Stored at or before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Also memories that were replaced by others
    #[arg(long)]
    pub superseded: bool,
}

impl SelectArgs {
    /// The filter of these options, as seen from `session` where one is named.
    pub fn filter(&self, desk: &Desk, session: Option<&SessionId>) -> Result<Filter> {
        let wanted = Wanted {
            categories: self.categories.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            superseded: if self.superseded { Superseded::Shown } else { Superseded::Hidden },
            ..self.scopes.wanted()
        };
        desk.filter(&wanted, session)
    }
}

/// Names of categories, checked.
pub fn categories(names: &[String]) -> Result<Vec<Category>> {
    names.iter().map(|name| Category::new(name.as_str())).collect()
}

/// The id of a session, where one is named.
pub fn session(name: Option<&str>) -> Result<Option<SessionId>> {
    name.map(SessionId::new).transpose()
}
