//! Search by words, done the plain way: every document of the scopes is looked at.
//!
//! It counts for itself and shares only the formula, so that the suite can hold the indexes
//! of the other stores against it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use nuthatch::filter::Filter;
use nuthatch::id::DocId;
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::{Corpus, Words};

use super::open::State;

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

/// The words of the documents that begin so, in order.
pub fn words(state: &State, filter: &Filter, beginning: &str) -> Vec<String> {
    let documents = documents(state, filter);
    let terms = documents.iter().flat_map(|document| document.words.counts.iter());
    let alike = terms.map(|(term, _)| term).filter(|term| term.starts_with(beginning));
    alike.collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

pub fn search(state: &State, query: &TextQuery) -> TextMatches {
    let documents = documents(state, &query.filter);
    let mut corpus = Corpus { frequencies: vec![0; query.terms.len()], ..Corpus::default() };
    for document in &documents {
        corpus.documents += 1;
        corpus.length += u64::from(document.words.length);
        for (frequency, count) in
            corpus.frequencies.iter_mut().zip(document.words.count(&query.terms))
        {
            *frequency += u64::from(count > 0);
        }
    }
    let corpus = query.corpus.clone().unwrap_or(corpus);
    let mut found: Vec<(Timestamp, bool, TextMatch)> = Vec::new();
    for document in documents {
        let counts = document.words.count(&query.terms);
        let length = document.words.length;
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
    let wanted = query.beside(&matches);
    others.retain(|found| wanted.contains(&found.doc));
    others.sort_by(|a, b| a.doc.cmp(&b.doc));
    TextMatches { corpus, matches, others }
}
