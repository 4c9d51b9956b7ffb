//! Blocks of sketches in RAM, shared by all who read through one handle.
//!
//! A block is known by its number and version. Versions are never given twice, and are read
//! in the same snapshot as everything else, so a block from here is the one that is in the
//! file, whichever process wrote it. What was not used for longest goes first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nuthatch::error::{Error, Result};
use rusqlite::Connection;

use super::open::place;
use super::read::rows;
use super::sketch::Block;

/// As much as is kept: the sketches of a million vectors of a small model, with room to spare.
const MOST_BYTES: usize = 320 << 20;

/// Blocks of sketches in RAM.
#[derive(Default)]
pub struct Cache {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    blocks: HashMap<i64, Known>,
    bytes: usize,
    clock: u64,
}

struct Known {
    version: i64,
    used: u64,
    block: Arc<Block>,
}

impl Cache {
    /// A block of this number and version, from RAM or from the file.
    pub fn block(
        &self,
        connection: &Connection,
        number: i64,
        version: i64,
        entries: u64,
    ) -> Result<Arc<Block>> {
        if let Some(known) = self.held().find(number, version) {
            return Ok(known);
        }
        let sql = "SELECT data FROM sketches WHERE block = ?1";
        let read = rows(connection, sql, [number], |row| {
            let data = row.get_ref(0)?.as_blob()?;
            Ok(Block::decode(data, usize::try_from(entries).unwrap_or(usize::MAX)))
        })?;
        let Some(Some(block)) = read.into_iter().next() else {
            let file = place(connection);
            return Err(Error::unavailable(format!(
                "the index of vectors in {} is damaged",
                file.display()
            ))
            .with_hint("run nuthatch reindex"));
        };
        self.held().keep(number, version, &block);
        Ok(block)
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.held() = Held::default();
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn find(&mut self, number: i64, version: i64) -> Option<Arc<Block>> {
        self.clock += 1;
        let known = self.blocks.get_mut(&number).filter(|known| known.version == version)?;
        known.used = self.clock;
        Some(Arc::clone(&known.block))
    }

    fn keep(&mut self, number: i64, version: i64, block: &Arc<Block>) {
        let known = Known { version, used: self.clock, block: Arc::clone(block) };
        self.bytes += block.bytes();
        if let Some(old) = self.blocks.insert(number, known) {
            self.bytes -= old.block.bytes();
        }
        if self.bytes > MOST_BYTES {
            self.make_room();
        }
    }

    /// Lets the older half go: seldom, and then thoroughly.
    fn make_room(&mut self) {
        let mut ages: Vec<u64> = self.blocks.values().map(|known| known.used).collect();
        ages.sort_unstable();
        let middle = ages.get(ages.len() / 2).copied().unwrap_or_default();
        self.blocks.retain(|_, known| known.used > middle);
        self.bytes = self.blocks.values().map(|known| known.block.bytes()).sum();
    }
}
