//! Scores of documents while they are being added up.
//!
//! Rows that lie close together are places in an array; where they are scattered too widely
//! for that, they are looked up.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use nuthatch::text::Corpus;

use super::blocks::decode;
use super::rows::Rows;

/// Widest range kept as an array: 64 MiB of scores, for a while.
const WIDEST: i64 = 8 << 20;
/// Counts and lengths whose weight is computed once for each term.
const COUNTS: u32 = 4;
const LENGTHS: u32 = 512;

/// Scores by row.
pub struct Scores {
    held: Held,
    rarity: f64,
    weights: Vec<f64>,
}

enum Held {
    Array { lowest: i64, scores: Vec<f64> },
    Map(HashMap<i64, f64>),
}

/// The best of them: at least as many as asked for, if there are so many.
pub struct Top {
    /// Score and row of what is better than the last of them, in no order.
    pub better: Vec<(f64, i64)>,
    /// The score of the last of them.
    pub least: f64,
    /// All rows that have it, in ascending order.
    pub ties: Vec<i64>,
    /// Whether nothing was left out.
    pub is_everything: bool,
}

impl Scores {
    /// Room for rows from the lowest to the highest.
    pub fn between(lowest: i64, highest: i64) -> Self {
        let width = highest.saturating_sub(lowest).saturating_add(1).max(0);
        let held = match usize::try_from(width) {
            Ok(places) if width <= WIDEST => Held::Array { lowest, scores: vec![0.0; places] },
            _ => Held::Map(HashMap::new()),
        };
        Scores { held, rarity: 0.0, weights: vec![f64::NAN; (COUNTS * LENGTHS) as usize] }
    }

    /// What follows is about another term.
    pub fn begin_term(&mut self, rarity: f64) {
        self.rarity = rarity;
        self.weights.fill(f64::NAN);
    }

    /// Adds a block of postings; false if it makes no sense.
    pub fn add(&mut self, corpus: &Corpus, first: i64, data: &[u8]) -> bool {
        let Scores { held, rarity, weights } = self;
        let mut weigh = |count: u32, length: u32| {
            if count == 0 || count > COUNTS || length >= LENGTHS {
                return *rarity * corpus.saturation(count, length);
            }
            let known = &mut weights[((count - 1) * LENGTHS + length) as usize];
            if known.is_nan() {
                *known = *rarity * corpus.saturation(count, length);
            }
            *known
        };
        match held {
            Held::Array { lowest, scores } => {
                let mut inside = true;
                let sound = decode(first, data, |posting| {
                    let place = usize::try_from(posting.doc.wrapping_sub(*lowest));
                    match place.ok().and_then(|place| scores.get_mut(place)) {
                        Some(score) => *score += weigh(posting.count, posting.length),
                        None => inside = false,
                    }
                });
                sound && inside
            }
            Held::Map(scores) => decode(first, data, |posting| {
                *scores.entry(posting.doc).or_default() += weigh(posting.count, posting.length);
            }),
        }
    }

    /// The score of a row.
    pub fn of(&self, row: i64) -> f64 {
        let found = match &self.held {
            Held::Array { lowest, scores } => {
                let place = row.checked_sub(*lowest).and_then(|place| usize::try_from(place).ok());
                place.and_then(|place| scores.get(place))
            }
            Held::Map(scores) => scores.get(&row),
        };
        found.copied().unwrap_or(0.0)
    }

    fn each(&self, mut see: impl FnMut(f64, i64)) {
        match &self.held {
            Held::Array { lowest, scores } => {
                for (place, score) in scores.iter().enumerate() {
                    if *score > 0.0 {
                        see(*score, lowest + place as i64);
                    }
                }
            }
            Held::Map(scores) => scores.iter().for_each(|(row, score)| see(*score, *row)),
        }
    }

    /// The best rows, among the allowed ones where some are given.
    pub fn top(&self, limit: usize, allowed: Option<&Rows>) -> Top {
        let passes = |row: i64| allowed.is_none_or(|allowed| allowed.contains(row));
        // Scores are positive, and positive floats are ordered as their bits are.
        let mut heap: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let mut seen = 0_usize;
        let mut least = 0.0;
        self.each(|score, row| {
            if (score > least || heap.len() < limit) && limit > 0 && passes(row) {
                if heap.len() == limit {
                    heap.pop();
                }
                heap.push(Reverse(score.to_bits()));
                if heap.len() == limit {
                    least = heap.peek().map_or(0.0, |Reverse(bits)| f64::from_bits(*bits));
                }
            }
            seen += 1;
        });
        let (mut better, mut ties) = (Vec::new(), Vec::new());
        self.each(|score, row| {
            if limit > 0 && score >= least && passes(row) {
                if score > least {
                    better.push((score, row));
                } else {
                    ties.push(row);
                }
            }
        });
        ties.sort_unstable();
        let is_everything = better.len() + ties.len() == seen;
        Top { better, least, ties, is_everything }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(highest: i64) -> Scores {
        let corpus = Corpus { documents: 9, length: 90, frequencies: vec![1] };
        let mut scores = Scores::between(10, highest);
        scores.begin_term(corpus.rarity(1));
        // Rows 10, 12, 13 and 20; the third of them twice as often.
        assert!(scores.add(&corpus, 10, &[0, 1, 10, 2, 1, 10, 1, 2, 10, 7, 1, 10]));
        scores
    }

    #[test]
    fn an_array_and_a_map_hold_the_same() {
        for highest in [20, i64::MAX] {
            let scores = filled(highest);
            assert!(scores.of(13) > scores.of(10) && scores.of(10) > 0.0);
            assert_eq!((scores.of(11), scores.of(9), scores.of(i64::MIN)), (0.0, 0.0, 0.0));
            let rows = |top: Top| {
                let mut rows: Vec<i64> = top.better.into_iter().map(|(_, row)| row).collect();
                rows.extend(top.ties);
                rows.sort_unstable();
                (rows, top.is_everything)
            };
            assert_eq!(rows(scores.top(1, None)), (vec![13], false));
            assert_eq!(rows(scores.top(2, None)), (vec![10, 12, 13, 20], true));
            assert_eq!(rows(scores.top(0, None)), (vec![], false));
            let mut allowed = Rows::default();
            allowed.insert(12);
            assert_eq!(rows(scores.top(5, Some(&allowed))), (vec![12], false));
        }
    }

    #[test]
    fn postings_out_of_range_are_noticed() {
        let corpus = Corpus { documents: 9, length: 90, frequencies: vec![1] };
        let mut scores = Scores::between(10, 12);
        assert!(!scores.add(&corpus, 10, &[5, 1, 10]));
    }
}
