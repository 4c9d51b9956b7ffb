//! Orders in plain language: which concepts, near each other, make one.
//!
//! The rules themselves are in `rules`. A negation just before a match turns an order into a
//! prohibition, which is welcome.

use super::Feature;
use super::concept::*;
use super::rules::{RULES, Rule};
use super::words::{Sentence, Word};
use crate::guard::finding::Category::{
    DestructiveCommand, Exfiltration, Injection, InstructionFile,
};

/// Words before a match in which a negation turns an order into a prohibition.
const NEGATION_REACH: usize = 3;
/// What is left of the weight of something forbidden: "never send credentials by mail".
const FORBIDDEN: f64 = 0.15;

/// Somebody is told what to do.
const MOOD: Concepts = UNIVERSAL | STANDING | WHEN | YOU | AMBIENT | OBEY;
/// Something that a memory has seldom to do with.
const ASSET: Concepts = SECRET
    | SECRET_FILE
    | SAFETY
    | POWER
    | GUARD_FLAG
    | INSTRUCTION_FILE
    | TOOLING
    | CONVERSATION
    | SYSTEM_PROMPT
    | SELF
    | CONFIRM;
/// Something that is done to it.
const DEED: Concepts = SEND
    | INCLUDE
    | DISABLE
    | STORE
    | REVEAL
    | EDIT
    | RISKY
    | RUN
    | APPROVED
    | WITHOUT
    | OVERRIDE
    | COPY
    | TRUSTED;
/// A mood, an asset and a deed in one sentence tip the balance, but never by themselves.
const LEANING: f64 = 0.2;
/// Sentences of a text that is mostly its order. In a longer one, something of everything is
/// found by chance.
const SHORT_TEXT: usize = 3;

/// A sentence of a short text in which everything for an order is there, in whatever
/// arrangement.
pub(super) fn leaning(sentence: &Sentence, sentences: usize) -> Option<Feature> {
    if sentences > SHORT_TEXT {
        return None;
    }
    let has = |concepts: Concepts| sentence.concepts & concepts != 0;
    let (first, last) = (sentence.words.first()?, sentence.words.last()?);
    (has(MOOD) && has(ASSET) && has(DEED) && !has(NEG)).then_some(Feature {
        rule: "leaning",
        category: Injection,
        weight: LEANING,
        start: first.start,
        end: last.end,
    })
}

/// The rules that one sentence matches.
pub(super) fn features(sentence: &Sentence) -> Vec<Feature> {
    let mut found = Vec::new();
    for rule in RULES {
        if rule.parts.iter().any(|part| sentence.concepts & part == 0) {
            continue;
        }
        let Some((first, last)) = matched(rule, sentence) else { continue };
        let factor = forbidden(rule, sentence, first);
        found.push(Feature {
            rule: rule.name,
            category: rule.category,
            weight: rule.weight * factor,
            start: sentence.words[first].start,
            end: sentence.words[last].end,
        });
    }
    found
}

/// The first and last word of the first place where the parts follow each other.
fn matched(rule: &Rule, sentence: &Sentence) -> Option<(usize, usize)> {
    let words = &sentence.words;
    if sentence.unspaced {
        return together(rule, words);
    }
    let starts = words.iter().enumerate().filter(|(_, word)| word.concepts & rule.parts[0] != 0);
    starts.into_iter().find_map(|(first, _)| {
        let end = (first + rule.span).min(words.len());
        let mut last = first;
        for part in &rule.parts[1..] {
            last = (last + 1..end).find(|at| words[*at].concepts & part != 0)?;
        }
        Some((first, last))
    })
}

/// Where the order of words is another one, nearness has to do. A character is a word
/// there, so spans are counted wider.
fn together(rule: &Rule, words: &[Word]) -> Option<(usize, usize)> {
    let of = |part: Concepts| words.iter().position(move |word| word.concepts & part != 0);
    let places: Vec<usize> = rule.parts.iter().map(|part| of(*part)).collect::<Option<_>>()?;
    let (first, last) = (*places.iter().min()?, *places.iter().max()?);
    let apart = rule.parts.len() == 1 || last > first;
    (apart && last - first <= rule.span * 3).then_some((first, last))
}

/// An order not to do harm is not harmful.
fn forbidden(rule: &Rule, sentence: &Sentence, first: usize) -> f64 {
    let forbids = matches!(rule.category, Exfiltration | DestructiveCommand | InstructionFile)
        || matches!(rule.name, "waived-consent" | "obey-blindly");
    let own = rule.parts[0] & NEG != 0;
    let from = first.saturating_sub(NEGATION_REACH);
    let negated = sentence.words[from..first].iter().any(|word| word.concepts & NEG != 0);
    if forbids && !own && negated { FORBIDDEN } else { 1.0 }
}
