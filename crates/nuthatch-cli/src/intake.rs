//! Takes the sessions of other agents into the store, turn by turn.
//!
//! One thread reads and makes turns while the store writes those before; memory holds a few
//! parts at most. The watermark is written last: whoever is stopped in between reads the
//! same turns again, and they take the places they have.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::Timestamp;
use nuthatch::Engine;
use nuthatch::error::{Error, Result};
use nuthatch::id::SessionId;
use nuthatch::record::RecordRequest;
use nuthatch::session::{Session, Turn};
use nuthatch::text::questions;
use nuthatch::transcript::{Event, SessionHead, Skipped};
use nuthatch_sources::transcripts::Read;
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::shelf::{PATH, Shelved, TURNS, WATERMARK};
use crate::wiring;

/// Turns stored at a time.
const PART: usize = 2000;
/// Parts that wait for the store.
const WAITING: usize = 2;

/// A session that was taken in.
#[derive(Debug, Serialize)]
pub struct Taken {
    /// Its id.
    pub id: SessionId,
    /// The product it is from.
    pub agent: String,
    /// Turns that were added.
    pub turns: u64,
    /// Lines that were passed over, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: Skipped,
}

/// Takes a session in, from where it was left.
pub async fn take(engine: &Engine, one: &Shelved) -> Result<Taken> {
    let id = SessionId::new(one.located.head.id.clone())?;
    let (parts, mut told) = channel(WAITING);
    let reading = begin(one, id.clone(), parts);
    let mut added = 0;
    let stored = store(engine, one, &id, &mut told, &mut added).await;
    drop(told);
    let read = reading.await.map_err(|error| {
        Error::internal("a reader of sessions has broken off").with_source(error)
    })?;
    stored?;
    let Read { head, watermark, skipped, restarted } = read?;
    let before = one.known.as_ref().and_then(|known| known.metadata.get(TURNS)?.parse().ok());
    let turns = if restarted { added } else { added + before.unwrap_or(0_u64) };
    let mut session = session(one, &id, &head);
    session.metadata.insert(WATERMARK.to_owned(), watermark.to_string());
    session.metadata.insert(TURNS.to_owned(), turns.to_string());
    engine.record(RecordRequest::new(session, Vec::new()), &|_, _| ()).await?;
    Ok(Taken { id, agent: one.located.head.agent.clone(), turns: added, skipped })
}

async fn store(
    engine: &Engine,
    one: &Shelved,
    id: &SessionId,
    parts: &mut Receiver<Vec<Turn>>,
    added: &mut u64,
) -> Result<()> {
    while let Some(turns) = parts.recv().await {
        *added += turns.len() as u64;
        let session = session(one, id, &one.located.head);
        engine.record(RecordRequest::new(session, turns), &|_, _| ()).await?;
    }
    Ok(())
}

/// The session as the store is to know it.
fn session(one: &Shelved, id: &SessionId, head: &SessionHead) -> Session {
    let last = head.updated_at.or(head.started_at).unwrap_or_else(|| wiring::now().timestamp());
    let mut session = Session::new(id.clone(), head.started_at.unwrap_or(last));
    session.last_active_at = last;
    session.agent = Some(head.agent.clone());
    session.project = one.project.clone();
    session.title = head.title.clone().filter(|title| !title.trim().is_empty());
    let path = one.located.path.display().to_string();
    let more = [
        (PATH, Some(path)),
        ("folder", head.folder.clone()),
        ("branch", head.branch.clone()),
        ("parent", head.parent.clone()),
    ];
    let said = more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    session.metadata = said.filter(|(_, value)| !value.trim().is_empty()).collect();
    session
}

/// Reads off the threads that answer, and sends turns in parts.
fn begin(one: &Shelved, id: SessionId, parts: Sender<Vec<Turn>>) -> JoinHandle<Result<Read>> {
    let (reader, located, from) =
        (std::sync::Arc::clone(&one.reader), one.located.clone(), one.watermark());
    spawn_blocking(move || {
        let at = located.head.started_at.or(located.stamp.at()).unwrap_or(Timestamp::UNIX_EPOCH);
        let mut part = Part { id, at, asked: None, turns: Vec::with_capacity(PART) };
        let read = reader.read(&located, &from, &mut |event| {
            part.take(&event);
            if part.turns.len() < PART {
                return ControlFlow::Continue(());
            }
            match parts.blocking_send(std::mem::take(&mut part.turns)) {
                Ok(()) => ControlFlow::Continue(()),
                // Whoever stores has given up.
                Err(_) => ControlFlow::Break(()),
            }
        });
        if !part.turns.is_empty() {
            let _ = parts.blocking_send(part.turns);
        }
        read
    })
}

struct Part {
    id: SessionId,
    /// The time of the last event that had one.
    at: Timestamp,
    /// What the last turn asks.
    asked: Option<String>,
    turns: Vec<Turn>,
}

impl Part {
    fn take(&mut self, event: &Event) {
        self.at = event.at.unwrap_or(self.at);
        let Some(mut turn) = event.turn(&self.id, self.at) else { return };
        turn.asked = self.asked.take();
        self.asked = questions(&turn.text);
        self.turns.push(turn);
    }
}
