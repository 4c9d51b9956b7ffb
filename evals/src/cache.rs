//! Vectors kept between runs, so that a set is embedded once and asked many times.
//!
//! One file for each model: rows of a hash of the purpose and the text, and the vector. A row
//! that was half written when a run ended is left out and written again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nuthatch::embedder::{Embedder, EmbedderInfo, Purpose};
use nuthatch::error::{Error, Result};
use nuthatch::id::ContentHash;
use nuthatch::vector::Vector;

type Key = Vec<u8>;

/// An embedder that asks another only for what it has not seen.
pub(crate) struct Cached {
    inner: Arc<dyn Embedder>,
    kept: Mutex<(HashMap<Key, Vector>, File)>,
}

impl Cached {
    /// Opens the file of this model in a folder.
    pub(crate) fn open(inner: Arc<dyn Embedder>, folder: &Path) -> anyhow::Result<Cached> {
        let info = inner.info();
        let name: String = info.id.to_string().chars().map(plain).collect();
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{name}.vectors"));
        let bytes = fs::read(&path).unwrap_or_default();
        let width = key(Purpose::Query, "").len() + info.dimensions;
        let whole = bytes.len() - bytes.len() % width;
        let row = |row: &[u8]| {
            let (key, vector) = row.split_at(width - info.dimensions);
            let vector = vector.iter().map(|byte| byte.cast_signed()).collect();
            (key.to_vec(), Vector::of(vector))
        };
        let known = bytes[..whole].chunks_exact(width).map(row).collect();
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.set_len(u64::try_from(whole)?)?;
        Ok(Cached { inner, kept: Mutex::new((known, file)) })
    }

    fn known(&self, keys: &[Key]) -> Vec<Option<Vector>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| kept.0.get(key).cloned()).collect()
    }

    fn keep(&self, keys: &[&Key], vectors: &[Vector]) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows = Vec::new();
        for (key, vector) in keys.iter().zip(vectors) {
            rows.extend_from_slice(key);
            rows.extend(vector.components().iter().map(|c| c.cast_unsigned()));
            kept.0.insert((*key).clone(), vector.clone());
        }
        let written = kept.1.write_all(&rows);
        written.map_err(|error| Error::internal(format!("writing vectors: {error}")))
    }
}

fn plain(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' }
}

fn key(purpose: Purpose, text: &str) -> Key {
    let purpose = format!("{purpose:?}");
    ContentHash::of(Some(&purpose), text).0.to_vec()
}

#[async_trait]
impl Embedder for Cached {
    fn info(&self) -> EmbedderInfo {
        self.inner.info()
    }

    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>> {
        let keys: Vec<Key> = texts.iter().map(|text| key(purpose, text)).collect();
        let mut found = self.known(&keys);
        let missing: Vec<usize> = (0..texts.len()).filter(|at| found[*at].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<&str> = missing.iter().map(|at| texts[*at]).collect();
            let vectors = self.inner.embed(purpose, &asked).await?;
            let new: Vec<&Key> = missing.iter().map(|at| &keys[*at]).collect();
            self.keep(&new, &vectors)?;
            for (at, vector) in missing.into_iter().zip(vectors) {
                found[at] = Some(vector);
            }
        }
        let whole: Option<Vec<Vector>> = found.into_iter().collect();
        whole.ok_or_else(|| Error::internal("the embedder did not give a vector for each text"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{Choice, open};
    use crate::world::block_on;

    #[test]
    fn a_text_is_embedded_once_and_known_to_the_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let inner = || open(&Choice::Instant(Box::new(Choice::Builtin))).unwrap().unwrap();
        let cached = Cached::open(inner(), folder.path()).unwrap();
        let ask = |cached: &Cached, texts: &[&str]| {
            block_on(async { Ok(cached.embed(Purpose::Passage, texts).await?) }).unwrap()
        };
        let first = ask(&cached, &["a", "b"]);
        assert_eq!(ask(&cached, &["b", "c", "a"])[2], first[0]);
        drop(cached);
        let file = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let size = fs::metadata(&file).unwrap().len();
        // The last row is cut off, as by a run that was stopped.
        OpenOptions::new().write(true).open(&file).unwrap().set_len(size - 1).unwrap();
        let again = Cached::open(inner(), folder.path()).unwrap();
        assert_eq!(ask(&again, &["a", "b"]), first);
        ask(&again, &["c"]);
        assert_eq!(fs::metadata(&file).unwrap().len(), size);
    }
}
