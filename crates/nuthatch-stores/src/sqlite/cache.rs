//! Blocks of sketches in RAM, shared by all who read through one handle.
//!
//! A block is known by its number and version. Versions are never given twice, and are read
//! in the same snapshot as everything else, so a block from here is the one that is in the
//! file, whichever process wrote it. What was not used for longest goes first, and what is
//! looked at for the first time is not kept: most commands end after one search.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nuthatch::error::{Error, Result};
use rusqlite::Connection;

use super::read::rows;
use super::sketch::View;

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
    /// Nothing while it was looked at only once.
    data: Option<Arc<[u8]>>,
}

impl Known {
    fn bytes(&self) -> usize {
        self.data.as_deref().map_or(0, <[u8]>::len)
    }
}

/// A block as the file names it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub number: i64,
    pub version: i64,
    pub entries: usize,
}

impl Cache {
    /// Shows a block, from RAM or from the file.
    pub fn show(
        &self,
        connection: &Connection,
        place: Place,
        mut see: impl FnMut(View<'_>),
    ) -> Result<()> {
        let Place { number, version, entries } = place;
        let mut look = |data: &[u8]| View::of(data, entries).map(&mut see).is_some();
        let known = self.held().find(number, version);
        let sound = match known {
            Some(Some(data)) => look(&data),
            _ => {
                let sql = "SELECT data FROM sketches WHERE block = ?1";
                let read = rows(connection, sql, [number], |row| {
                    let data = row.get_ref(0)?.as_blob()?;
                    let again = known.is_some().then(|| Arc::from(data));
                    self.held().keep(number, version, again);
                    Ok(look(data))
                })?;
                read == [true]
            }
        };
        if sound {
            return Ok(());
        }
        let file = super::open::place(connection);
        Err(Error::unavailable(format!("the index of vectors in {} is damaged", file.display()))
            .with_hint("run nuthatch reindex"))
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
    /// Whether a block was looked at before, and what it holds if that is kept.
    fn find(&mut self, number: i64, version: i64) -> Option<Option<Arc<[u8]>>> {
        self.clock += 1;
        let known = self.blocks.get_mut(&number).filter(|known| known.version == version)?;
        known.used = self.clock;
        Some(known.data.clone())
    }

    fn keep(&mut self, number: i64, version: i64, data: Option<Arc<[u8]>>) {
        self.bytes += data.as_deref().map_or(0, <[u8]>::len);
        let known = Known { version, used: self.clock, data };
        if let Some(old) = self.blocks.insert(number, known) {
            self.bytes -= old.bytes();
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
        self.bytes = self.blocks.values().map(Known::bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::sketch::{Block, Entry};

    #[test]
    fn a_block_is_kept_when_it_is_looked_at_again_and_read_anew_when_it_changed() {
        let connection = Connection::open_in_memory().unwrap();
        let made = "CREATE TABLE sketches (block INTEGER PRIMARY KEY, data BLOB)";
        connection.execute_batch(made).unwrap();
        let put = |row: i64| {
            let mut block = Block::default();
            block.push(&Entry::new(row, 1, &[3, 4]));
            let sql = "INSERT OR REPLACE INTO sketches VALUES (7, ?1)";
            connection.execute(sql, [block.encode()]).unwrap();
        };
        let cache = Cache::default();
        let shown = |version: i64| {
            let probe = crate::sqlite::kernel::Probe::new(&[3, 4]);
            let mut seen = Vec::new();
            let place = Place { number: 7, version, entries: 1 };
            let told = cache.show(&connection, place, |view| {
                view.look(&probe, |_, row, _| seen.push(row));
            });
            told.map(|()| seen)
        };
        put(10);
        assert_eq!(shown(1).unwrap(), [10]);
        assert_eq!(cache.held().bytes, 0, "looked at once");
        assert_eq!(shown(1).unwrap(), [10]);
        assert!(cache.held().bytes > 0);
        // The file is not asked again for what is known, and is for what has changed.
        put(20);
        assert_eq!(shown(1).unwrap(), [10]);
        assert_eq!(shown(2).unwrap(), [20]);
        assert_eq!(cache.held().bytes, 0);
        connection.execute("UPDATE sketches SET data = x'00'", []).unwrap();
        assert!(shown(3).unwrap_err().to_string().contains("damaged"));
    }
}
