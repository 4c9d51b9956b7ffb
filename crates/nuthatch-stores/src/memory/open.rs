//! What the store holds, and how a set that fails is undone.
//!
//! Every step notes what it replaced; taking back goes through the notes backwards.

use std::collections::{BTreeMap, HashMap, VecDeque};

use nuthatch::id::{ChangeSetId, DocId, MemoryId, SessionId, TurnId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::session::{Session, Turn};
use nuthatch::store::{Job, JobKey};
use nuthatch::text::Words;

use super::vector::{self, Vectors};

/// Everything in the store.
#[derive(Default)]
pub struct State {
    pub memories: BTreeMap<MemoryId, Memory>,
    pub versions: BTreeMap<(MemoryId, u32), Version>,
    pub tombstones: BTreeMap<MemoryId, Tombstone>,
    pub sessions: BTreeMap<SessionId, Session>,
    pub turns: BTreeMap<(SessionId, u64), Turn>,
    pub receipts: VecDeque<(ChangeSetId, String)>,
    pub words: HashMap<DocId, Words>,
    pub vectors: Vectors,
    pub jobs: BTreeMap<JobKey, Job>,
    undo: Vec<Undo>,
}

/// What a step replaced.
enum Undo {
    Memory(MemoryId, Option<Box<Memory>>),
    Version((MemoryId, u32), Option<Box<Version>>),
    Tombstone(MemoryId, Option<Tombstone>),
    Session(SessionId, Option<Box<Session>>),
    Turn((SessionId, u64), Option<Box<Turn>>),
    Receipt,
}

impl State {
    /// Stores or removes a memory, with its words.
    pub fn set_memory(&mut self, id: MemoryId, memory: Option<Memory>) {
        let old = self.replace_memory(id, memory);
        self.undo.push(Undo::Memory(id, old.map(Box::new)));
    }

    fn replace_memory(&mut self, id: MemoryId, memory: Option<Memory>) -> Option<Memory> {
        let words = memory.as_ref().map(words_of);
        self.set_words(DocId::Memory(id), words);
        set(&mut self.memories, id, memory)
    }

    fn replace_turn(&mut self, key: (SessionId, u64), turn: Option<Turn>) -> Option<Turn> {
        let words = turn.as_ref().map(words_of_turn);
        self.set_words(turn_doc(&key), words);
        set(&mut self.turns, key, turn)
    }

    fn set_words(&mut self, doc: DocId, words: Option<Words>) {
        match words {
            Some(words) => self.words.insert(doc, words),
            None => self.words.remove(&doc),
        };
    }

    /// Stores or removes a version.
    pub fn set_version(&mut self, key: (MemoryId, u32), version: Option<Version>) {
        let old = set(&mut self.versions, key, version);
        self.undo.push(Undo::Version(key, old.map(Box::new)));
    }

    /// Keeps what is left of a memory.
    pub fn set_tombstone(&mut self, tombstone: Tombstone) {
        let id = tombstone.id;
        let old = set(&mut self.tombstones, id, Some(tombstone));
        self.undo.push(Undo::Tombstone(id, old));
    }

    /// Stores or removes a conversation.
    pub fn set_session(&mut self, id: SessionId, session: Option<Session>) {
        let old = set(&mut self.sessions, id.clone(), session);
        self.undo.push(Undo::Session(id, old.map(Box::new)));
    }

    /// Stores or removes a turn.
    pub fn set_turn(&mut self, key: (SessionId, u64), turn: Option<Turn>) {
        let old = self.replace_turn(key.clone(), turn);
        self.undo.push(Undo::Turn(key, old.map(Box::new)));
    }

    /// Notes a set.
    pub fn note_receipt(&mut self, id: ChangeSetId, receipt: String) {
        self.receipts.push_back((id, receipt));
        self.undo.push(Undo::Receipt);
    }

    /// Keeps what was done since the last end of a set.
    pub fn commit(&mut self) {
        /// As many as the other stores keep.
        const RECEIPTS: usize = 1000;
        while self.receipts.len() > RECEIPTS {
            self.receipts.pop_front();
        }
        let changed = self.undo.drain(..).filter_map(|step| match step {
            Undo::Memory(id, _) => Some(DocId::Memory(id)),
            Undo::Turn(key, _) => Some(turn_doc(&key)),
            _ => None,
        });
        let changed: Vec<DocId> = changed.collect();
        vector::drop_stale(self, &changed);
    }

    /// Takes back what was done since the last end of a set, newest first.
    pub fn roll_back(&mut self) {
        while let Some(step) = self.undo.pop() {
            match step {
                Undo::Memory(id, old) => {
                    self.replace_memory(id, old.map(|old| *old));
                }
                Undo::Version(key, old) => {
                    set(&mut self.versions, key, old.map(|old| *old));
                }
                Undo::Tombstone(id, old) => {
                    set(&mut self.tombstones, id, old);
                }
                Undo::Session(id, old) => {
                    set(&mut self.sessions, id, old.map(|old| *old));
                }
                Undo::Turn(key, old) => {
                    self.replace_turn(key, old.map(|old| *old));
                }
                Undo::Receipt => {
                    self.receipts.pop_back();
                }
            }
        }
    }

    /// Indexes every word anew.
    pub fn rebuild_words(&mut self) {
        let memories = self.memories.values().map(|m| (DocId::Memory(m.id), words_of(m)));
        let turns = self.turns.values();
        let turns = turns.map(|turn| (DocId::Turn(turn.id()), words_of_turn(turn)));
        self.words = memories.chain(turns).collect();
    }
}

fn words_of(memory: &Memory) -> Words {
    Words::of(memory.key.as_deref(), &memory.content)
}

fn words_of_turn(turn: &Turn) -> Words {
    Words::of(turn.asked.as_deref(), &turn.text)
}

fn turn_doc((session, seq): &(SessionId, u64)) -> DocId {
    DocId::Turn(TurnId { session: session.clone(), seq: *seq })
}

fn set<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}
