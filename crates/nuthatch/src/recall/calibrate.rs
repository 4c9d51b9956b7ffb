//! What a cosine of a model means.
//!
//! Models differ: for one 0.8 is a stranger, for another a twin. Each is measured by how near
//! questions lie to texts that have nothing to do with them; what lies as near is no answer.

use crate::embedder::{Embedder, Purpose};
use crate::error::Result;

/// Questions and texts of everyday life and work; none of the texts answers a question.
const ASKED: [&str; 6] = [
    "How do I reset my password?",
    "Where did she go on holiday last summer?",
    "Which database does the project use?",
    "When is the next meeting with the client?",
    "Who recommended the book about history?",
    "How long does the training plan take?",
];
const UNRELATED: [&str; 10] = [
    "Boil the pasta for nine minutes, then toss it with olive oil and garlic.",
    "Our dog has been limping since yesterday, so we take her to the vet.",
    "def add(a, b): return a + b",
    "The museum is closed on Mondays and free on the first Sunday of the month.",
    "I have a headache and could not sleep well.",
    "Plants on a north-facing balcony need less water in winter.",
    "Thanks, that sounds great! Let me know how it goes.",
    "The kids built a treehouse in the garden.",
    "Interest rates rose again, which makes loans more expensive.",
    "He finished the marathon in under four hours despite the heat.",
];

/// How far above the usual cosine of strangers, in deviations, a text begins to be related.
const RELATED: f64 = 2.46;
/// How far above it the best text must lie for there to be an answer at all. Of questions put
/// to the wrong store most stay below it, and hardly any that have an answer.
const ANSWERED: f64 = 2.96;
/// What a query of several sentences is forgiven: most of it is not about what it seeks.
const TALKATIVE: f64 = 0.3;
/// What the whole of a query's words in one text is worth in deviations, and a unit of their
/// information.
const SHARE: f64 = 0.25;
const INFORMATION: f64 = 0.025;
/// The nearest of many lies nearer by chance: so much for every e-fold of a usual store.
const CROWD: f64 = 0.1;
const USUAL_DOCUMENTS: f64 = 1000.0;
/// What one deviation of cosine is worth beside words: see `fuse.rs`.
const WEIGHT: f64 = 0.203;

/// What a cosine of a model means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// How near strangers usually lie.
    pub strangers: f64,
    /// How much that differs from pair to pair.
    pub deviation: f64,
}

/// The model compiled into the binary, measured as below.
const BUILTIN: Calibration = Calibration { strangers: 0.7197, deviation: 0.0406 };

impl Calibration {
    /// What is known of a model without asking it.
    #[must_use]
    pub fn known(origin: &str) -> Option<Self> {
        (origin == "builtin").then_some(BUILTIN)
    }

    /// Below it nothing is related by its meaning alone.
    #[must_use]
    pub fn floor(&self) -> f64 {
        (self.strangers + RELATED * self.deviation).min(0.99)
    }

    /// What a cosine is worth beside words.
    #[must_use]
    pub fn scale(&self) -> f64 {
        WEIGHT / self.deviation
    }

    /// Whether there is an answer, by the most that was seen among `documents`.
    #[must_use]
    pub fn is_answer(&self, seen: &Seen, documents: u64, talkative: bool) -> bool {
        let crowd = CROWD * ((documents as f64).max(1.0) / USUAL_DOCUMENTS).ln();
        let asked = ANSWERED + crowd - if talkative { TALKATIVE } else { 0.0 };
        let words = SHARE * seen.share + INFORMATION * seen.information;
        // However crowded the store, a twin is an answer.
        let near = (self.strangers + (asked - words) * self.deviation).min(0.99);
        seen.cosine >= near
    }

    /// Measures a model.
    pub async fn measure(embedder: &dyn Embedder) -> Result<Self> {
        let asked = embedder.embed(Purpose::Query, &ASKED).await?;
        let unrelated = embedder.embed(Purpose::Passage, &UNRELATED).await?;
        let pairs = asked.iter().flat_map(|one| unrelated.iter().map(|other| one.cosine(other)));
        Ok(Calibration::of(&pairs.collect::<Vec<f64>>()))
    }

    fn of(strangers: &[f64]) -> Self {
        let count = (strangers.len() as f64).max(1.0);
        let mean = strangers.iter().sum::<f64>() / count;
        let variance = strangers.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / count;
        // A model to which everything is the same has no spread, and nothing to tell.
        Calibration { strangers: mean, deviation: variance.sqrt().max(1e-3) }
    }
}

/// The most that was seen of each kind of evidence, in whatever text.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// How near the nearest lies.
    pub cosine: f64,
    /// How much of what the query asks for by words one text holds, from 0 to 1.
    pub share: f64,
    /// The information of the words in common.
    pub information: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_lies_above_strangers_and_the_scale_follows_their_spread() {
        let narrow = Calibration::of(&[0.68, 0.70, 0.72]);
        let wide = Calibration::of(&[0.0, 0.1, 0.2]);
        assert!(narrow.floor() > 0.72 && narrow.floor() < 0.8);
        assert!(wide.floor() > 0.2 && wide.floor() < 0.5);
        assert!(narrow.scale() > 4.0 * wide.scale());
        let (same, none) = (Calibration::of(&[1.0, 1.0]), Calibration::of(&[]));
        assert!(same.floor() < 1.0 && none.scale().is_finite());
    }

    #[test]
    fn words_make_up_for_nearness_and_a_crowd_asks_for_more() {
        let seen = |cosine, share| Seen { cosine, share, information: 8.0 * share };
        let asked = |seen: &Seen, documents| BUILTIN.is_answer(seen, documents, false);
        assert!(!asked(&seen(0.835, 0.0), 1000) && asked(&seen(0.835, 0.8), 1000));
        assert!(asked(&seen(0.835, 0.0), 20) && !asked(&seen(0.845, 0.0), 100_000));
        assert!(asked(&seen(0.999, 0.0), u64::MAX) && !asked(&seen(0.7, 1.0), 1));
        assert!(BUILTIN.is_answer(&seen(0.835, 0.0), 1000, true));
    }
}
