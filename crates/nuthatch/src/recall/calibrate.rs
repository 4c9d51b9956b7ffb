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

/// How far above the usual cosine of strangers, in deviations, an answer begins. Of questions
/// put to the wrong store most stay below it, and hardly any that have an answer.
const FLOOR_DEVIATIONS: f64 = 3.3;
/// What one deviation of cosine is worth beside words: see `fuse.rs`.
const WEIGHT: f64 = 0.177;

/// What a cosine of a model means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Below it nothing is an answer by its meaning alone.
    pub floor: f64,
    /// What a cosine is worth beside words.
    pub scale: f64,
}

/// The model compiled into the binary, measured on questions put to stores that answer them
/// and to stores that do not.
const BUILTIN: Calibration = Calibration { floor: 0.82, scale: 5.0 };

impl Calibration {
    /// What is known of a model without asking it.
    #[must_use]
    pub fn known(origin: &str) -> Option<Self> {
        (origin == "builtin").then_some(BUILTIN)
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
        let deviation = variance.sqrt().max(1e-3);
        Calibration {
            floor: (mean + FLOOR_DEVIATIONS * deviation).min(0.99),
            scale: WEIGHT / deviation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_lies_above_strangers_and_the_scale_follows_their_spread() {
        let narrow = Calibration::of(&[0.68, 0.70, 0.72]);
        let wide = Calibration::of(&[0.0, 0.1, 0.2]);
        assert!(narrow.floor > 0.72 && narrow.floor < 0.8);
        assert!(wide.floor > 0.2 && wide.floor < 0.5);
        assert!(narrow.scale > 4.0 * wide.scale);
        assert!(Calibration::of(&[1.0, 1.0]).floor < 1.0 && Calibration::of(&[]).scale.is_finite());
    }
}
