//! Ids for entries that have none of their own.
//!
//! An id is derived from what names the entry (its key or its text) and from how many like
//! it stand above. Ids that the file spells out are never given again: when one of two equal
//! lines gets an id written next to it, the other keeps the id it had.

use std::collections::{HashMap, HashSet};

use nuthatch::id::MemoryId;

/// Gives out ids for the entries of one file.
#[derive(Default)]
pub struct Namer {
    taken: HashSet<MemoryId>,
    next: HashMap<MemoryId, u64>,
}

impl Namer {
    /// A namer that gives none of the ids that other files hold.
    pub fn beside(elsewhere: &HashSet<MemoryId>) -> Self {
        Namer { taken: elsewhere.clone(), next: HashMap::new() }
    }

    /// Claims an id that the file spells out; `false` when another entry has it.
    pub fn claim(&mut self, id: MemoryId) -> bool {
        self.taken.insert(id)
    }

    /// An id for an entry that these parts describe. All of the file's own ids must have
    /// been claimed before.
    pub fn name(&mut self, parts: &[&str]) -> MemoryId {
        let next = self.next.entry(MemoryId::derived(parts)).or_insert(0);
        loop {
            let occurrence = next.to_string();
            *next += 1;
            let mut numbered = parts.to_vec();
            numbered.push(&occurrence);
            let id = MemoryId::derived(&numbered);
            if self.taken.insert(id) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_get_different_ids() {
        let mut namer = Namer::default();
        assert_ne!(namer.name(&["a"]), namer.name(&["a"]));
    }

    #[test]
    fn an_entry_keeps_its_id_when_its_twin_gets_one_written_down() {
        let mut before = Namer::default();
        let (first, second) = (before.name(&["a"]), before.name(&["a"]));
        let mut after = Namer::default();
        assert!(after.claim(first));
        assert_eq!(after.name(&["a"]), second);
    }
}
