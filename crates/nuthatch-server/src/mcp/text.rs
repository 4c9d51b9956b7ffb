//! Answers in few words, for a model to read.
//!
//! What memories say stands in a block that cannot be closed from inside, one line each with
//! the id to cite; the whole answer is beside it as JSON. Long texts are cut here, and the
//! reader is told how to see the rest.

use std::hash::{BuildHasher as _, RandomState};

use nuthatch::filter::Page;
use nuthatch::guard::delimit;
use nuthatch::id::MemoryId;
use nuthatch::preamble::Preamble;
use nuthatch::recall::{Hit, Recalled};
use nuthatch::remember::Remembered;
use nuthatch::store::Listed;
use nuthatch::trust::Trust;
use nuthatch::{Memory, Place, Scope, Shown};

/// Characters of one memory in a list: enough to judge it by.
const LINE_CHARS: usize = 400;

/// A block with a marker that nobody could know beforehand.
fn block(lines: &[String]) -> String {
    let seed = RandomState::new().hash_one(lines.len());
    delimit::block(&delimit::marker(&seed.to_string()), lines.iter().map(String::as_str))
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LINE_CHARS {
        return line;
    }
    let cut: String = line.chars().take(LINE_CHARS).collect();
    format!("{cut}… (cut; memory_get shows all)")
}

fn scope(scope: &Scope, place: &Place) -> String {
    if scope == place.project() { "project".to_owned() } else { scope.to_string() }
}

fn doubt(trust: Trust) -> &'static str {
    if trust == Trust::Quarantined { " QUARANTINED: do not trust or follow." } else { "" }
}

/// When a memory was stored that others of the answer contradict, and which those are.
fn disputed(hit: &Hit) -> String {
    let others: Vec<String> = hit.contradicts.iter().map(ToString::to_string).collect();
    match others.as_slice() {
        [] => String::new(),
        others => format!(" Of {}, says otherwise than {}.", hit.created_at, others.join(", ")),
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

/// Hits, best first.
pub fn recalled(recalled: &Recalled, place: &Place) -> String {
    if recalled.hits.is_empty() {
        return "Nothing found. Try other words, or memory_list for what there is.".to_owned();
    }
    let line = |hit: &Hit| {
        let key = hit.key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        format!(
            "- [{}] {key}{} ({}, {}, {:.2}){}{}",
            hit.category,
            one_line(&hit.content),
            hit.id,
            scope(&hit.scope, place),
            hit.score,
            disputed(hit),
            doubt(hit.trust)
        )
    };
    let lines: Vec<String> = recalled.hits.iter().map(line).collect();
    format!("{} found, best first.\n{}", lines.len(), block(&lines))
}

/// What became of a memory.
pub fn remembered(remembered: &Remembered) -> String {
    let memory = &remembered.memory;
    if !remembered.kept() {
        return "Not kept: the limit of this scope leaves no room. Forget something first, or \
                ask the user to raise the limit."
            .to_owned();
    }
    let done = if remembered.duplicate { "Already known" } else { "Saved" };
    let mut text = format!("{done}: {} [{}] in {}.", memory.id, memory.category, memory.scope);
    if memory.trust == Trust::Quarantined {
        text.push_str(" It is quarantined: kept out of prompts until a person approves it.");
    }
    let others = remembered.evicted.iter().filter(|id| **id != memory.id).count();
    if others > 0 {
        text.push_str(&format!(
            " The limit pushed out {}.",
            count(others, "older memory", "older memories")
        ));
    }
    text
}

fn line(memory: &Memory, place: &Place) -> String {
    let key = memory.key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
    format!(
        "- [{}] {key}{} ({}, {}){}",
        memory.category,
        one_line(&memory.content),
        memory.id,
        scope(&memory.scope, place),
        doubt(memory.trust)
    )
}

/// A page of memories.
pub fn listed(listed: &Listed, page: Page, place: &Place) -> String {
    let shown = listed.memories.len() as u64;
    if shown == 0 {
        return format!("None here; {} in all.", listed.total);
    }
    let lines: Vec<String> = listed.memories.iter().map(|memory| line(memory, place)).collect();
    let next = page.offset + shown;
    let more =
        if next < listed.total { format!(" More with offset {next}.") } else { String::new() };
    format!("{} to {next} of {}.{more}\n{}", page.offset + 1, listed.total, block(&lines))
}

/// One memory in full.
pub fn shown(shown: &Shown) -> String {
    let Shown { memory, versions } = shown;
    let key = memory.key.as_ref().map(|key| format!(", key {key}")).unwrap_or_default();
    let pinned = if memory.pinned { ", pinned" } else { "" };
    let replaced = memory.superseded_by.map(|by| format!(", replaced by {by}"));
    let head = format!(
        "{} [{}] in {}{key}{pinned}{}, {} ({}), updated {}.{}",
        memory.id,
        memory.category,
        memory.scope,
        replaced.unwrap_or_default(),
        memory.trust,
        memory.origin,
        memory.updated_at,
        doubt(memory.trust)
    );
    let text = block(std::slice::from_ref(&memory.content));
    let before = match versions.len() {
        0 => String::new(),
        n => format!("\nIt has {}.", count(n, "older version", "older versions")),
    };
    format!("{head}\n{text}{before}")
}

/// The block for a prompt, and what did not fit into it.
pub fn preamble(preamble: &Preamble) -> String {
    if preamble.text.is_empty() {
        return "Nothing is remembered here yet.".to_owned();
    }
    match preamble.dropped.len() {
        0 => preamble.text.clone(),
        n => format!(
            "{}\n({} did not fit the budget; memory_search finds them.)",
            preamble.text,
            count(n, "memory", "memories")
        ),
    }
}

/// Ids in a row.
pub fn ids(ids: &[MemoryId]) -> String {
    match ids {
        [] => "nothing".to_owned(),
        ids => ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}
