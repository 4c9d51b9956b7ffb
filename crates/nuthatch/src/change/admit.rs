//! The only ways to a [`ChangeSet`]: through the gate, or, for what one of our own stores
//! holds already, past its eyes.
//!
//! Every kind of change is listed, without a rest pattern: a new kind does not compile until
//! somebody says here which texts it brings.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Adopt, Change, ChangeSet, Edit, Patch, Remember};
use crate::error::Result;
use crate::guard::{
    Form, Gate, Part, Passed, Verdict, admit_memory, admit_session, admit_turns, admit_version,
    examine, memory_texts, session_texts, turn_texts, version_texts,
};
use crate::id::{ChangeSetId, MemoryId, SessionId};
use crate::memory::{Record, Tombstone};
use crate::session::{Session, Turn};
use crate::trust::Trust;

/// A change as somebody wants it: what it says has not passed the gate.
#[derive(Debug)]
pub(crate) struct Wish {
    change: Change,
    form: Form,
}

impl Wish {
    /// A change whose text is to be kept in this form.
    pub(crate) fn new(change: Change, form: Form) -> Self {
        Wish { change, form }
    }

    /// What is wanted; not to be stored like that.
    pub(crate) fn change(&self) -> &Change {
        &self.change
    }
}

/// Texts keep their lines unless somebody says that they are facts.
impl From<Change> for Wish {
    fn from(change: Change) -> Self {
        Wish::new(change, Form::Note)
    }
}

impl ChangeSet {
    /// Takes wishes through the gate. What comes out is clean, says what was made of each,
    /// and can be applied.
    ///
    /// # Errors
    /// Of kind `denied` when a text holds a secret, `invalid` for what cannot be kept.
    pub(crate) fn admit(
        id: ChangeSetId,
        at: Timestamp,
        wishes: Vec<Wish>,
    ) -> Result<(ChangeSet, Vec<Passed>)> {
        let mut changes = Vec::with_capacity(wishes.len());
        let mut passed = Vec::with_capacity(wishes.len());
        for wish in wishes {
            let (change, made) = pass(wish)?;
            changes.push(change);
            passed.push(made);
        }
        Ok((ChangeSet { id, at, changes }, passed))
    }

    /// Takes wishes through the gate, each by itself: those that do not pass are left out, and
    /// the reason stands in their place.
    pub(crate) fn admit_each(
        id: ChangeSetId,
        at: Timestamp,
        wishes: Vec<Wish>,
    ) -> (ChangeSet, Vec<Result<Passed>>) {
        let mut changes = Vec::with_capacity(wishes.len());
        let mut answers = Vec::with_capacity(wishes.len());
        for wish in wishes {
            answers.push(pass(wish).map(|(change, made)| {
                changes.push(change);
                made
            }));
        }
        (ChangeSet { id, at, changes }, answers)
    }

    /// What two stores agreed on, each with what is there now. What brings a text that is not
    /// there passes the gate like everything that comes in; what only arranges anew what is there
    /// stays as a person may have approved it.
    pub(crate) fn agreed(
        id: ChangeSetId,
        at: Timestamp,
        adopts: Vec<(Adopt, Option<Record>)>,
    ) -> (ChangeSet, Vec<Result<Passed>>) {
        let mut changes = Vec::with_capacity(adopts.len());
        let mut answers = Vec::with_capacity(adopts.len());
        for (adopt, now) in adopts {
            let is_there = now.is_some_and(|now| brings_nothing(&adopt.record, &now));
            let change = Change::Adopt(Box::new(adopt));
            let passed = match is_there {
                true => Ok((change, Passed::default())),
                false => pass(change.into()),
            };
            answers.push(passed.map(|(change, made)| {
                changes.push(change);
                made
            }));
        }
        (ChangeSet { id, at, changes }, answers)
    }

    /// What moves from one of our stores to another. It arrives as it is: a memory must not
    /// be lost, nor a person's approval undone, because the rules have improved since. What
    /// the gate would not have taken is named.
    pub(crate) fn moved(
        id: ChangeSetId,
        at: Timestamp,
        things: Vec<Moving>,
    ) -> (ChangeSet, Vec<Flagged>) {
        let flagged = things.iter().filter_map(flag).collect();
        let change = |thing| match thing {
            Moving::Memory(record) => Change::Restore(record),
            Moving::Session(session) => Change::PutSession(session),
            Moving::Turns(_, turns) => Change::PutTurns { turns },
            Moving::Tombstones(tombstones) => Change::Bury { tombstones },
        };
        (ChangeSet { id, at, changes: things.into_iter().map(change).collect() }, flagged)
    }
}

/// What moves.
#[derive(Debug)]
pub(crate) enum Moving {
    /// A memory and everything it said.
    Memory(Box<Record>),
    /// A conversation.
    Session(Box<Session>),
    /// What was said in one.
    Turns(SessionId, Vec<Turn>),
    /// What was forgotten.
    Tombstones(Vec<Tombstone>),
}

/// Something that is stored, though the gate would not take it today.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flagged {
    /// The memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What would become of it.
    pub verdict: Verdict,
}

