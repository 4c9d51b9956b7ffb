//! What `nuthatch edit` can change besides the text.
//!
//! One group of options, so that taking a change back can exclude them all at once.

use clap::Args;
use clap::builder::PossibleValuesParser;
use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::error::Result;
use nuthatch::guard::Form;
use nuthatch::memory::Importance;
use nuthatch::trust::{Origin, Trust};

use crate::commands::remember::metadata;

/// The fields of a memory, as options.
#[derive(Debug, Args)]
pub struct Fields {
    /// A new key
    #[arg(long)]
    key: Option<String>,
    /// No key any more
    #[arg(long, conflicts_with = "key")]
    no_key: bool,
    /// Another category
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Another level of trust
    #[arg(long, value_parser = PossibleValuesParser::new(Trust::ALL.map(Trust::name)))]
    trust: Option<String>,
    /// Who changes it [default: user]
    #[arg(long, value_parser = PossibleValuesParser::new(Origin::ALL.map(Origin::name)))]
    origin: Option<String>,
    /// Never let a limit push it out
    #[arg(long)]
    pin: bool,
    /// Let limits push it out again
    #[arg(long, conflicts_with = "pin")]
    unpin: bool,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    importance: Option<f64>,
    /// Metadata to set; an empty value removes the name (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    meta: Vec<String>,
    /// Keep the lines of the new text
    #[arg(long)]
    note: bool,
}

impl Fields {
    /// Whether none of them changes anything by itself.
    pub fn change_nothing(&self) -> bool {
        let named = [&self.key, &self.category, &self.trust].iter().any(|field| field.is_some());
        let switched = self.no_key || self.pin || self.unpin;
        !named && !switched && self.importance.is_none() && self.meta.is_empty()
    }

    /// Puts them into a request.
    pub fn fill(self, request: &mut EditRequest) -> Result<()> {
        request.key = match (self.key, self.no_key) {
            (Some(key), _) => Some(Some(key)),
            (None, true) => Some(None),
            (None, false) => None,
        };
        request.pinned = match (self.pin, self.unpin) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        request.category = self.category.map(Category::new).transpose()?;
        request.trust = self.trust.map(|trust| trust.parse()).transpose()?;
        request.origin = self.origin.map_or(Ok(Origin::User), |origin| origin.parse())?;
        request.importance = self.importance.map(Importance::new).transpose()?;
        request.metadata = metadata(&self.meta)?;
        request.form = self.note.then_some(Form::Note);
        Ok(())
    }
}
