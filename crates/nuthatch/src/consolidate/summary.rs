//! `memory_summary.md`: what goes into the start of a session, within a number of tokens.
//!
//! What a person confirmed, pinned or forbade comes first, then what is newest. Entries are
//! left out whole, never cut, and how many were is said.

use std::collections::{BTreeMap, BTreeSet};

use crate::category::Category;
use crate::extract::shortened;
use crate::memory::Memory;
use crate::text::estimate_tokens;
use crate::trust::Trust;

use super::current::Current;
use super::document::{Section, Sections};
use super::entry::{Entry, line};
use super::skills;
use super::workflow::Workflow;

/// Sessions told of: a reader wants to know what went on lately, not everything.
const MOST_SESSIONS: usize = 5;
/// Characters for each of them.
const SESSION_CHARS: usize = 300;

/// One line that may be left out, and where it belongs.
struct Line {
    /// Lower is more important.
    rank: usize,
    place: (usize, usize),
    text: String,
}

/// The summary; nothing at all where there is nothing to say.
pub fn render(
    current: &Current<'_>,
    sections: &Sections,
    workflows: &[Workflow],
    skills: &BTreeMap<String, String>,
) -> String {
    let mut titles = Vec::new();
    let mut lines = Vec::new();
    for (section, entries) in sections {
        lines.extend(ranked(current, entries).map(|(at, rank, entry)| Line {
            rank: rank + if *section == Section::Restrictions { 0 } else { 1 },
            place: (titles.len(), at),
            text: format!("- {}", entry.text),
        }));
        titles.push(section.title());
    }
    let more: [(&str, Vec<String>); 3] = [
        ("Commands that recur", workflows.iter().map(Workflow::render).collect()),
        ("Skills", skills::listing(skills)),
        ("Recent sessions", recent(current)),
    ];
    for (nth, (title, texts)) in more.into_iter().enumerate() {
        let base = 10_000 + nth * 1000;
        for (at, text) in texts.into_iter().enumerate() {
            lines.push(Line { rank: base + at, place: (titles.len(), at), text });
        }
        titles.push(title);
    }
    fitted(&titles, lines, current.summary_tokens)
}

/// The entries with their place and how far behind they stand.
fn ranked<'e>(
    current: &Current<'_>,
    entries: &'e [Entry],
) -> impl Iterator<Item = (usize, usize, &'e Entry)> {
    let weigh = |entry: &Entry| {
        let sources: Vec<&Memory> =
            entry.sources.iter().filter_map(|id| current.find(*id)).collect();
        let first = sources.iter().any(|memory| {
            memory.pinned
                || memory.trust == Trust::Confirmed
                || memory.category == Category::restriction()
        });
        (!first, std::cmp::Reverse(sources.iter().map(|memory| memory.updated_at).max()))
    };
    let mut order: Vec<(usize, &Entry)> = entries.iter().enumerate().collect();
    order.sort_by_cached_key(|(at, entry)| (weigh(entry), *at));
    let behind = |(behind, (at, entry)): (usize, (usize, &'e Entry))| {
        let first = !weigh(entry).0;
        (at, if first { behind * 2 } else { 2000 + behind * 2 }, entry)
    };
    order.into_iter().enumerate().map(behind).collect::<Vec<_>>().into_iter()
}

/// What the last sessions were about, newest first.
fn recent(current: &Current<'_>) -> Vec<String> {
    let told = current.synopses.iter().rev().filter(|one| !one.text.is_empty());
    let told = told
        .filter(|one| crate::guard::examine(&one.text).verdict == crate::guard::Verdict::Accept);
    told.take(MOST_SESSIONS)
        .map(|one| {
            let day = one.at.map(|at| at.strftime("%Y-%m-%d: ").to_string()).unwrap_or_default();
            format!("- {day}{}", line(&shortened(&one.text, SESSION_CHARS)))
        })
        .collect()
}

/// As many lines as fit, the most important first, in the order of their places.
fn fitted(titles: &[&str], mut lines: Vec<Line>, tokens: usize) -> String {
    lines.sort_by_key(|one| (one.rank, one.place));
    let all = lines.len();
    let mut chosen = Vec::new();
    let mut opened = BTreeSet::new();
    // Room for the line that says how much was left out.
    let mut left = tokens.saturating_mul(4).saturating_sub(80);
    for one in lines {
        let heading = if opened.contains(&one.place.0) { 0 } else { titles[one.place.0].len() + 6 };
        // Unspaced scripts cost a token a character: four characters of the room.
        let cost = estimate_tokens(&one.text) * 4 + 4 + heading;
        if cost <= left {
            left -= cost;
            opened.insert(one.place.0);
            chosen.push(one);
        }
    }
    loop {
        let text = laid_out(titles, &chosen, all);
        if estimate_tokens(&text) <= tokens {
            return text;
        }
        if chosen.pop().is_none() {
            return String::new();
        }
    }
}

fn laid_out(titles: &[&str], chosen: &[Line], all: usize) -> String {
    let mut lines: Vec<&Line> = chosen.iter().collect();
    lines.sort_by_key(|one| one.place);
    let mut text = String::new();
    let mut last = None;
    for one in &lines {
        if last != Some(one.place.0) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str("## ");
            text.push_str(titles[one.place.0]);
            text.push('\n');
            last = Some(one.place.0);
        }
        text.push_str(&one.text);
        text.push('\n');
    }
    if lines.len() < all {
        let more = all - lines.len();
        text.push_str(&format!("\n{more} more in memory://root/MEMORY.md\n"));
    }
    text
}
