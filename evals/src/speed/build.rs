//! Made-up conversations into a store, with a random vector for each turn, and the same
//! texts into a bare table.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use nuthatch::embedder::EmbedderInfo;
use nuthatch::id::{DocId, ProjectId, SessionId};
use nuthatch::record::Conversation;
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::{Embedded, EmbeddedPassage};

use super::bare::Bare;
use super::synth::{Language, SESSION, said_at};
use crate::embedding::{self, Choice};
use crate::random;
use crate::world::World;

/// Components of a vector: those of the built-in model.
pub(super) const DIMENSIONS: usize = 384;
/// Turns recorded in one call: a whole number of conversations, and no more than fits into
/// memory at once.
const PART: usize = 100_000;
/// Vectors kept in one call.
const BATCH: usize = 2_000;

/// What building took and came to.
pub(super) struct Built {
    pub(super) recorded: Duration,
    pub(super) bare: Duration,
    pub(super) store_bytes: u64,
    pub(super) bare_bytes: u64,
}

/// Where the store of a folder is.
pub(super) fn store_path(folder: &Path) -> PathBuf {
    folder.join("memory.db")
}

/// Where the bare table of a folder is.
pub(super) fn bare_path(folder: &Path) -> PathBuf {
    folder.join("bare.db")
}

/// The project of everything.
pub(super) fn scope() -> anyhow::Result<Scope> {
    Ok(Scope::Project(ProjectId::new("speed")?))
}

/// Builds both, from nothing.
pub(super) async fn build(folder: &Path, turns: usize, embedder: &Choice) -> anyhow::Result<Built> {
    std::fs::create_dir_all(folder)?;
    let language = Language::new();
    let url = format!("sqlite:{}", store_path(folder).display());
    let world = World::open(Some(&url), &Choice::None).await?;
    let mut recorded = Duration::ZERO;
    for part in (0..turns).step_by(PART) {
        let end = turns.min(part + PART);
        let starts = (part..end).step_by(SESSION);
        let talk = |start: usize| conversation(&language, start, SESSION.min(end - start));
        let conversations = starts.map(talk).collect::<anyhow::Result<_>>()?;
        let begun = Instant::now();
        world.record(conversations).await?;
        recorded += begun.elapsed();
    }
    embed(&world, &embedding::info(embedder)?).await?;
    let bare = Bare::build(&bare_path(folder), (0..turns).map(|place| language.turn(place)))?;
    Ok(Built {
        recorded,
        bare,
        store_bytes: bytes(&store_path(folder))?,
        bare_bytes: bytes(&bare_path(folder))?,
    })
}

fn conversation(language: &Language, start: usize, length: usize) -> anyhow::Result<Conversation> {
    let id = SessionId::new(format!("session-{start}"))?;
    let mut session = Session::new(id.clone(), said_at(start)?);
    session.project = Some(ProjectId::new("speed")?);
    session.last_active_at = said_at(start + length - 1)?;
    let turn = |seq: usize| -> anyhow::Result<Turn> {
        let role = if seq.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let (at, text) = (said_at(start + seq)?, language.turn(start + seq));
        Ok(Turn { session: id.clone(), seq: seq as u64, at, role, text, asked: None })
    };
    Ok(Conversation { session, turns: (0..length).map(turn).collect::<anyhow::Result<_>>()? })
}

/// A random direction for everything that waits to be embedded.
pub(super) async fn embed(world: &World, model: &EmbedderInfo) -> anyhow::Result<()> {
    let store = world.engine.store();
    let mut after: Option<DocId> = None;
    loop {
        let waiting = store.unembedded(&model.id, after.as_ref(), BATCH).await?;
        let Some(last) = waiting.last() else { return Ok(()) };
        after = Some(last.doc.clone());
        let items: Vec<Embedded> = waiting
            .into_iter()
            .map(|waiting| {
                let vector = random::direction(random::seed(&waiting.hash), model.dimensions);
                let passage = EmbeddedPassage { range: 0..waiting.text.len(), vector };
                Embedded { doc: waiting.doc, hash: waiting.hash, passages: vec![passage] }
            })
            .collect();
        store.put_vectors(&model.id, &items).await?;
    }
}

/// Bytes of a database and what lies beside it.
fn bytes(path: &Path) -> anyhow::Result<u64> {
    let name = path.file_name().context("a database has a name")?.to_string_lossy().into_owned();
    let folder = path.parent().context("a database lies in a folder")?;
    let mut sum = 0;
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&name) {
            sum += entry.metadata()?.len();
        }
    }
    Ok(sum)
}
