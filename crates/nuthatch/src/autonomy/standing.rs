//! What there is to see: how it stands, what would be put in, what was published, what it cost.
//!
//! Only `undo` writes; learning and publishing happen in `run`.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::pick::Reach;
use super::report::{DaySpent, Means, SessionLine, Spent, Status, Viewed};
use super::{Autonomy, artifacts};
use crate::consolidate;
use crate::error::{Error, Result};
use crate::extract::{Command, Synopsis};
use crate::filter::Page;
use crate::guard::delimit;
use crate::id::ProjectId;
use crate::model::ChatModel;
use crate::shelf::{Edition, Generation, SUMMARY};
use crate::text::estimate_tokens;

/// Receipts that are shown one by one.
const LAST_RECEIPTS: usize = 20;
/// Names in a session's metadata under which it says what it was about.
const SYNOPSIS: &str = "synopsis";
const COMMAND: &str = "command ";
/// Commands that are kept of a session.
const MOST_COMMANDS: usize = 20;

impl Autonomy {
    /// How autonomous memory stands here.
    ///
    /// # Errors
    /// When sessions cannot be looked for or the store fails.
    pub async fn status(&self, reach: &Reach) -> Result<Status> {
        let (picked, unreadable) = self.picked(reach).await?;
        let due = picked.due.iter().map(|one| SessionLine::of(one, None, &self.settings));
        let mut sessions: Vec<SessionLine> = due.collect();
        sessions.extend(self.lines(&picked.skipped));
        sessions.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then(a.id.cmp(&b.id)));
        let project = self.project.clone();
        Ok(Status {
            enabled: self.settings.enabled,
            documents: self.outside.shelf.place(&project),
            generation: self.present(&project)?.generation,
            means: self.means()?,
            jobs: self.engine.store().jobs().await?,
            sessions,
            unreadable,
            project,
        })
    }

    fn means(&self) -> Result<Means> {
        let minds = &self.outside.minds;
        let name = |model: Result<Option<Arc<dyn ChatModel>>>| match model {
            Ok(Some(model)) => format!("{} {}", model.info().provider, model.info().name),
            Ok(None) => "rules".to_owned(),
            Err(error) => format!("none: {error}"),
        };
        Ok(Means {
            extraction: name(minds.extraction()),
            consolidation: name(minds.consolidation()),
            tokens_per_run: minds.ceiling().per_run,
            tokens_per_day: minds.ceiling().per_day,
            spent_today: minds.ledger().spent_today()?,
        })
    }

    /// Exactly what is put in at the start of a session.
    ///
    /// # Errors
    /// When the documents cannot be read.
    pub fn view(&self) -> Result<Viewed> {
        let text = self.guide(usize::MAX)?;
        let project = self.project.clone();
        let generation = self.present(&project)?.generation;
        Ok(Viewed { project, generation, tokens: estimate_tokens(&text), text })
    }

    /// What is put in at the start of a session, with a summary of at most so many tokens; empty
    /// where there is nothing.
    ///
    /// # Errors
    /// When the documents or the user's own prompts cannot be read.
    pub fn guide(&self, tokens: usize) -> Result<String> {
        let Some(summary) = self.summary()? else { return Ok(String::new()) };
        let summary = capped(&summary, tokens);
        Ok(self.outside.minds.prompts()?.guide(&summary, &delimit::marker(&summary)))
    }

    /// The summary of this project, as much of it as may be put in; none where there is none.
    ///
    /// # Errors
    /// When the documents cannot be read.
    pub fn summary(&self) -> Result<Option<String>> {
        let present = self.present(&self.project)?;
        let summary = present.documents.get(SUMMARY).filter(|text| !text.trim().is_empty());
        Ok(summary.map(|text| capped(text, self.settings.summary_tokens)))
    }

    /// The sets that are kept, newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn log(&self) -> Result<Vec<Generation>> {
        self.outside.shelf.log(&self.project)
    }

    /// What is different between two sets: the published one and the one before it, unless
    /// others are named.
    ///
    /// # Errors
    /// `not_found` for a set that is not kept.
    pub fn diff(&self, from: Option<u64>, to: Option<u64>) -> Result<String> {
        let log = self.log()?;
        let to = to.or_else(|| log.first().map(|newest| newest.number)).ok_or_else(nothing_yet)?;
        let before = log.iter().find(|one| one.number < to).map(|one| one.number);
        let read = |number| self.outside.shelf.generation(&self.project, number);
        let old = from.or(before).map(read).transpose()?.unwrap_or_default();
        Ok(consolidate::diff(&artifacts(&old), &artifacts(&read(to)?)))
    }

    /// Publishes what an earlier set said, as a set of its own: the one before, unless another
    /// is named. Gives its number.
    ///
    /// # Errors
    /// `not_found`, when there is none.
    pub fn undo(&self, to: Option<u64>) -> Result<u64> {
        let log = self.log()?;
        let newest = log.first().ok_or_else(nothing_yet)?.number;
        let before = log.iter().map(|one| one.number).find(|number| *number < newest);
        let number = to.or(before).ok_or_else(|| {
            Error::not_found("there is no set of documents before this one")
                .with_hint("`nuthatch memory clear` removes what was generated")
        })?;
        let documents = self.outside.shelf.generation(&self.project, number)?;
        let why = format!("undo, as {number} was");
        let seen = self.present(&self.project)?.generation;
        let at = self.engine.now();
        let edition = Edition { seen, documents: &documents, at, why: &why };
        self.outside.shelf.stage(&self.project, &edition)?.publish()
    }

    /// What models cost, by day, and the last receipts.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn spend(&self) -> Result<Spent> {
        let mut receipts = self.outside.receipts.all()?;
        let mut days: BTreeMap<(String, String, bool), (u64, u64)> = BTreeMap::new();
        for receipt in &receipts {
            let day = receipt.at.to_zoned(TimeZone::UTC).date().to_string();
            let model = format!("{} {}", receipt.provider, receipt.model);
            let (calls, tokens) = days.entry((day, model, receipt.paid)).or_default();
            *calls += 1;
            *tokens += receipt.total();
        }
        let days = days.into_iter().rev().map(|((day, model, paid), (calls, tokens))| DaySpent {
            day,
            model,
            paid,
            calls,
            tokens,
        });
        let days = days.collect();
        receipts.reverse();
        receipts.truncate(LAST_RECEIPTS);
        Ok(Spent { means: self.means()?, days, receipts })
    }

    /// What the sessions of a project were about, as their metadata say.
    pub(super) async fn synopses(&self, project: &ProjectId) -> Result<Vec<Synopsis>> {
        let sessions = self.engine.sessions(Page::first(u64::MAX)).await?;
        let ours = sessions.into_iter().filter(|one| one.project.as_ref() == Some(project));
        Ok(ours.filter_map(|session| synopsis_of(&session)).collect())
    }
}

