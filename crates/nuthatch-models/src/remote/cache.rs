//! The vectors of texts that were embedded lately: a bounded memory, the longest unused
//! leaving first.
//!
//! Texts are known by their hash, so that none of them is kept here.

use std::collections::{BTreeMap, HashMap};

use nuthatch::embedder::Purpose;
use nuthatch::vector::Vector;

/// A text and its purpose, hashed.
pub(super) type Key = [u8; 32];

pub(super) fn key(purpose: Purpose, text: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(match purpose {
        Purpose::Query => b"query\0",
        Purpose::Passage => b"passage\0",
    });
    hasher.update(text.as_bytes());
    hasher.finalize().into()
}

/// Vectors by key, as many as there is room for.
pub(super) struct Cache {
    room: usize,
    /// Counts uses; the greatest is the latest.
    uses: u64,
    entries: HashMap<Key, (u64, Vector)>,
    order: BTreeMap<u64, Key>,
}

impl Cache {
    pub(super) fn new(room: usize) -> Self {
        Cache { room, uses: 0, entries: HashMap::new(), order: BTreeMap::new() }
    }

    pub(super) fn find(&mut self, key: &Key) -> Option<Vector> {
        let (_, vector) = self.entries.remove(key).map(|(use_, vector)| {
            self.order.remove(&use_);
            (use_, vector)
        })?;
        self.put(*key, vector.clone());
        Some(vector)
    }

    pub(super) fn put(&mut self, key: Key, vector: Vector) {
        self.uses += 1;
        if let Some((before, _)) = self.entries.insert(key, (self.uses, vector)) {
            self.order.remove(&before);
        }
        self.order.insert(self.uses, key);
        while self.entries.len() > self.room {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            self.entries.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_leaves_first_and_purposes_are_apart() {
        let mut cache = Cache::new(2);
        let [a, b, c] = ["a", "b", "c"].map(|text| key(Purpose::Query, text));
        let vector = |x| Vector::of(vec![x]);
        cache.put(a, vector(1));
        cache.put(b, vector(2));
        assert_eq!(cache.find(&a), Some(vector(1)));
        cache.put(c, vector(3));
        assert_eq!(cache.find(&b), None);
        cache.put(a, vector(4));
        assert_eq!((cache.find(&a), cache.find(&c)), (Some(vector(4)), Some(vector(3))));
        assert_eq!((cache.entries.len(), cache.order.len()), (2, 2));
        assert_eq!(cache.find(&key(Purpose::Passage, "a")), None);
    }
}
