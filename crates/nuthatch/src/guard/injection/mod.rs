//! Whether a text tries to give orders to the agent that will read it.
//!
//! Disguises are undone, then orders in prose and telling forms are weighed. The outcome is
//! a score with reasons, not a verdict on the writer: ordinary memories are imperative, too.
//! Last line of defence, never the only one: see trust and delimiting.

mod chunk;
mod concept;
mod disguise;
mod encodings;
mod frames;
mod lexicon;
mod plain;
mod prose;
mod quoting;
mod rules;
mod shapes;
mod words;

use std::collections::HashSet;

use self::plain::Plain;
use super::finding::{Category, Finding};

/// The score from which a text is kept apart until a person has seen it.
///
/// One clear order reaches it; half an order (a standing "from now on", a request to skip a
/// confirmation) does so only together with another in the same passage.
pub const QUARANTINE: f64 = 0.5;

/// Sentences that are weighed together: an order and its excuse stand side by side, while
/// half an order on each page of a book is no order.
const PASSAGE: usize = 4;

/// What was found in a text, and how much it weighs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assessment {
    /// From 0 (nothing) to 1; suspicious from [`QUARANTINE`] on.
    pub score: f64,
    /// Why, in the order of the text; spans are of the text as given.
    pub findings: Vec<Finding>,
}

impl Assessment {
    /// Whether the text should be quarantined.
    #[must_use]
    pub fn is_suspicious(&self) -> bool {
        self.score >= QUARANTINE
    }
}

/// One sign, with its place in the text it was found in.
#[derive(Clone)]
struct Feature {
    rule: &'static str,
    category: Category,
    weight: f64,
    start: usize,
    end: usize,
}

/// Weighs a text. Deterministic; linear in its length.
#[must_use]
pub fn score(text: &str) -> Assessment {
    let mut passages = passages(&Plain::of(text));
    passages.extend(disguise::passages(text));
    let mut assessment = Assessment::default();
    let mut seen = HashSet::new();
    for passage in &passages {
        assessment.score = assessment.score.max(weigh(passage));
    }
    for feature in passages.into_iter().flatten() {
        let key = (feature.rule, feature.start, feature.end);
        if feature.weight < NEGLIGIBLE || !seen.insert(key) {
            continue;
        }
        let Feature { rule, category, start, end, .. } = feature;
        assessment.findings.push(Finding { category, rule: rule.into(), start, end });
    }
    assessment.findings.sort_by_key(|finding| (finding.start, finding.end));
    assessment
}

/// Lighter signs are how people speak, and would only clutter an explanation.
const NEGLIGIBLE: f64 = 0.2;

/// The signs of a plain text, passage by passage, with spans of the original.
fn passages(plain: &Plain) -> Vec<Vec<Feature>> {
    let sentences = words::sentences(&plain.text);
    let mut shapes = shapes::features(&plain.text);
    shapes.extend(disguise::lookalikes(plain));
    let mut by_sentence: Vec<Vec<Feature>> =
        sentences.iter().map(|sentence| prose::features(sentence, sentences.len())).collect();
    // Before forms are added: a forged role is one in the past tense, too.
    for (sentence, features) in sentences.iter().zip(&mut by_sentence) {
        quoting::told(sentence, features);
    }
    if by_sentence.is_empty() {
        by_sentence.push(Vec::new());
    }
    for shape in shapes {
        let after = sentences.partition_point(|s| s.words[0].start <= shape.start);
        by_sentence[after.saturating_sub(1)].push(shape);
    }
    for (sentence, features) in sentences.iter().zip(&mut by_sentence) {
        quoting::discount(&plain.text, sentence, features);
    }
    for feature in by_sentence.iter_mut().flatten() {
        (feature.start, feature.end) = plain.origin(feature.start, feature.end);
    }
    let width = PASSAGE.min(by_sentence.len());
    by_sentence.windows(width).map(<[_]>::concat).collect()
}

/// Independent signs add up like independent witnesses; one rule bears witness once.
fn weigh(features: &[Feature]) -> f64 {
    let mut heaviest: Vec<(&str, f64)> = Vec::new();
    for feature in features {
        match heaviest.iter_mut().find(|(rule, _)| *rule == feature.rule) {
            Some((_, weight)) => *weight = weight.max(feature.weight),
            None => heaviest.push((feature.rule, feature.weight)),
        }
    }
    1.0 - heaviest.iter().fold(1.0, |doubt, (_, weight)| doubt * (1.0 - weight))
}

#[cfg(test)]
mod tests;
