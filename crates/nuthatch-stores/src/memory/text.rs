//! An index of words in RAM, scored as FTS5 scores: BM25 with the usual constants.
//!
//! The suite compares its scores with those of SQLite.

use std::collections::{BTreeMap, HashMap};

use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::index_terms;

use super::open::State;

/// How soon repetition stops counting.
const K1: f64 = 1.2;
/// How much length counts.
const B: f64 = 0.75;
/// What a term says that stands in more than half of all memories: next to nothing.
const LEAST_IDF: f64 = 1e-6;

/// Which memories hold which words.
#[derive(Default)]
pub struct Words {
    postings: HashMap<String, BTreeMap<MemoryId, u32>>,
    terms: HashMap<MemoryId, Vec<String>>,
    length: u64,
}

impl Words {
    /// Indexes a memory, in place of what was indexed under its id.
    pub fn put(&mut self, memory: &Memory) {
        self.remove(memory.id);
        let line = index_terms(memory.key.as_deref(), &memory.content);
        let terms: Vec<String> =
            line.split(' ').filter(|t| !t.is_empty()).map(str::to_owned).collect();
        for term in &terms {
            let posting = self.postings.entry(term.clone()).or_default();
            *posting.entry(memory.id).or_default() += 1;
        }
        self.length += terms.len() as u64;
        self.terms.insert(memory.id, terms);
    }

    /// Takes a memory out.
    pub fn remove(&mut self, id: MemoryId) {
        let Some(terms) = self.terms.remove(&id) else { return };
        self.length -= terms.len() as u64;
        for term in terms {
            if let Some(posting) = self.postings.get_mut(&term) {
                posting.remove(&id);
                if posting.is_empty() {
                    self.postings.remove(&term);
                }
            }
        }
    }

    fn frequency(&self, term: &str) -> u64 {
        self.postings.get(term).map_or(0, |posting| posting.len() as u64)
    }

    fn scores(&self, terms: &[String]) -> HashMap<MemoryId, f64> {
        let documents = self.terms.len() as f64;
        let average = self.length as f64 / documents.max(1.0);
        let mut scores: HashMap<MemoryId, f64> = HashMap::new();
        for term in terms {
            let Some(posting) = self.postings.get(term) else { continue };
            let holding = posting.len() as f64;
            let idf = ((documents - holding + 0.5) / (holding + 0.5)).ln();
            let idf = if idf <= 0.0 { LEAST_IDF } else { idf };
            for (id, &times) in posting {
                let times = f64::from(times);
                let length = self.terms.get(id).map_or(0.0, |terms| terms.len() as f64);
                let norm = times + K1 * (1.0 - B + B * length / average);
                *scores.entry(*id).or_default() += idf * times * (K1 + 1.0) / norm;
            }
        }
        scores
    }
}

pub fn search(state: &State, query: &TextQuery) -> TextMatches {
    let scores = state.words.scores(&query.terms);
    let mut found: Vec<(f64, &Memory)> = scores
        .iter()
        .filter_map(|(id, score)| Some((*score, state.memories.get(id)?)))
        .filter(|(_, memory)| query.filter.matches(memory))
        .collect();
    found.sort_by(|(a, left), (b, right)| {
        let newer = (right.created_at, right.id).cmp(&(left.created_at, left.id));
        b.total_cmp(a).then(newer)
    });
    found.truncate(query.limit);
    TextMatches {
        indexed: state.memories.len() as u64,
        frequencies: query.terms.iter().map(|term| state.words.frequency(term)).collect(),
        matches: found
            .into_iter()
            .map(|(bm25, memory)| TextMatch { id: memory.id, bm25 })
            .collect(),
    }
}
