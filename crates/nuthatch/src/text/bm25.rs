//! How much of a query's information a text holds, by its words alone.
//!
//! Computed here, out of whole numbers that every store counts alike, so that the same texts
//! have the same scores everywhere. Each term weighs by how rare it is among the documents
//! looked through; repetition counts less and less, and length is made up for.

/// How soon repetition stops counting.
const K1: f64 = 1.2;
/// How much length counts.
const B: f64 = 0.75;

/// A store smaller than this says little about how rare a word is; it counts as this large.
const LEAST_DOCUMENTS: u64 = 300;

fn saturation(count: u32, relative: f64) -> f64 {
    let count = f64::from(count);
    count / (count + K1 * (1.0 - B + B * relative))
}

/// What was looked through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corpus {
    /// How many documents.
    pub documents: u64,
    /// How many terms they have together.
    pub length: u64,
    /// For each term of the query, in how many documents it occurs.
    pub frequencies: Vec<u64>,
}

impl Corpus {
    /// How much a term says that occurs in `frequency` documents: the rarer, the more.
    #[must_use]
    pub fn rarity(&self, frequency: u64) -> f64 {
        let (n, df) = (self.documents as f64, frequency as f64);
        (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
    }

    /// [`rarity`](Corpus::rarity) of each term of the query.
    #[must_use]
    pub fn rarities(&self) -> Vec<f64> {
        self.frequencies.iter().map(|frequency| self.rarity(*frequency)).collect()
    }

    /// The length that weighs neither for nor against a document.
    #[must_use]
    pub fn average_length(&self) -> f64 {
        self.length as f64 / (self.documents as f64).max(1.0)
    }

    /// How much `count` occurrences in a document of `length` terms count: from 0 to 1, to be
    /// multiplied with the term's rarity.
    #[must_use]
    pub fn saturation(&self, count: u32, length: u32) -> f64 {
        saturation(count, self.relative_length(length))
    }

    fn relative_length(&self, length: u32) -> f64 {
        f64::from(length) / self.average_length().max(f64::MIN_POSITIVE)
    }

    /// The score of a document: the sum over the query's terms, in their order.
    #[must_use]
    pub fn score(&self, counts: &[u32], length: u32) -> f64 {
        self.score_relative(counts, self.relative_length(length))
    }

    /// The same for something `relative` times as long as usual.
    #[must_use]
    pub fn score_relative(&self, counts: &[u32], relative: f64) -> f64 {
        let mut score = 0.0;
        for (count, frequency) in counts.iter().zip(&self.frequencies) {
            if *count > 0 {
                score += self.rarity(*frequency) * saturation(*count, relative);
            }
        }
        score
    }

    /// As if there were at least so many documents that rarity means something: in a store of
    /// three every word is rare.
    #[must_use]
    pub fn grown(&self) -> Corpus {
        let documents = self.documents.max(LEAST_DOCUMENTS);
        Corpus {
            documents,
            // The same average length.
            length: self.length * documents / self.documents.max(1),
            frequencies: self.frequencies.clone(),
        }
    }

    /// Takes in what was counted elsewhere for the same query.
    pub fn add(&mut self, other: &Corpus) {
        self.documents += other.documents;
        self.length += other.length;
        self.frequencies.resize(self.frequencies.len().max(other.frequencies.len()), 0);
        for (sum, more) in self.frequencies.iter_mut().zip(&other.frequencies) {
            *sum += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        Corpus { documents: 1000, length: 10_000, frequencies: vec![900, 10, 0] }
    }

    #[test]
    fn rare_terms_say_more_and_unknown_ones_most() {
        let rarities = corpus().rarities();
        assert!(0.0 < rarities[0] && rarities[0] < rarities[1] && rarities[1] < rarities[2]);
    }

    #[test]
    fn repetition_counts_less_and_less_and_short_texts_count_more() {
        let corpus = corpus();
        let score = |counts: &[u32], length| corpus.score(counts, length);
        let (once, twice, often) =
            (score(&[0, 1, 0], 10), score(&[0, 2, 0], 10), score(&[0, 50, 0], 10));
        assert!(once < twice && twice < often && often < 2.2 * once);
        assert!(score(&[0, 1, 0], 5) > once && once > score(&[0, 1, 0], 20));
        assert_eq!(score(&[0, 0, 0], 10), 0.0);
        // tf / (tf + k1) at the average length, by hand.
        assert!((once - corpus.rarity(10) / 2.2).abs() < 1e-12);
    }

    #[test]
    fn an_empty_corpus_is_no_division_by_nothing() {
        let empty = Corpus { frequencies: vec![0], ..Corpus::default() };
        assert!(empty.score(&[1], 1).is_finite() && empty.score(&[0], 0) == 0.0);
    }
}
