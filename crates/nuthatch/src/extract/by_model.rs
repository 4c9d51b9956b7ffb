//! Extraction with a model: each window is read, each note checked.
//!
//! What the rules found is kept; a model adds to it. A note is dropped when it names turns
//! that are not in its window or says what they do not speak of, and when it holds a secret.
//! Rules for the user that no person stated, and what only tools or hosts said, are
//! quarantined: a web page must not become a preference.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use crate::category::Category;
use crate::error::{Error, Result};
use crate::guard::{Form, Verdict, examine, redact, sanitise};
use crate::model::{ChatRequest, Guarded, Message};
use crate::prompts::{Prompts, fill};
use crate::text::query_terms;
use crate::transcript::SessionHead;
use crate::trust::Trust;

use super::answer::ask;
use super::window::Who;
use super::{About, Evidence, Extracted, LEARNED_AS, Learned, Window, guarded, shortened};

/// Longest answer for one window, in tokens: a dozen notes and a synopsis.
const ANSWER_TOKENS: u32 = 2000;
/// Shortest and longest note, in characters.
const TEXT_CHARS: std::ops::RangeInclusive<usize> = 8..=600;
/// Longest synopsis of a session, in characters.
const SYNOPSIS_CHARS: usize = 800;
/// Notes of one window: whoever finds more is copying, not choosing.
const MOST_NOTES: usize = 20;

#[derive(Deserialize)]
struct Answer {
    memories: Vec<Value>,
    #[serde(default)]
    synopsis: String,
}

#[derive(Deserialize)]
struct Note {
    text: String,
    #[serde(default)]
    category: String,
    turns: Vec<u64>,
}

/// What reading these windows costs, in tokens, if every answer is as long as it may be and
/// none has to be asked for twice.
#[must_use]
pub fn estimate(prompts: &Prompts, head: &SessionHead, windows: &[Window]) -> u64 {
    let question = |window| question(prompts, head, window).estimated_tokens();
    windows.iter().map(|window| question(window) + u64::from(ANSWER_TOKENS)).sum()
}

/// Extracts with a model. `found` is what the rules made of the same session.
///
/// # Errors
/// What the model says, and `unavailable` when it answered nothing readable for any window:
/// the session is then as unread as before.
pub async fn by_model(
    model: &Guarded,
    prompts: &Prompts,
    found: Extracted,
    windows: &[Window],
) -> Result<Extracted> {
    let mut extracted = found;
    let mut synopses = Vec::new();
    let mut read = 0_usize;
    for window in windows {
        let request = question(prompts, &extracted.head, window);
        let answer: Option<Answer> = ask(model, request, &mut extracted.usage).await?;
        let Some(answer) = answer else {
            drop_one(&mut extracted, "unreadable answer");
            continue;
        };
        read += 1;
        for note in answer.memories.into_iter().take(MOST_NOTES) {
            match learned(&extracted.head, window, note) {
                Ok(learned) => add(&mut extracted.memories, learned),
                Err(reason) => drop_one(&mut extracted, reason),
            }
        }
        synopses.push(answer.synopsis);
    }
    if read == 0 && !windows.is_empty() {
        return Err(Error::unavailable("the model answered nothing that can be read")
            .with_hint("a larger model may keep to the form; without one, rules are used"));
    }
    let told = synopses.iter().map(|one| one.trim()).filter(|one| !one.is_empty());
    let told = redact(&told.collect::<Vec<&str>>().join(" ")).0;
    if !told.is_empty() && examine(&told).verdict == Verdict::Accept {
        extracted.synopsis.text = shortened(&told, SYNOPSIS_CHARS);
    }
    Ok(extracted)
}

fn question(prompts: &Prompts, head: &SessionHead, window: &Window) -> ChatRequest {
    let input = fill(
        &prompts.extract_input,
        &[("thread_id", &head.id), ("response_items_json", window.items.trim_end())],
    );
    ChatRequest {
        system: prompts.extract_system.clone(),
        messages: vec![Message::user(input)],
        tools: Vec::new(),
        max_tokens: Some(ANSWER_TOKENS),
    }
}

fn drop_one(extracted: &mut Extracted, reason: &str) {
    *extracted.dropped.entry(reason.to_owned()).or_default() += 1;
}

/// A note as a memory, or why it is none.
fn learned(head: &SessionHead, window: &Window, note: Value) -> Result<Learned, &'static str> {
    let note: Note = serde_json::from_value(note).map_err(|_| "not in the form asked for")?;
    let text = sanitise(&note.text, Form::Fact).map_err(|_| "empty")?;
    if !TEXT_CHARS.contains(&text.chars().count()) {
        return Err("too short or too long");
    }
    let turns: BTreeSet<u64> = note.turns.iter().copied().collect();
    let shown: Option<Vec<_>> = turns.iter().map(|seq| window.shown.get(seq)).collect();
    let shown = shown.filter(|shown| !shown.is_empty()).ok_or("without evidence")?;
    let quotes: Vec<&str> = shown.iter().map(|one| one.quote.as_str()).collect();
    let words: BTreeSet<String> = query_terms(&quotes.join(" ")).into_iter().collect();
    if !query_terms(&text).iter().any(|term| words.contains(term)) {
        return Err("without evidence");
    }
    let category = category(&note.category);
    let stated = shown.iter().any(|one| one.who == Who::Person);
    let vouched = shown.iter().any(|one| matches!(one.who, Who::Person | Who::Agent | Who::Call));
    let believed = if is_personal(&category) { stated } else { vouched };
    let about = if category.as_str() == "personal_fact" { About::Person } else { About::Project };
    let quote = shown.iter().find(|one| one.who == Who::Person).or(shown.first());
    let learned = Learned {
        text,
        about,
        evidence: vec![Evidence {
            session: head.id.clone(),
            seqs: turns.into_iter().collect(),
            quote: quote.map(|one| one.quote.clone()).unwrap_or_default(),
        }],
        at: head.updated_at,
        trust: if believed { Trust::Inferred } else { Trust::Quarantined },
        details: [(LEARNED_AS.to_owned(), category.as_str().to_owned())].into(),
        category,
    };
    guarded(learned).ok_or("holds a secret")
}

/// Only what is well known: a model that invents categories means `core`.
fn category(name: &str) -> Category {
    let named = Category::nearest(name);
    let known = Category::FACTS.iter().chain(&Category::FINDINGS);
    if known.into_iter().any(|known| *known == named.as_str()) {
        named
    } else {
        Category::default()
    }
}

/// Whether only the person can say so.
fn is_personal(category: &Category) -> bool {
    ["preference", "personal_fact", "restriction", "convention"].contains(&category.as_str())
}

/// Adds what is not known yet; what is known gains evidence and nothing else, so that no
/// answer changes what was found before it.
fn add(memories: &mut Vec<Learned>, learned: Learned) {
    let terms = |text: &str| query_terms(text).into_iter().collect::<BTreeSet<String>>();
    let said = terms(&learned.text);
    let alike = |known: &Learned| {
        let other = terms(&known.text);
        let shared = said.intersection(&other).count();
        let all = said.union(&other).count();
        // Half of all words in common is the same statement worded anew.
        all > 0 && shared * 2 >= all
    };
    match memories.iter_mut().find(|known| alike(known)) {
        Some(known) => {
            for one in learned.evidence {
                if !known.evidence.contains(&one) {
                    known.evidence.push(one);
                }
            }
        }
        None => memories.push(learned),
    }
}
