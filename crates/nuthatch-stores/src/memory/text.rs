//! Search by words, done the plain way: every document of the scopes is looked at.
//!
//! It counts for itself and shares only the formula, so that the suite can hold the indexes
//! of the other stores against it.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use nuthatch::filter::Filter;
use nuthatch::id::{DocId, TurnId};
use nuthatch::memory::Memory;
use nuthatch::session::Turn;
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::{Corpus, index_terms, is_stop_term};

use super::open::State;

/// How often each term stands in a document, and how many there are in all.
#[derive(Default)]
pub struct Words {
    counts: HashMap<String, u32>,
    length: u32,
}

impl Words {
    /// The words of a memory.
    pub fn of_memory(memory: &Memory) -> Self {
        Words::of(memory.key.as_deref(), &memory.content)
    }

    /// The words of a turn.
    pub fn of_turn(turn: &Turn) -> Self {
        Words::of(turn.asked.as_deref(), &turn.text)
    }

    fn of(key: Option<&str>, text: &str) -> Self {
        let mut words = Words::default();
        for term in index_terms(key, text).split(' ').filter(|term| !term.is_empty()) {
            *words.counts.entry(term.to_owned()).or_default() += 1;
            words.length += u32::from(!is_stop_term(term));
        }
        words
    }
}

/// A document that a search may give.
pub struct Document<'a> {
    pub id: DocId,
    pub at: Timestamp,
    /// Whether it passes the whole filter, and not only its scopes.
    pub passes: bool,
    pub words: &'a Words,
}

/// Every document of the scopes that a filter names.
pub fn documents<'a>(state: &'a State, filter: &Filter) -> Vec<Document<'a>> {
    let mut found = Vec::new();
    for memory in state.memories.values() {
        let id = DocId::Memory(memory.id);
        let Some(words) = state.words.get(&id) else { continue };
        if filter.include.memories() && filter.scopes.contains(&memory.scope) {
            let passes = filter.matches(memory);
            found.push(Document { id, at: memory.created_at, passes, words });
        }
    }
    for turn in state.turns.values() {
        let id = DocId::Turn(turn.id());
        let Some(session) = state.sessions.get(&turn.session) else { continue };
        let Some(words) = state.words.get(&id) else { continue };
        if filter.include.turns() && filter.scopes.contains(&session.scope()) {
            let passes = filter.matches_turn(session, turn);
            found.push(Document { id, at: turn.at, passes, words });
        }
    }
    found
}

pub fn search(state: &State, query: &TextQuery) -> TextMatches {
    let documents = documents(state, &query.filter);
    let counts = |words: &Words| -> Vec<u32> {
        query.terms.iter().map(|term| words.counts.get(term).copied().unwrap_or(0)).collect()
    };
    let mut corpus = Corpus { frequencies: vec![0; query.terms.len()], ..Corpus::default() };
    for document in &documents {
        corpus.documents += 1;
        corpus.length += u64::from(document.words.length);
        for (frequency, count) in corpus.frequencies.iter_mut().zip(counts(document.words)) {
            *frequency += u64::from(count > 0);
        }
    }
    let mut found: Vec<(Timestamp, bool, TextMatch)> = Vec::new();
    for document in documents {
        let (counts, length) = (counts(document.words), document.words.length);
        if counts.iter().any(|count| *count > 0) {
            let bm25 = corpus.score(&counts, length);
            let found_one = TextMatch { doc: document.id, bm25, counts, length };
            found.push((document.at, document.passes, found_one));
        }
    }
    found.sort_by(|(at, _, a), (other_at, _, b)| {
        b.bm25.total_cmp(&a.bm25).then_with(|| (other_at, &b.doc).cmp(&(at, &a.doc)))
    });
    let (passing, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, passes, _)| *passes);
    let mut matches: Vec<TextMatch> = passing.into_iter().map(|(_, _, found)| found).collect();
    let mut others = matches.split_off(matches.len().min(query.limit));
    others.extend(rest.into_iter().map(|(_, _, found)| found));
    let wanted = beside(&matches, query);
    others.retain(|found| wanted.contains(&found.doc));
    others.sort_by(|a, b| a.doc.cmp(&b.doc));
    TextMatches { corpus, matches, others }
}

/// The documents whose words are wanted beside the matches.
fn beside(matches: &[TextMatch], query: &TextQuery) -> BTreeSet<DocId> {
    let mut wanted: BTreeSet<DocId> = query.also.iter().cloned().collect();
    let turns = matches.iter().map(|found| &found.doc).chain(&query.also).filter_map(DocId::turn);
    for TurnId { session, seq } in turns {
        for seq in seq.saturating_sub(query.reach)..=seq.saturating_add(query.reach) {
            wanted.insert(DocId::Turn(TurnId { session: session.clone(), seq }));
        }
    }
    wanted
}
