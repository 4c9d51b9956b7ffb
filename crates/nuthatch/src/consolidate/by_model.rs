//! Consolidation with a model, which words and merges what is new, and nothing else.
//!
//! Only memories that no entry was made of yet are shown to it; where there are none, nobody
//! is asked. An entry counts only if it names what it was made of and says nothing else (see
//! `grounded`); every memory that no such entry covers gets one in its own words. So an empty,
//! broken or hostile answer loses nothing and adds nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Result;
use crate::extract::{ask, shortened};
use crate::guard::delimit;
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::model::{ChatRequest, Guarded, Message, Usage};
use crate::prompts::{Prompts, fill};
use crate::text::estimate_tokens;

use super::current::Current;
use super::entry::{self, Entry, day};
use super::grounded::is_grounded;
use super::skills::{self, Playbook, slug};
use super::{Artifacts, Consolidated, Given, by_rules, render};

/// Longest answer, in tokens: about as long as the notes it was made of.
const ANSWER_TOKENS: u32 = 4000;
/// Notes of one question, in tokens: more than one answer can cover would be left out.
const BATCH_TOKENS: usize = 3000;
/// Accounts of sessions that come with a question, and characters of each.
const SESSIONS: usize = 10;
const SESSION_CHARS: usize = 400;
/// Steps of a skill that a model may put together.
const STEPS: std::ops::RangeInclusive<usize> = 2..=20;

#[derive(Deserialize)]
struct Answer {
    entries: Vec<Value>,
    #[serde(default)]
    skills: Vec<Value>,
}

#[derive(Deserialize)]
struct Worded {
    text: String,
    sources: Vec<String>,
}

#[derive(Deserialize)]
struct Skill {
    name: String,
    description: String,
    steps: Vec<Worded>,
}

/// A question and the memories it shows, by the names they have in it.
struct Question<'a> {
    request: ChatRequest,
    notes: BTreeMap<String, &'a Memory>,
}

/// A memory with the name it has in a question, and how it is told there.
type Note<'a> = (String, &'a Memory, String);

/// What asking would cost, in tokens, if every answer is as long as it may be: nothing when
/// there is nothing new.
#[must_use]
pub fn estimate(prompts: &Prompts, present: &Artifacts, given: Given<'_>) -> u64 {
    let current = Current::of(given);
    let (_, fresh) = fresh(present, &current);
    let questions = questions(prompts, &current, &fresh);
    let cost = |one: &Question<'_>| one.request.estimated_tokens() + u64::from(ANSWER_TOKENS);
    questions.iter().map(cost).sum()
}

/// Makes the files with a model's help.
///
/// # Errors
/// What the model says: `unavailable`, or `denied` when the budget has no room. An answer that
/// cannot be used is no error; the notes say that rules were used.
pub async fn by_model(
    model: &Guarded,
    prompts: &Prompts,
    present: &Artifacts,
    given: Given<'_>,
) -> Result<Consolidated> {
    let current = Current::of(given);
    let (mut entries, fresh) = fresh(present, &current);
    if fresh.is_empty() {
        return Ok(by_rules(present, given));
    }
    let mut usage = Usage::default();
    let mut notes = Vec::new();
    let mut playbooks = skills::kept(&present.skills, &current);
    for question in questions(prompts, &current, &fresh) {
        let asked = question.notes.len();
        match ask::<Answer>(model, question.request, &mut usage).await? {
            None => notes.push(format!(
                "the model's answer could not be read; {asked} memories stand in their own words"
            )),
            Some(answer) => {
                let (worded, refused) = worded(&question.notes, answer.entries);
                entries.extend(worded);
                if refused > 0 {
                    notes.push(format!(
                        "{refused} entries of the model were not used: they do \
                         not say what their memories say"
                    ));
                }
                playbooks.extend(composed(&question.notes, answer.skills));
            }
        }
    }
    let covered: BTreeSet<MemoryId> = entries.iter().flat_map(|one| one.sources.clone()).collect();
    entries.extend(entry::plain(&current, &covered));
    let mut consolidated = render(present, &current, entries, playbooks);
    consolidated.notes.extend(notes);
    consolidated.usage = usage;
    Ok(consolidated)
}

/// The entries that stay, and the memories that none of them was made of.
fn fresh<'a>(present: &Artifacts, current: &Current<'a>) -> (Vec<Entry>, Vec<&'a Memory>) {
    let kept = entry::kept(&present.memory_md, current);
    let covered: BTreeSet<MemoryId> = kept.iter().flat_map(|one| one.sources.clone()).collect();
    let fresh = current.memories.iter().filter(|one| !covered.contains(&one.id)).copied();
    (kept, fresh.collect())
}

