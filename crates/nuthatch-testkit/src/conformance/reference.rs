//! Searches done by hand, to hold the answers of stores against.
//!
//! Everything is looked at, in the plainest way, with the meaning that the library gives to
//! filters and the formula it has for words.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::filter::Filter;
use nuthatch::id::{DocId, ModelId, SessionId, TurnId};
use nuthatch::memory::Memory;
use nuthatch::session::{Session, Turn};
use nuthatch::store::{
    Embedded, TextMatch, TextMatches, TextQuery, VectorMatch, VectorMatches, VectorQuery,
};
use nuthatch::text::{Corpus, Words};

/// All that a store was given.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) memories: Vec<Memory>,
    pub(super) sessions: BTreeMap<SessionId, Session>,
    pub(super) turns: Vec<Turn>,
    pub(super) vectors: Vec<(ModelId, Embedded)>,
}

struct Document {
    id: DocId,
    at: Timestamp,
    in_scope: bool,
    passes: bool,
    words: Words,
}

impl Shelf {
    fn documents(&self, filter: &Filter) -> Vec<Document> {
        let memories = self.memories.iter().map(|memory| Document {
            id: DocId::Memory(memory.id),
            at: memory.created_at,
            in_scope: filter.include.memories() && filter.scopes.contains(&memory.scope),
            passes: filter.matches(memory),
            words: Words::of(memory.key.as_deref(), &memory.content),
        });
        let turns = self.turns.iter().map(|turn| {
            let session = &self.sessions[&turn.session];
            Document {
                id: DocId::Turn(turn.id()),
                at: turn.at,
                in_scope: filter.include.turns() && filter.scopes.contains(&session.scope()),
                passes: filter.matches_turn(session, turn),
                words: Words::of(turn.asked.as_deref(), &turn.text),
            }
        });
        memories.chain(turns).filter(|document| document.in_scope).collect()
    }

    /// What a search by words must answer.
    pub(super) fn search_text(&self, query: &TextQuery) -> TextMatches {
        let documents = self.documents(&query.filter);
        let holding = |term: &String| {
            documents.iter().filter(|one| one.words.counts.contains_key(term)).count() as u64
        };
        let corpus = Corpus {
            documents: documents.len() as u64,
            length: documents.iter().map(|one| u64::from(one.words.length)).sum(),
            frequencies: query.terms.iter().map(holding).collect(),
        };
        let mut found: Vec<(&Document, TextMatch)> = Vec::new();
        for document in &documents {
            let counts = document.words.count(&query.terms);
            if counts.iter().any(|count| *count > 0) {
                let length = document.words.length;
                let bm25 = corpus.score(&counts, length);
                found
                    .push((document, TextMatch { doc: document.id.clone(), bm25, counts, length }));
            }
        }
        found.sort_by(|(one, a), (other, b)| {
            b.bm25.total_cmp(&a.bm25).then_with(|| (other.at, &b.doc).cmp(&(one.at, &a.doc)))
        });
        let passing = found.iter().filter(|(document, _)| document.passes);
        let matches: Vec<TextMatch> =
            passing.map(|(_, found)| found.clone()).take(query.limit).collect();
        let mut others: Vec<TextMatch> = found.into_iter().map(|(_, found)| found).collect();
        others.retain(|one| !matches.contains(one) && is_beside(&one.doc, &matches, query));
        others.sort_by(|a, b| a.doc.cmp(&b.doc));
        TextMatches { corpus, matches, others }
    }

    /// What a search by vectors must answer.
    pub(super) fn search_vectors(&self, query: &VectorQuery) -> VectorMatches {
        let mut answer = VectorMatches::default();
        let mut found = Vec::new();
        for document in self.documents(&query.filter) {
            let of_model = |(model, item): &&(ModelId, Embedded)| {
                *model == query.model && item.doc == document.id
            };
            let Some((_, known)) = self.vectors.iter().find(of_model) else {
                answer.pending += 1;
                continue;
            };
            answer.indexed += 1;
            let passages = known.passages.iter().rev();
            let best = passages.max_by(|a, b| {
                query.vector.cosine(&a.vector).total_cmp(&query.vector.cosine(&b.vector))
            });
            if let Some(best) = best.filter(|_| document.passes) {
                let cosine = query.vector.cosine(&best.vector);
                let passage = best.range.clone();
                found.push((document.at, VectorMatch { doc: document.id, passage, cosine }));
            }
        }
        found.sort_by(|(at, a), (other, b)| {
            b.cosine.total_cmp(&a.cosine).then_with(|| (other, &b.doc).cmp(&(at, &a.doc)))
        });
        found.truncate(query.limit);
        answer.matches = found.into_iter().map(|(_, found)| found).collect();
        answer
    }
}

/// Whether a document is wanted beside the matches.
fn is_beside(doc: &DocId, matches: &[TextMatch], query: &TextQuery) -> bool {
    let near = |other: &DocId| match (doc, other) {
        (DocId::Turn(one), DocId::Turn(two)) => {
            let TurnId { session, seq } = two;
            one.session == *session && one.seq.abs_diff(*seq) <= query.reach
        }
        _ => false,
    };
    query.also.contains(doc)
        || query.also.iter().any(near)
        || matches.iter().any(|found| near(&found.doc))
}
