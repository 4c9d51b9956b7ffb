//! `nuthatch sessions list`: what lies on this machine, and how far the store has it.
//!
//! Sessions that were never taken in are read to count their turns.

use std::ops::ControlFlow;

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::session::Session;
use nuthatch::transcript::{SessionHead, Skipped};
use nuthatch_sources::transcripts::Watermark;
use serde::Serialize;

use super::Which;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::shelf::{PATH, Shelf, Shelved, State, TURNS, WATERMARK};
use crate::wiring::{Desk, Site};

#[derive(Serialize)]
struct Listed {
    sessions: Vec<Row>,
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

#[derive(Serialize)]
struct Row {
    id: String,
    agent: String,
    project: Option<ProjectId>,
    path: Option<String>,
    title: Option<String>,
    started_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    turns: u64,
    size: u64,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Lists.
pub(super) async fn run(args: &Which, site: &Site, desk: &Desk, out: &mut Output) -> Result<()> {
    let shelf = Shelf::look(site, desk, &args.wanted()).await?;
    let (progress, total) = (Progress::new("reading", out), shelf.sessions.len() as u64);
    let mut sessions = Vec::new();
    for (done, one) in shelf.sessions.iter().enumerate() {
        progress.show(done as u64, total);
        sessions.push(row(one));
    }
    progress.finish();
    if args.paths.is_empty() && args.agents.is_empty() {
        let here = |session: &&Session| args.all || session.project == site.project_id().ok();
        let is_gone = |session: &&Session| {
            let is_taken_in = session.metadata.contains_key(WATERMARK);
            is_taken_in
                && !shelf.sessions.iter().any(|one| one.located.head.id == session.id.as_str())
        };
        sessions.extend(shelf.stored.values().filter(here).filter(is_gone).map(gone));
    }
    let (elsewhere, now) = (shelf.elsewhere, desk.now().timestamp());
    out.answer(&Listed { sessions, skipped: shelf.skipped }, |out, listed| {
        for row in &listed.sessions {
            out.line(line(row, now))?;
        }
        for (kind, count) in &listed.skipped {
            out.note(format_args!("passed over {count}: {kind}"))?;
        }
        match (listed.sessions.is_empty(), elsewhere) {
            (_, 1..) => {
                out.note(format_args!("{elsewhere} more of other projects: --all shows them"))
            }
            (true, 0) => out.note("no agent has left a session here"),
            _ => Ok(()),
        }
    })
}

fn row(one: &Shelved) -> Row {
    let mut head = one.located.head.clone();
    let mut reason = None;
    let known = one.known.as_ref().and_then(|known| known.metadata.get(TURNS)?.parse().ok());
    let turns = match (one.state, known) {
        (State::Imported, Some(turns)) => turns,
        _ => match count(one) {
            Ok((turns, read)) => {
                head = read;
                turns
            }
            Err(error) => {
                reason = Some(error.to_string());
                0
            }
        },
    };
    let known = one.known.as_ref();
    let title = known.and_then(|known| known.title.clone()).or(head.title);
    Row {
        id: head.id,
        agent: head.agent,
        project: one.project.clone(),
        path: Some(one.located.path.display().to_string()),
        title,
        started_at: head.started_at.or(known.map(|known| known.started_at)),
        updated_at: head.updated_at,
        turns,
        size: one.located.stamp.size,
        state: one.state,
        reason,
    }
}

/// How many turns a session has, and what it says of itself.
fn count(one: &Shelved) -> Result<(u64, SessionHead)> {
    let (id, mut turns) = (SessionId::new(one.located.head.id.clone())?, 0);
    let read = one.reader.read(&one.located, &Watermark::default(), &mut |event| {
        turns += u64::from(event.turn(&id, Timestamp::UNIX_EPOCH).is_some());
        ControlFlow::Continue(())
    })?;
    Ok((turns, read.head))
}

/// A session whose file is nowhere.
fn gone(session: &Session) -> Row {
    let said = |name: &str| session.metadata.get(name).cloned();
    Row {
        id: session.id.to_string(),
        agent: session.agent.clone().unwrap_or_default(),
        project: session.project.clone(),
        path: said(PATH),
        title: session.title.clone(),
        started_at: Some(session.started_at),
        updated_at: Some(session.last_active_at),
        turns: said(TURNS).and_then(|turns| turns.parse().ok()).unwrap_or_default(),
        size: 0,
        state: State::Gone,
        reason: None,
    }
}

fn line(row: &Row, now: Timestamp) -> String {
    let state = format!("{:?}", row.state).to_lowercase();
    let age = row.updated_at.map(|at| render::age(now, at)).unwrap_or_default();
    let title = row.reason.as_ref().or(row.title.as_ref()).map(|text| render::visible(text));
    let (id, title) = (render::visible(&row.id), title.unwrap_or_default());
    format!("{id}  {}  {state}  {} turns  {age}  {title}", row.agent, row.turns)
}
