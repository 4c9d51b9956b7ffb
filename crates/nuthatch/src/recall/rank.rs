//! Evidence to scores.
//!
//! A text score is the share of the query's information that a memory holds: each term
//! weighs by how rare it is, terms nobody ever stored included. So 1 means that everything
//! asked for is there, and a query about nothing stored scores near 0 in any store.

use crate::memory::Memory;

/// How much BM25, which also sees repetition and length, may move a score.
const BM25_SHARE: f64 = 0.2;

/// The score of a memory that holds `held` of the query's terms.
pub fn text_score(terms: &[String], weights: &[f64], held: &[String], bm25: f64) -> f64 {
    let whole: f64 = weights.iter().sum();
    let part: f64 =
        terms.iter().zip(weights).filter(|(term, _)| held.contains(term)).map(|(_, w)| w).sum();
    if whole <= 0.0 {
        return 0.0;
    }
    let depth = bm25.max(0.0) / (bm25.max(0.0) + whole);
    (part / whole) * (1.0 - BM25_SHARE + BM25_SHARE * depth)
}

/// The score of a memory by age alone: halves every week.
pub fn recency_score(age_days: f64) -> f64 {
    /// A week: what happened since the last one still counts for half.
    const HALF_LIFE_DAYS: f64 = 7.0;
    0.5_f64.powf(age_days.max(0.0) / HALF_LIFE_DAYS)
}

/// What decides between equal scores: trust, then pins, then the newer, then the id, so
/// that every store gives the same order.
pub fn tie_break(memory: &Memory) -> impl Ord + use<> {
    (memory.trust, memory.pinned, memory.created_at, memory.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_share_of_the_query_that_is_there() {
        let terms = ["a".to_owned(), "b".to_owned()];
        let weights = [1.0, 3.0];
        let all = text_score(&terms, &weights, &terms, 10.0);
        let some = text_score(&terms, &weights, &terms[..1], 10.0);
        let none = text_score(&terms, &weights, &[], 0.0);
        assert!(all > some && some > none && none == 0.0 && all <= 1.0);
    }
}
