//! Takes what somebody wrote out into the store: one thread reads while the store writes.
//!
//! A few batches wait between the two, so memory holds no more than those, however large the
//! file is.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use nuthatch::error::{Error, Result};
use nuthatch::import::{Imported, Importer};
use nuthatch::interchange::jsonl::Amount;
use nuthatch::interchange::{Format, Item, Telling};
use nuthatch::transcript::Skipped;
use nuthatch_sources::imports;

use crate::input::STDIN;
use crate::progress::Progress;

/// Things stored at a time.
const BATCH: usize = 250;
/// Batches that wait for the store.
const WAITING: usize = 2;

/// What was read and taken in.
pub struct Read {
    /// What it was read as.
    pub format: String,
    /// What became of it.
    pub imported: Imported,
    /// Why not all of it could be read.
    pub broken: Option<Error>,
}

/// How far the reader is, in bytes.
#[derive(Default)]
struct Reached {
    done: AtomicU64,
    total: AtomicU64,
}

/// Reads `path`, and takes in what is there.
pub async fn take(
    path: &Path,
    format: Option<Format>,
    mut importer: Importer<'_>,
    progress: &Progress,
) -> Result<Read> {
    let (sender, receiver) = sync_channel(WAITING);
    let reached = Arc::new(Reached::default());
    let (from, seen) = (path.to_path_buf(), Arc::clone(&reached));
    let reading = thread::spawn(move || read(&from, format, &sender, &seen));
    let mut stored = Ok(());
    while let Ok(items) = receiver.recv() {
        stored = importer.take(items).await;
        if stored.is_err() {
            break;
        }
        let at = |place: &AtomicU64| place.load(Ordering::Relaxed);
        progress.show(at(&reached.done), at(&reached.total));
    }
    drop(receiver);
    let (ended, skipped) =
        reading.join().map_err(|_| Error::internal("the reader has broken off"))?;
    stored?;
    let imported = importer.finish(skipped);
    Ok(match ended {
        Ok(format) => Read { format, imported, broken: None },
        Err(error) => {
            let format = format.map_or("auto", Format::name).to_owned();
            Read { format, imported, broken: Some(error) }
        }
    })
}

fn read(
    path: &Path,
    format: Option<Format>,
    sender: &SyncSender<Vec<Item>>,
    reached: &Reached,
) -> (Result<String>, Skipped) {
    let mut waiting = Vec::new();
    let send = |items: Vec<Item>| {
        // Whoever stores has given up, and says why.
        sender.send(items).map_err(|_| Error::unavailable("the store has given up"))
    };
    let mut sink = |item: Item| {
        let is_large = matches!(item, Item::Talk(_) | Item::Turns(_));
        waiting.push(item);
        if is_large || waiting.len() >= BATCH { send(std::mem::take(&mut waiting)) } else { Ok(()) }
    };
    let (ended, skipped) = {
        let mut telling = Telling::to(&mut sink);
        let ended = if path.as_os_str() == STDIN {
            imports::stream(std::io::stdin(), format, &mut telling).map(Format::name)
        } else {
            imports::read(path, format, &mut telling, &mut |done, total| {
                reached.done.store(done, Ordering::Relaxed);
                reached.total.store(total, Ordering::Relaxed);
            })
        };
        (ended, std::mem::take(&mut telling.skipped))
    };
    let rest = if waiting.is_empty() { Ok(()) } else { send(waiting) };
    (ended.and_then(|format| rest.map(|()| format.to_owned())), skipped)
}

/// Counts in words, without what there is none of.
pub fn counted(amount: &Amount) -> String {
    let Amount { memories, versions, sessions, turns } = amount;
    let one = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let parts = [
        one(*memories, "memory", "memories"),
        one(*versions, "version", "versions"),
        one(*sessions, "session", "sessions"),
        one(*turns, "turn", "turns"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