fn pass(wish: Wish) -> Result<(Change, Passed)> {
    let Wish { change, form } = wish;
    Ok(match change {
        Change::Remember(remember) => {
            let Remember { memory, limits, supersedes, said } = *remember;
            let (memory, passed) = admit_memory(memory, form)?;
            let remember = Remember { memory, limits, supersedes, said };
            (Change::Remember(Box::new(remember)), passed)
        }
        Change::Edit(edit) => {
            let Edit { id, expected, limits, patch } = *edit;
            let (patch, passed) = pass_patch(patch, form)?;
            (Change::Edit(Box::new(Edit { id, expected, limits, patch })), passed)
        }
        Change::Restore(record) => {
            let (record, passed) = pass_record(*record, form)?;
            (Change::Restore(Box::new(record)), passed)
        }
        Change::Adopt(adopt) => {
            let Adopt { record, seen } = *adopt;
            let (record, passed) = pass_record(record, form)?;
            (Change::Adopt(Box::new(Adopt { record, seen })), passed)
        }
        Change::OpenSession { channel, user, fresh } => {
            let mut gate = Gate::default();
            let channel = gate.label("channel", &channel)?;
            let user = gate.label("user", &user)?;
            gate.name("session id", fresh.as_str())?;
            (Change::OpenSession { channel, user, fresh }, gate.passed())
        }
        Change::PutSession(session) => {
            let (session, passed) = admit_session(*session)?;
            (Change::PutSession(Box::new(session)), passed)
        }
        Change::RenewSession(session) => {
            let (session, passed) = admit_session(*session)?;
            (Change::RenewSession(Box::new(session)), passed)
        }
        Change::PutTurns { turns } => {
            let mut clean = Vec::with_capacity(turns.len());
            let mut passed = Passed::default();
            for (turn, made) in admit_turns(turns)? {
                clean.push(turn);
                passed.absorb(made);
            }
            (Change::PutTurns { turns: clean }, passed)
        }
        // These bring no text: they name what is there already.
        change @ (Change::Supersede { .. }
        | Change::Use { .. }
        | Change::Forget { .. }
        | Change::Release { .. }
        | Change::Bury { .. }
        | Change::Expire { .. }
        | Change::ForgetSession { .. }
        | Change::ExpireSessions { .. }) => (change, Passed::default()),
    })
}

fn pass_record(record: Record, form: Form) -> Result<(Record, Passed)> {
    let Record { memory, versions } = record;
    let (memory, mut passed) = admit_memory(memory, form)?;
    let mut clean = Vec::with_capacity(versions.len());
    for version in versions {
        let (version, made) = admit_version(version)?;
        clean.push(version);
        passed.absorb(made);
    }
    Ok((Record { memory, versions: clean }, passed))
}

/// Both halves of an edit: what is new in it, and what it leaves is what was stored before.
fn pass_patch(patch: Patch, form: Form) -> Result<(Patch, Passed)> {
    let Patch { content, key, category, trust, origin, pinned, importance, metadata } = patch;
    let mut gate = Gate::default();
    if let (Some(content), Some(Some(key))) = (&content, &key) {
        gate.named(key, content)?;
    }
    let content = content.map(|content| gate.content("text", &content, form)).transpose()?;
    let key = match key {
        Some(Some(key)) => Some(Some(gate.label("key", &key)?)),
        other => other,
    };
    if let Some(category) = &category {
        gate.name("category", category.as_str())?;
    }
    let metadata = gate.metadata(&metadata)?;
    let passed = gate.passed();
    let trust = if passed.verdict == Verdict::Accept { trust } else { Some(Trust::Quarantined) };
    let patch = Patch { content, key, category, trust, origin, pinned, importance, metadata };
    Ok((patch, passed))
}

/// Whether every text of a record stands in another one, at a place like its own.
fn brings_nothing(new: &Record, now: &Record) -> bool {
    let texts = |record: &Record| -> BTreeSet<(&'static str, String)> {
        let Record { memory, versions } = record;
        let old = versions.iter().flat_map(version_texts);
        memory_texts(memory).into_iter().chain(old).map(|(what, t)| (what, t.into())).collect()
    };
    texts(new).is_subset(&texts(now))
}

/// What speaks against something that moves, if anything does.
fn flag(thing: &Moving) -> Option<Flagged> {
    let worst = |texts: Vec<Part<'_>>| texts.iter().map(|(_, text)| examine(text).verdict).max();
    let (memory, session, verdict) = match thing {
        Moving::Memory(record) => {
            let Record { memory, versions } = &**record;
            let old = versions.iter().map(|version| worst(version_texts(version))).max();
            (Some(memory.id), None, worst(memory_texts(memory)).max(old.flatten()))
        }
        Moving::Session(session) => (None, Some(session.id.clone()), worst(session_texts(session))),
        Moving::Turns(session, turns) => {
            let texts = turns.iter().flat_map(turn_texts).collect();
            (None, Some(session.clone()), worst(texts))
        }
        // They say nothing.
        Moving::Tombstones(_) => (None, None, None),
    };
    let verdict = verdict.filter(|verdict| *verdict != Verdict::Accept)?;
    Some(Flagged { memory, session, verdict })
}

#[cfg(test)]
mod tests;