fn nothing_yet() -> Error {
    Error::not_found("this project has no documents yet")
        .with_hint("`nuthatch memory run` makes them")
}

/// As many whole lines as have room.
fn capped(text: &str, tokens: usize) -> String {
    let mut kept = String::new();
    let mut spent = 0;
    for line in text.lines() {
        spent += estimate_tokens(line) + 1;
        if spent > tokens {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// A synopsis as a session's metadata.
pub(super) fn synopsis_metadata(synopsis: &Synopsis) -> BTreeMap<String, String> {
    let mut metadata = BTreeMap::new();
    if !synopsis.text.trim().is_empty() {
        metadata.insert(SYNOPSIS.to_owned(), synopsis.text.clone());
    }
    for (place, command) in synopsis.commands.iter().take(MOST_COMMANDS).enumerate() {
        let asked = if command.asked { "asked" } else { "ran" };
        let value = format!("{} {asked} {}", command.worked, command.line);
        metadata.insert(format!("{COMMAND}{place:02}"), value);
    }
    metadata
}

/// Whether a name in a session's metadata is one of a synopsis.
pub(super) fn is_telling(name: &str) -> bool {
    name == SYNOPSIS || name.starts_with(COMMAND)
}

/// A session's metadata as a synopsis; none where nothing is known.
pub(super) fn synopsis_of(session: &crate::session::Session) -> Option<Synopsis> {
    let text = session.metadata.get(SYNOPSIS).cloned().unwrap_or_default();
    let commands = session.metadata.iter().filter(|(name, _)| name.starts_with(COMMAND));
    let commands: Vec<Command> = commands.filter_map(|(_, value)| command(value)).collect();
    if text.is_empty() && commands.is_empty() {
        return None;
    }
    Some(Synopsis {
        session: session.id.as_str().to_owned(),
        agent: session.agent.clone().unwrap_or_default(),
        at: Some(session.last_active_at),
        text,
        commands,
    })
}

fn command(value: &str) -> Option<Command> {
    let (worked, rest) = value.split_once(' ')?;
    let (asked, line) = rest.split_once(' ')?;
    Some(Command { line: line.to_owned(), worked: worked.parse().ok()?, asked: asked == "asked" })
}
