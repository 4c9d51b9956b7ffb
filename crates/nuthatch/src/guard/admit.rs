//! Which texts a memory, a conversation and a turn have, and that each of them passes.
//!
//! Every value is taken apart field by field, without a rest pattern: whoever gives one of
//! them another field has to say here what the gate makes of it, or nothing compiles.

use super::passing::{Gate, Passed};
use super::{Form, Verdict};
use crate::error::Result;
use crate::id::SessionId;
use crate::memory::{Memory, Version};
use crate::scope::Scope;
use crate::session::{Session, Turn};
use crate::trust::{Source, Trust};

/// A memory as it may be stored: clean, and quarantined if anything in it is suspicious.
///
/// # Errors
/// Of kind `denied` when one of its texts holds a secret, `invalid` for what cannot be kept.
pub fn admit_memory(memory: Memory, form: Form) -> Result<(Memory, Passed)> {
    let Memory {
        id,
        key,
        content,
        category,
        scope,
        session_id,
        created_at,
        updated_at,
        origin,
        source,
        trust,
        pinned,
        importance,
        metadata,
        superseded_by,
        used,
        last_used_at,
    } = memory;
    let mut gate = Gate::default();
    if let Some(key) = &key {
        gate.named(key, &content)?;
    }
    let content = gate.content("text", &content, form)?;
    let key = key.map(|key| gate.label("key", &key)).transpose()?;
    gate.name("category", category.as_str())?;
    pass_scope(&mut gate, &scope)?;
    if let Some(session) = &session_id {
        gate.name("session id", session.as_str())?;
    }
    let source = source.map(|source| pass_source(&mut gate, source)).transpose()?;
    let metadata = gate.metadata(&metadata)?;
    let passed = gate.passed();
    let trust = if passed.verdict == Verdict::Accept { trust } else { Trust::Quarantined };
    let memory = Memory {
        id,
        key,
        content,
        category,
        scope,
        session_id,
        created_at,
        updated_at,
        origin,
        source,
        trust,
        pinned,
        importance,
        metadata,
        superseded_by,
        used,
        last_used_at,
    };
    Ok((memory, passed))
}

/// What a memory said before, as it may be stored.
///
/// # Errors
/// As [`admit_memory`].
pub fn admit_version(version: Version) -> Result<(Version, Passed)> {
    let Version { memory_id, number, key, content, category, written_at, replaced_at } = version;
    let mut gate = Gate::default();
    let content = gate.content("old text", &content, Form::Note)?;
    let key = key.map(|key| gate.label("old key", &key)).transpose()?;
    gate.name("category", category.as_str())?;
    let version = Version { memory_id, number, key, content, category, written_at, replaced_at };
    Ok((version, gate.passed()))
}

/// A conversation as it may be stored: its title and metadata lose their secrets.
///
/// # Errors
/// Of kind `denied` when a name it goes by holds a secret: those cannot lose a part.
pub fn admit_session(session: Session) -> Result<(Session, Passed)> {
    let Session { id, channel, user, agent, project, title, started_at, last_active_at, metadata } =
        session;
    let mut gate = Gate::default();
    gate.name("session id", id.as_str())?;
    let channel = channel.map(|channel| gate.label("channel", &channel)).transpose()?;
    let user = user.map(|user| gate.label("user", &user)).transpose()?;
    let agent = agent.map(|agent| gate.label("agent", &agent)).transpose()?;
    if let Some(project) = &project {
        gate.name("project id", project.as_str())?;
    }
    let title = title.map(|title| gate.transcript_label(&title)).transpose()?;
    let mut clean = std::collections::BTreeMap::new();
    for (name, value) in &metadata {
        let name = gate.label("metadata name", name)?;
        clean.insert(name, gate.transcript_label(value)?);
    }
    let metadata = clean;
    let session =
        Session { id, channel, user, agent, project, title, started_at, last_active_at, metadata };
    Ok((session, gate.passed()))
}

/// A turn as it may be stored: secrets are struck out, the rest is kept with its lines. The
/// verdict is `redact` when something was, and `quarantine` when it gives orders.
///
/// # Errors
/// Of kind `denied` when the id of its conversation holds a secret, `invalid` when it is far
/// too large.
pub fn admit_turn(turn: Turn) -> Result<(Turn, Passed)> {
    let mut gate = Gate::default();
    gate.name("session id", turn.session.as_str())?;
    admit_said(gate, turn)
}

/// A turn whose conversation has passed.
fn admit_said(mut gate: Gate, turn: Turn) -> Result<(Turn, Passed)> {
    let Turn { session, seq, at, role, text, asked } = turn;
    let text = gate.transcript(&text)?;
    let asked = asked.map(|asked| gate.transcript(&asked)).transpose()?;
    Ok((Turn { session, seq, at, role, text, asked }, gate.passed()))
}

/// Turns as they may be stored, each with what was made of it.
///
/// # Errors
/// As [`admit_turn`].
pub fn admit_turns(turns: Vec<Turn>) -> Result<Vec<(Turn, Passed)>> {
    // Those of one conversation come one after the other: its id is looked at once.
    let mut last: Option<(SessionId, Passed)> = None;
    let mut admitted = Vec::with_capacity(turns.len());
    for turn in turns {
        let named = match last.take().filter(|(session, _)| *session == turn.session) {
            Some(known) => known,
            None => {
                let mut gate = Gate::default();
                gate.name("session id", turn.session.as_str())?;
                (turn.session.clone(), gate.passed())
            }
        };
        let (turn, mut passed) = admit_said(Gate::default(), turn)?;
        passed.absorb(named.1.clone());
        last = Some(named);
        admitted.push((turn, passed));
    }
    Ok(admitted)
}

fn pass_scope(gate: &mut Gate, scope: &Scope) -> Result<()> {
    match scope {
        Scope::Global | Scope::User => Ok(()),
        Scope::Project(project) => gate.name("project id", project.as_str()),
        Scope::Session(session) => gate.name("session id", session.as_str()),
        Scope::Plan { project, requirement } => {
            gate.name("project id", project.as_str())?;
            gate.name("requirement id", requirement.as_str())
        }
    }
}

fn pass_source(gate: &mut Gate, source: Source) -> Result<Source> {
    let Source { session, turns, place } = source;
    if let Some(session) = &session {
        gate.name("session id", session.as_str())?;
    }
    let place = place.map(|place| gate.label("source", &place)).transpose()?;
    Ok(Source { session, turns, place })
}

#[cfg(test)]
mod tests;
