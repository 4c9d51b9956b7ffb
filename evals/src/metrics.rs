//! Retrieval metrics of one ranked list, and their mean over queries.
//!
//! Relevance is binary; a list may be shorter than k and is never padded. The figures are
//! those of `evals/recompute.py`, which shares no code with this.

use std::collections::BTreeSet;

/// How far down the first relevant id is looked for.
pub(crate) const DEPTH: usize = 100;
/// Ranks that count for NDCG.
const NDCG_DEPTH: usize = 10;

/// The columns of every table, in order.
pub(crate) const NAMES: [&str; 8] =
    ["R@1", "R@5", "R@10", "Hit@5", "Hit@10", "All@5", "NDCG@10", "MRR"];

/// One figure for each of [`NAMES`], between 0 and 1.
pub(crate) type Figures = [f64; 8];

/// The figures of one list. `relevant` must not be empty.
pub(crate) fn figures(ranked: &[String], relevant: &BTreeSet<String>) -> Figures {
    let found = |k: usize| {
        ranked
            .iter()
            .take(k)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|id| relevant.contains(*id))
            .count()
    };
    let all = relevant.len();
    let share = |k| found(k) as f64 / all as f64;
    let flag = |holds: bool| f64::from(u8::from(holds));
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let gained: f64 = ranks(ranked, relevant).filter(|rank| *rank < NDCG_DEPTH).map(gain).sum();
    let ideal: f64 = (0..all.min(NDCG_DEPTH)).map(gain).sum();
    let first = ranks(ranked, relevant).find(|rank| *rank < DEPTH);
    [
        share(1),
        share(5),
        share(10),
        flag(found(5) > 0),
        flag(found(10) > 0),
        flag(found(5) == all),
        gained / ideal,
        first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
    ]
}

/// The ranks, from 0, that hold something relevant.
fn ranks(ranked: &[String], relevant: &BTreeSet<String>) -> impl Iterator<Item = usize> {
    ranked.iter().enumerate().filter(|(_, id)| relevant.contains(*id)).map(|(rank, _)| rank)
}

/// The mean of each figure, times 100.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mean {
    sums: Figures,
    /// Over how many lists.
    pub(crate) n: usize,
}

impl Mean {
    /// Counts one list.
    pub(crate) fn add(&mut self, figures: &Figures) {
        self.n += 1;
        for (sum, figure) in self.sums.iter_mut().zip(figures) {
            *sum += figure;
        }
    }

    /// The means, in percent.
    pub(crate) fn percent(&self) -> Figures {
        self.sums.map(|sum| 100.0 * sum / self.n.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ids: &str) -> Vec<String> {
        ids.split_whitespace().map(str::to_owned).collect()
    }

    fn worked(ranked: &str, relevant: &str, expected: Figures) {
        let got = figures(&list(ranked), &list(relevant).into_iter().collect());
        for ((got, expected), name) in got.iter().zip(expected).zip(NAMES) {
            assert!((got - expected).abs() < 1e-9, "{name} of {ranked:?}: {got} not {expected}");
        }
    }

    #[test]
    fn the_only_relevant_one_on_top_is_perfect() {
        worked("a b c", "a", [1.0; 8]);
    }

    #[test]
    fn two_of_three_at_ranks_two_and_six() {
        // 1/log2(3) + 1/log2(7), against 1 + 1/log2(3) + 1/2 for three on top.
        let ndcg = (0.630_929_753_571_457_4 + 0.356_207_187_108_022_1)
            / (1.0 + 0.630_929_753_571_457_4 + 0.5);
        worked("x a y z w b", "a b c", [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0, 0.0, ndcg, 0.5]);
    }

    #[test]
    fn a_list_of_nothing_scores_nothing() {
        worked("", "a", [0.0; 8]);
    }

    #[test]
    fn the_ideal_has_at_most_ten_ranks() {
        let many = "a b c d e f g h i j k l";
        let top = figures(&list("a b c d e f g h i j"), &list(many).into_iter().collect());
        assert!((top[6] - 1.0).abs() < 1e-9, "ten of twelve on top is all that NDCG@10 can see");
        assert!((top[2] - 10.0 / 12.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_found_after_the_hundredth_does_not_count() {
        let mut ids: Vec<String> = (0..DEPTH).map(|n| format!("x{n}")).collect();
        ids.push("a".to_owned());
        assert_eq!(figures(&ids, &list("a").into_iter().collect()), [0.0; 8]);
    }

    #[test]
    fn a_mean_is_over_queries_and_in_percent() {
        let mut mean = Mean::default();
        mean.add(&[1.0; 8]);
        mean.add(&[0.0; 8]);
        assert_eq!((mean.n, mean.percent()), (2, [50.0; 8]));
    }
}
