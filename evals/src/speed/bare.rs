//! The yardsticks: what SQLite's own full-text search takes for the same text, and what
//! memory takes to stream the bytes of as many vectors.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

/// Rows written in one transaction.
const BATCH: usize = 10_000;
/// How often the bytes are streamed; the fastest counts.
const STREAMS: usize = 7;

/// A bare table of texts, stemmed.
pub(super) struct Bare {
    connection: Connection,
}

impl Bare {
    /// Writes every text, and says how long that took.
    pub(super) fn build(
        path: &Path,
        texts: impl Iterator<Item = String>,
    ) -> anyhow::Result<Duration> {
        let mut connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
             CREATE VIRTUAL TABLE turns USING fts5(text, tokenize = 'porter unicode61');",
        )?;
        let begun = Instant::now();
        let mut texts = texts.peekable();
        while texts.peek().is_some() {
            let transaction = connection.transaction()?;
            let mut insert = transaction.prepare("INSERT INTO turns(text) VALUES (?1)")?;
            for text in texts.by_ref().take(BATCH) {
                insert.execute(params![text])?;
            }
            drop(insert);
            transaction.commit()?;
        }
        Ok(begun.elapsed())
    }

    /// Opens a table that was built.
    pub(super) fn open(path: &Path) -> anyhow::Result<Bare> {
        Ok(Bare { connection: Connection::open(path)? })
    }

    /// The ten best rows that hold any word of the question.
    pub(super) fn search(&self, question: &str) -> anyhow::Result<usize> {
        let words: Vec<String> = question.split(' ').map(|word| format!("\"{word}\"")).collect();
        let sql = "SELECT rowid, text, bm25(turns) FROM turns WHERE turns MATCH ?1 \
                   ORDER BY bm25(turns) LIMIT 10";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![words.join(" OR ")], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, f64>(2)?))
        })?;
        let mut found = 0;
        for row in rows {
            black_box(row?);
            found += 1;
        }
        Ok(found)
    }
}

/// How long one core takes to read so many bytes once, at best.
pub(super) fn stream(bytes: usize) -> Duration {
    let words: Vec<u64> = (0..bytes as u64 / 8).collect();
    let pass = || {
        let begun = Instant::now();
        // Eight sums at once: one sum alone waits for its own additions, not for memory.
        let mut sums = [0u64; 8];
        for eight in black_box(&words).chunks_exact(8) {
            for (sum, word) in sums.iter_mut().zip(eight) {
                *sum = sum.wrapping_add(*word);
            }
        }
        black_box(sums);
        begun.elapsed()
    };
    (0..STREAMS).map(|_| pass()).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_table_finds_any_word_of_a_question() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bare.db");
        let texts = ["the cats slept", "a dog barked", "nothing here"].map(str::to_owned);
        Bare::build(&path, texts.into_iter()).unwrap();
        let bare = Bare::open(&path).unwrap();
        assert_eq!(bare.search("cat dog").unwrap(), 2);
        assert_eq!(bare.search("bird").unwrap(), 0);
    }
}
