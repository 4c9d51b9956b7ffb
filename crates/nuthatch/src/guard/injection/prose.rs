//! Orders in plain language: which concepts, near each other, make one.
//!
//! The rules themselves are in `rules`. A negation just before a match turns an order into a
//! prohibition, which is welcome.

use super::Feature;
use super::concept::*;
use super::frames::FRAMES;
use super::rules::{Order, RULES, Rule};
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
const ASSET: Concepts =
    SECRET | SECRET_FILE | SAFETY | POWER | TOOLING | CONVERSATION | SYSTEM_PROMPT | SELF;
/// What must not get out.
const PRIVATE: Concepts = SECRET | SECRET_FILE | CONVERSATION;
/// How it gets out.
const HANDLING: Concepts = TRANSMIT | EMBED | STORE;
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
/// Sentences of a text in which a rule comes about by chance, and needs a second witness.
const LONG_TEXT: usize = 8;
/// Frames lighter than this are how people speak; a long text has all of them somewhere.
const HALF: f64 = 0.4;
/// What is left there of the weight of a rule, and of a frame, which asks for less.
const CROWDED: (f64, f64) = (0.88, 0.72);
/// A text of a few sentences is its order, or it is none.
const BRIEF: f64 = 1.12;

/// A sentence of a short text in which everything for an order is there, in whatever
/// arrangement.
fn leaning(sentence: &Sentence, sentences: usize) -> Option<Feature> {
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

/// The rules and frames that one sentence matches, in a text of so many.
pub(super) fn features(sentence: &Sentence, sentences: usize) -> Vec<Feature> {
    let mut found: Vec<Feature> = leaning(sentence, sentences).into_iter().collect();
    for rule in RULES.iter().chain(FRAMES) {
        if rule.parts.iter().any(|part| sentence.concepts & part == 0) {
            continue;
        }
        let Some(place) = matched(rule, sentence) else { continue };
        let factor = forbidden(rule, sentence, place.deed) * crowded(rule, sentences);
        found.push(Feature {
            rule: rule.name,
            category: rule.category,
            weight: rule.weight * factor,
            start: sentence.words[place.first].start,
            end: sentence.words[place.last].end,
        });
    }
    found
}

fn crowded(rule: &Rule, sentences: usize) -> f64 {
    match rule.order {
        _ if sentences <= SHORT_TEXT => BRIEF,
        _ if sentences <= LONG_TEXT => 1.0,
        Order::Listed => CROWDED.0,
        Order::Any if rule.weight < HALF => 0.0,
        Order::Any => CROWDED.1,
    }
}

/// Where a rule matched, as places among the words of a sentence.
struct Place {
    first: usize,
    last: usize,
    deed: usize,
}

/// The first place where the parts of a rule stand together.
fn matched(rule: &Rule, sentence: &Sentence) -> Option<Place> {
    let words = &sentence.words;
    if sentence.unspaced {
        return together(rule, words);
    }
    let starts = words.iter().enumerate().filter(|(_, word)| word.concepts & rule.parts[0] != 0);
    starts.into_iter().find_map(|(deed, _)| match rule.order {
        Order::Listed => following(rule, words, deed),
        Order::Any => around(rule, words, deed),
    })
}

/// The parts after the first, one behind the other.
fn following(rule: &Rule, words: &[Word], deed: usize) -> Option<Place> {
    let end = (deed + rule.span).min(words.len());
    let mut last = deed;
    for part in &rule.parts[1..] {
        last = (last + 1..end).find(|at| words[*at].concepts & part != 0)?;
    }
    Some(Place { first: deed, last, deed })
}

/// How many words before a part a negation spares it: "never be committed".
const SPARED_REACH: usize = 2;

/// The parts on either side of the deed, each a word of its own, nearest first. What is
/// sent "without personal data" is not what is sought.
fn around(rule: &Rule, words: &[Word], deed: usize) -> Option<Place> {
    let mut taken = [deed; 6];
    let (mut first, mut last) = (deed, deed);
    for (index, part) in rule.parts.iter().enumerate().skip(1) {
        let fits = |at: usize| {
            words.get(at).is_some_and(|word| word.concepts & part != 0)
                && !taken[..index].contains(&at)
        };
        let nearest = (1..rule.span).find_map(|away| {
            let before = deed.checked_sub(away).filter(|at| fits(*at));
            before.or_else(|| Some(deed + away).filter(|at| fits(*at)))
        })?;
        let spared = (nearest.saturating_sub(SPARED_REACH)..nearest)
            .any(|at| words[at].concepts & (NEG | WITHOUT) != 0 && !taken[..index].contains(&at));
        if part & (PRIVATE | HANDLING) != 0 && spared {
            return None;
        }
        taken[index] = nearest;
        (first, last) = (first.min(nearest), last.max(nearest));
    }
    (last - first < rule.span).then_some(Place { first, last, deed })
}

/// Where the order of words is another one, nearness has to do. A character is a word
/// there, so spans are counted wider.
fn together(rule: &Rule, words: &[Word]) -> Option<Place> {
    let of = |part: Concepts| words.iter().position(move |word| word.concepts & part != 0);
    let places: Vec<usize> = rule.parts.iter().map(|part| of(*part)).collect::<Option<_>>()?;
    let (first, last) = (*places.iter().min()?, *places.iter().max()?);
    let apart = rule.parts.len() == 1 || last > first;
    (apart && last - first <= rule.span * 3).then_some(Place { first, last, deed: first })
}

/// An order not to do harm is not harmful.
fn forbidden(rule: &Rule, sentence: &Sentence, deed: usize) -> f64 {
    let forbids = matches!(rule.category, Exfiltration | DestructiveCommand | InstructionFile)
        || rule.order == Order::Any
        || matches!(rule.name, "waived-consent" | "obey-blindly");
    let own = rule.parts[0] & NEG != 0;
    let from = deed.saturating_sub(NEGATION_REACH);
    let negated = sentence.words[from..deed].iter().any(|word| word.concepts & NEG != 0);
    if forbids && !own && negated { FORBIDDEN } else { 1.0 }
}
