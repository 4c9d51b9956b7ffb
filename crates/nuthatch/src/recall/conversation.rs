//! A conversation judged as a whole: by every word said in it, and by its best turns.
//!
//! The lanes find turns. What a conversation is about is spread over all of them, so the
//! words of the most promising ones are counted again from beginning to end, as if each were
//! one document.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::candidate::Candidate;
use super::request::RecallRequest;
use crate::error::Result;
use crate::filter::Filter;
use crate::id::{DocId, SessionId, TurnId};
use crate::store::{Store, TextQuery, TurnFacts};
use crate::text::Corpus;

/// Conversations that are read as a whole, at least, and for each hit wanted.
const WHOLES: usize = 100;
const WHOLES_EACH: usize = 2;
/// Rarity among fewer conversations than these would say nothing.
const LEAST_WHOLES: u64 = 10;
/// Turns before and after the best one that belong to the whole: a book, not a library.
const REACH: u64 = 500;

/// What was said in a conversation, as far as the query is concerned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    /// How often each term of the query occurs.
    pub counts: Vec<u32>,
    /// How long it is.
    pub chars: u64,
}

/// The most promising conversations, whole.
#[derive(Clone, Debug, Default)]
pub struct Wholes {
    of: BTreeMap<SessionId, Whole>,
    /// These conversations as documents: a word that all of them hold tells none apart.
    corpus: Corpus,
    average_chars: f64,
}

impl Wholes {
    /// Reads the conversations of the best candidates; `best` come first.
    pub async fn read(
        store: &dyn Store,
        request: &RecallRequest,
        terms: &[String],
        best: &[&Candidate],
    ) -> Result<Wholes> {
        let most = WHOLES.max(request.limit * WHOLES_EACH);
        let mut seen = BTreeSet::new();
        let turns = best.iter().filter_map(|one| one.doc.turn());
        let first = turns.filter(|turn| seen.insert(&turn.session)).take(most).cloned();
        let first: Vec<TurnId> = first.collect();
        if first.is_empty() || terms.is_empty() {
            return Ok(Wholes::default());
        }
        let said = store.around(&first, REACH).await?.turns;
        let said: Vec<TurnFacts> =
            said.into_iter().filter(|turn| is_meant(&request.filter, turn)).collect();
        let also = said.iter().map(|turn| DocId::Turn(turn.id.clone())).collect();
        let query = TextQuery { also, ..TextQuery::new(terms.to_vec(), request.filter.clone(), 0) };
        let found = store.search_text(&query).await?;
        let counts = found.matches.into_iter().chain(found.others);
        let counts = counts.filter_map(|one| Some((one.doc.turn()?.clone(), one.counts)));
        Ok(Wholes::of(&said, &counts.collect(), terms.len()))
    }

    fn of(said: &[TurnFacts], counts: &HashMap<TurnId, Vec<u32>>, terms: usize) -> Wholes {
        let mut of: BTreeMap<SessionId, Whole> = BTreeMap::new();
        for turn in said {
            let whole = of.entry(turn.id.session.clone()).or_default();
            whole.chars += turn.chars;
            whole.counts.resize(terms, 0);
            let counts = counts.get(&turn.id).into_iter().flatten();
            for (sum, count) in whole.counts.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
        }
        let holding =
            |term: usize| of.values().filter(|whole| whole.counts[term] > 0).count() as u64;
        let corpus = Corpus {
            documents: (of.len() as u64).max(LEAST_WHOLES),
            length: of.values().map(|whole| whole.chars).sum(),
            frequencies: (0..terms).map(holding).collect(),
        };
        let average_chars = corpus.length as f64 / (of.len() as f64).max(1.0);
        Wholes { of, corpus, average_chars }
    }

    /// How much of the query's information a conversation holds; nothing where it was not
    /// among the most promising.
    #[must_use]
    pub fn information(&self, session: &SessionId) -> f64 {
        let Some(whole) = self.of.get(session) else { return 0.0 };
        let relative = whole.chars as f64 / self.average_chars.max(1.0);
        self.corpus.score_relative(&whole.counts, relative)
    }
}

/// Whether a turn of a conversation that was found may be looked at, too.
fn is_meant(filter: &Filter, turn: &TurnFacts) -> bool {
    filter.since.is_none_or(|since| turn.at >= since)
        && filter.until.is_none_or(|until| turn.at <= until)
        && filter.min_trust.is_none_or(|trust| turn.role.trust() >= trust)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Role;

    fn said(session: &str, seq: u64, chars: u64) -> TurnFacts {
        let session = SessionId::new(session).unwrap();
        let at = "2026-03-10T12:00:00Z".parse().unwrap();
        TurnFacts { id: TurnId { session, seq }, at, role: Role::User, chars }
    }

    #[test]
    fn words_are_counted_over_the_whole_conversation() {
        let said = [said("a", 1, 50), said("a", 2, 50), said("b", 1, 100), said("c", 1, 100)];
        let counts = HashMap::from([
            (said[0].id.clone(), vec![1, 0]),
            (said[1].id.clone(), vec![0, 1]),
            (said[2].id.clone(), vec![1, 0]),
        ]);
        let wholes = Wholes::of(&said, &counts, 2);
        let of = |name: &str| wholes.information(&SessionId::new(name).unwrap());
        assert!(of("a") > of("b") && of("b") > 0.0, "both words, though in two turns");
        assert_eq!((of("c"), of("unknown")), (0.0, 0.0));
    }

    #[test]
    fn a_long_conversation_holds_a_word_by_chance() {
        let said = [said("a", 1, 50), said("b", 1, 5000)];
        let counts = said.iter().map(|turn| (turn.id.clone(), vec![1])).collect();
        let wholes = Wholes::of(&said, &counts, 1);
        let of = |name: &str| wholes.information(&SessionId::new(name).unwrap());
        assert!(of("a") > of("b"));
        assert_eq!(Wholes::of(&[], &HashMap::new(), 1).information(&said[0].id.session), 0.0);
    }

    #[test]
    fn what_the_filter_hides_is_not_counted() {
        let mut filter = Filter::scoped(crate::filter::Scopes::All);
        let turn = said("a", 1, 5);
        assert!(is_meant(&filter, &turn));
        filter.until = Some("2026-03-09T12:00:00Z".parse().unwrap());
        assert!(!is_meant(&filter, &turn));
    }
}
