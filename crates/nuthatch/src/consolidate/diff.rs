//! What is different between two generations of the files, for people.
//!
//! [`diff`] shows lines, file by file, as `diff -u` does; [`changes`] says what happened to
//! memories.

use std::collections::BTreeSet;

use super::current::Current;
use super::entry;
use super::skills::is_generated;
use super::{Artifacts, Change};

/// Lines around a change.
const CONTEXT: usize = 3;
/// Above so many pairs of lines two files are not compared but shown one after the other.
const MOST_PAIRS: usize = 4_000_000;

/// The difference between two generations; empty when there is none.
#[must_use]
pub fn diff(old: &Artifacts, new: &Artifacts) -> String {
    let mut shown = file_diff("MEMORY.md", &old.memory_md, &new.memory_md);
    shown.push_str(&file_diff("memory_summary.md", &old.summary_md, &new.summary_md));
    let names: BTreeSet<&String> = old.skills.keys().chain(new.skills.keys()).collect();
    for name in names {
        let text = |of: &Artifacts| of.skills.get(name).cloned().unwrap_or_default();
        shown.push_str(&file_diff(&format!("skills/{name}/SKILL.md"), &text(old), &text(new)));
    }
    shown
}

fn file_diff(name: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut text = format!("--- {name}\n+++ {name}\n");
    for hunk in hunks(&steps(&a, &b)) {
        let (from_a, from_b) = (hunk[0].1 + 1, hunk[0].2 + 1);
        let count = |not: Step| hunk.iter().filter(|(step, ..)| *step != not).count();
        let (in_a, in_b) = (count(Step::Added), count(Step::Removed));
        text.push_str(&format!("@@ -{from_a},{in_a} +{from_b},{in_b} @@\n"));
        for (step, at_a, at_b) in hunk {
            let (mark, line) = match step {
                Step::Same => (' ', a[*at_a]),
                Step::Removed => ('-', a[*at_a]),
                Step::Added => ('+', b[*at_b]),
            };
            text.push(mark);
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Same,
    Removed,
    Added,
}

/// A step and the lines of both files it stands at.
type At = (Step, usize, usize);

/// How one file becomes the other, by their longest common subsequence of lines.
fn steps(a: &[&str], b: &[&str]) -> Vec<At> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail =
        a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (mid_a, mid_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut steps: Vec<At> = (0..head).map(|at| (Step::Same, at, at)).collect();
    let width = mid_b.len() + 1;
    let comparable = mid_a.len().saturating_mul(mid_b.len()) <= MOST_PAIRS;
    let mut longest = vec![0_u32; if comparable { (mid_a.len() + 1) * width } else { 0 }];
    if comparable {
        for at_a in (0..mid_a.len()).rev() {
            for at_b in (0..mid_b.len()).rev() {
                longest[at_a * width + at_b] = if mid_a[at_a] == mid_b[at_b] {
                    longest[(at_a + 1) * width + at_b + 1] + 1
                } else {
                    longest[(at_a + 1) * width + at_b].max(longest[at_a * width + at_b + 1])
                };
            }
        }
    }
    let (mut at_a, mut at_b) = (0, 0);
    while at_a < mid_a.len() || at_b < mid_b.len() {
        let both = comparable && at_a < mid_a.len() && at_b < mid_b.len();
        if both && mid_a[at_a] == mid_b[at_b] {
            steps.push((Step::Same, head + at_a, head + at_b));
            (at_a, at_b) = (at_a + 1, at_b + 1);
        } else if at_a < mid_a.len()
            && !(both && longest[(at_a + 1) * width + at_b] < longest[at_a * width + at_b + 1])
        {
            steps.push((Step::Removed, head + at_a, head + at_b));
            at_a += 1;
        } else {
            steps.push((Step::Added, head + at_a, head + at_b));
            at_b += 1;
        }
    }
    let (end_a, end_b) = (a.len() - tail, b.len() - tail);
    steps.extend((0..tail).map(|at| (Step::Same, end_a + at, end_b + at)));
    steps
}

/// Runs of steps around changes, with some context.
fn hunks(steps: &[At]) -> Vec<&[At]> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (at, (step, ..)) in steps.iter().enumerate() {
        if *step == Step::Same {
            continue;
        }
        let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(steps.len()));
        match ranges.last_mut() {
            Some((_, end)) if *end >= from => *end = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges.into_iter().map(|(from, to)| &steps[from..to]).collect()
}

/// What happened to entries, memories and skills, in a fixed order.
pub fn changes(old: &Artifacts, new: &Artifacts, current: &Current<'_>) -> Vec<Change> {
    let texts = |document: &str| -> BTreeSet<String> {
        document.lines().filter_map(entry::parse).map(|(entry, _)| entry.text).collect()
    };
    let (before, after) = (texts(&old.memory_md), texts(&new.memory_md));
    let mut changes: Vec<Change> =
        after.difference(&before).map(|text| Change::Added { text: text.clone() }).collect();
    changes.extend(before.difference(&after).map(|text| Change::Removed { text: text.clone() }));
    let was_shown = |id: &str| old.memory_md.contains(id);
    for (memory, by) in &current.replaced {
        if was_shown(&memory.id.to_string()) {
            changes.push(Change::Replaced { id: memory.id, by: *by });
        }
    }
    for memory in current.faded.iter().filter(|memory| was_shown(&memory.id.to_string())) {
        changes.push(Change::Faded { id: memory.id });
    }
    for (name, text) in &new.skills {
        if old.skills.get(name) != Some(text) {
            changes.push(Change::Skill { name: name.clone() });
        }
    }
    for (name, text) in &old.skills {
        if is_generated(text) && !new.skills.contains_key(name) {
            changes.push(Change::Pruned { name: name.clone() });
        }
    }
    changes
}