fn questions<'a>(
    prompts: &Prompts,
    current: &Current<'_>,
    fresh: &[&'a Memory],
) -> Vec<Question<'a>> {
    let recent = current.synopses.iter().rev().filter(|one| !one.text.is_empty()).take(SESSIONS);
    let sessions: Vec<String> = recent
        .map(|one| json!({"agent": one.agent, "about": shortened(&one.text, SESSION_CHARS)}))
        .map(|one| one.to_string())
        .collect();
    let mut batches: Vec<(usize, Vec<Note<'a>>)> = Vec::new();
    for (nth, memory) in fresh.iter().enumerate() {
        let name = format!("m{}", nth + 1);
        let note = json!({
            "id": name,
            "category": memory.category,
            "date": day(memory),
            "trust": memory.trust,
            "text": entry::line(&memory.content),
        })
        .to_string();
        let tokens = estimate_tokens(&note) + 1;
        match batches.last_mut() {
            Some((sum, batch)) if *sum + tokens <= BATCH_TOKENS => {
                *sum += tokens;
                batch.push((name, memory, note));
            }
            _ => batches.push((tokens, vec![(name, memory, note)])),
        }
    }
    let question = |(_, batch): (usize, Vec<Note<'a>>)| {
        let lines: Vec<&str> = batch.iter().map(|(.., note)| note.as_str()).collect();
        let shown = fill(
            &prompts.consolidate,
            &[
                ("raw_memories", &delimit::neutralise(&lines.join("\n"), "")),
                ("rollout_summaries", &delimit::neutralise(&sessions.join("\n"), "")),
            ],
        );
        let request = ChatRequest {
            messages: vec![Message::user(shown)],
            max_tokens: Some(ANSWER_TOKENS),
            ..ChatRequest::default()
        };
        let notes = batch.into_iter().map(|(name, memory, _)| (name, memory)).collect();
        Question { request, notes }
    };
    batches.into_iter().map(question).collect()
}

/// The entries that may be used, each memory in one of them, and how many may not.
fn worded(notes: &BTreeMap<String, &Memory>, answered: Vec<Value>) -> (Vec<Entry>, usize) {
    let all = answered.len();
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for value in answered {
        let Ok(worded) = serde_json::from_value::<Worded>(value) else { continue };
        let Some(entry) = checked(notes, &worded) else { continue };
        if entry.sources.iter().all(|id| !seen.contains(id)) {
            seen.extend(entry.sources.iter().copied());
            entries.push(entry);
        }
    }
    let refused = all - entries.len();
    (entries, refused)
}

/// An entry that names its sources and says what they say.
fn checked(notes: &BTreeMap<String, &Memory>, worded: &Worded) -> Option<Entry> {
    let sources: Option<Vec<&Memory>> =
        worded.sources.iter().map(|name| notes.get(name).copied()).collect();
    let sources = sources.filter(|sources| !sources.is_empty())?;
    let text = entry::line(&worded.text);
    if !is_grounded(&text, &sources) {
        return None;
    }
    let ids: BTreeSet<MemoryId> = sources.iter().map(|memory| memory.id).collect();
    Some(Entry { text, sources: ids.into_iter().collect() })
}

/// The skills that may be used: every step grounded, the description in words of the steps.
fn composed(notes: &BTreeMap<String, &Memory>, answered: Vec<Value>) -> Vec<Playbook> {
    let playbook = |value: Value| {
        let skill: Skill = serde_json::from_value(value).ok()?;
        let name = slug(&skill.name);
        let steps: Option<Vec<Entry>> =
            skill.steps.iter().map(|step| checked(notes, step)).collect();
        let steps = steps.filter(|steps| STEPS.contains(&steps.len()))?;
        let ids: BTreeSet<MemoryId> = steps.iter().flat_map(|one| one.sources.clone()).collect();
        let sources: Vec<&Memory> =
            notes.values().filter(|memory| ids.contains(&memory.id)).copied().collect();
        let own = entry::line(&skill.description);
        let description = if is_grounded(&own, &sources) {
            own
        } else {
            format!(
                "Steps that belong together in this project. Use for: {}.",
                name.replace('-', " ")
            )
        };
        (!name.is_empty()).then_some(Playbook { name, description, steps })
    };
    answered.into_iter().filter_map(playbook).collect()
}
