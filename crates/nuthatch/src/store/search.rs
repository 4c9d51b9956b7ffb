//! What is asked of a search, and the raw evidence it answers with.
//!
//! Stores count and measure; the library makes scores and ranks of it, so that one ranking
//! holds over every backend.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::id::{ContentHash, DocId, ModelId, TurnId};
use crate::session::{Role, Session};
use crate::text::Corpus;
use crate::vector::Vector;

/// Words to look for. Terms come out of [`crate::text::query_terms`]: a store compares them
/// and never interprets them.
#[derive(Clone, Debug, PartialEq)]
pub struct TextQuery {
    /// Any of these, each once.
    pub terms: Vec<String>,
    /// Only what passes. Its scopes and what it includes are also what rarity is counted in;
    /// its other conditions are not, so that a term says as much in March as in April.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
    /// Documents whose words are wanted whether or not they are among the best.
    pub also: Vec<DocId>,
    /// The words of turns up to so many places before and after each match, and each of
    /// `also`, are wanted too.
    pub reach: u64,
    /// What rarity is counted in, where it is known better than this store can: several
    /// stores searched as one must agree on it.
    pub corpus: Option<Corpus>,
}

impl TextQuery {
    /// The best matches and nothing else.
    #[must_use]
    pub fn new(terms: Vec<String>, filter: Filter, limit: usize) -> Self {
        TextQuery { terms, filter, limit, also: Vec::new(), reach: 0, corpus: None }
    }

    /// The documents whose words are wanted beside these matches; some may not exist.
    #[must_use]
    pub fn beside(&self, matches: &[TextMatch]) -> BTreeSet<DocId> {
        let mut wanted: BTreeSet<DocId> = self.also.iter().cloned().collect();
        let named = matches.iter().map(|found| &found.doc).chain(&self.also);
        for TurnId { session, seq } in named.filter_map(DocId::turn) {
            for seq in seq.saturating_sub(self.reach)..=seq.saturating_add(self.reach) {
                wanted.insert(DocId::Turn(TurnId { session: session.clone(), seq }));
            }
        }
        wanted
    }
}

/// Raw evidence of a text search; the library makes scores of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextMatches {
    /// What was looked through: the documents of the scopes asked for.
    pub corpus: Corpus,
    /// The matches, best first.
    pub matches: Vec<TextMatch>,
    /// What was wanted beside them and holds at least one term, by document. What is in
    /// neither list holds none.
    pub others: Vec<TextMatch>,
}

/// One document that contains a term.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMatch {
    /// Which.
    pub doc: DocId,
    /// Its BM25 score, as [`Corpus::score`] has it.
    pub bm25: f64,
    /// How often each term of the query occurs in it.
    pub counts: Vec<u32>,
    /// How many terms it has in all.
    pub length: u32,
}

/// A direction to look in.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorQuery {
    /// Whose vectors: another model's are never looked at.
    pub model: ModelId,
    /// Near what.
    pub vector: Vector,
    /// Only what passes.
    pub filter: Filter,
    /// At most so many documents.
    pub limit: usize,
}

/// What a vector search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorMatches {
    /// How many documents of the scopes asked for have vectors of the model.
    pub indexed: u64,
    /// How many of them still wait for theirs.
    pub pending: u64,
    /// The nearest, best first.
    pub matches: Vec<VectorMatch>,
}

/// One document that lies near.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorMatch {
    /// Which.
    pub doc: DocId,
    /// Its nearest passage: bytes of its text.
    pub passage: Range<usize>,
    /// How near: the cosine.
    pub cosine: f64,
}

/// A document that waits to be embedded.
#[derive(Clone, Debug, PartialEq)]
pub struct Unembedded {
    /// Which.
    pub doc: DocId,
    /// What it is called, where it has a key.
    pub key: Option<String>,
    /// What it says.
    pub text: String,
    /// What it says and is called, in short.
    pub hash: ContentHash,
}

/// The vectors of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Which.
    pub doc: DocId,
    /// What it said when it was read.
    pub hash: ContentHash,
    /// One vector for each passage; none at all if there is nothing in it to embed.
    pub passages: Vec<EmbeddedPassage>,
}

/// The vector of one passage.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedPassage {
    /// Bytes of the document's text.
    pub range: Range<usize>,
    /// Where it lies.
    pub vector: Vector,
}

/// Turns and what stands around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    /// By conversation and place, each once.
    pub turns: Vec<TurnFacts>,
    /// Their conversations, by id.
    pub sessions: Vec<SessionFacts>,
}

/// What is known of a turn without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFacts {
    /// Which.
    pub id: TurnId,
    /// When it was said.
    pub at: Timestamp,
    /// Who said it.
    pub role: Role,
    /// How many characters it has.
    pub chars: u64,
}

/// What is known of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The conversation.
    pub session: Session,
    /// How many turns it has.
    pub turns: u64,
}
