//! What the lanes found, gathered by document.
//!
//! Evidence only: what it is worth is decided in `fuse.rs`.

use std::ops::Range;

use jiff::Timestamp;

use crate::id::{DocId, SessionId};
use crate::memory::Memory;
use crate::session::Role;
use crate::store::TextMatch;
use crate::text::Corpus;

/// A memory or turn that some lane found.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Which.
    pub doc: DocId,
    /// BM25, as the store has it.
    pub bm25: f64,
    /// The same, with rarity as it would be in a store of some size.
    pub information: f64,
    /// How much of what the query asks for by words is there, from 0 to 1.
    pub share: f64,
    /// The terms of the query that stand in it.
    pub terms: Vec<String>,
    /// How near its best passage is, where it has a vector.
    pub cosine: Option<f64>,
    /// That passage.
    pub passage: Option<Range<usize>>,
    /// Whether the query is its key.
    pub is_key: bool,
    /// Whether it was found only because it was said at the time that is spoken of.
    pub only_by_time: bool,
    /// When it was stored or said.
    pub at: Timestamp,
    /// How long it is.
    pub chars: u64,
    /// Who said it, if it is a turn.
    pub role: Option<Role>,
    /// The memory, if it is one.
    pub memory: Option<Memory>,
}

impl Candidate {
    /// Something of which nothing is known yet.
    #[must_use]
    pub fn new(doc: DocId) -> Self {
        Candidate {
            doc,
            bm25: 0.0,
            information: 0.0,
            share: 0.0,
            terms: Vec::new(),
            cosine: None,
            passage: None,
            is_key: false,
            only_by_time: false,
            at: Timestamp::UNIX_EPOCH,
            chars: 0,
            role: None,
            memory: None,
        }
    }

    /// The conversation it was said in.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        self.doc.turn().map(|turn| &turn.session)
    }

    /// Takes in what the text lane saw, in a corpus of some size.
    pub fn see_words(&mut self, found: &TextMatch, terms: &[String], grown: &Corpus) {
        let rarities = grown.rarities();
        let whole: f64 = rarities.iter().sum();
        let held = found.counts.iter().zip(&rarities).filter(|(count, _)| **count > 0);
        let part: f64 = held.map(|(_, rarity)| rarity).sum();
        self.bm25 = found.bm25;
        self.information = grown.score(&found.counts, found.length);
        self.share = if whole > 0.0 { part / whole } else { 0.0 };
        let present = found.counts.iter().zip(terms).filter(|(count, _)| **count > 0);
        self.terms = present.map(|(_, term)| term.clone()).collect();
    }
}
