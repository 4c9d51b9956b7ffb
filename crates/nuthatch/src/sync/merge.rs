//! One memory out of two that went their own ways. Pure, and the same from either side.
//!
//! The text written last holds; one that knew nothing of it stays as a version, so no edit is
//! lost. Everything else is compared with what was agreed on last: what one side changed, both
//! have; what both changed is as the later has it. Trust never rises by a merge.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::agreed::{self, Agreed};
use super::report::Side;
use crate::id::MemoryId;
use crate::memory::{Memory, Record, Version};

/// What became of two states of a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// What both shall have.
    pub record: Record,
    /// What both had changed, and whose holds, if there was such.
    pub clash: Option<Clash>,
}

/// What both sides changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Whose text holds.
    pub kept: Side,
    /// What both changed.
    pub fields: Vec<&'static str>,
}

/// When the present text was written.
#[must_use]
pub fn said_at(record: &Record) -> Timestamp {
    let replaced = record.versions.iter().map(|version| version.replaced_at).max();
    replaced.unwrap_or(record.memory.created_at)
}

/// What a version keeps of a memory.
type Said<'a> = (&'a str, Option<&'a str>, &'a str);

fn said(memory: &Memory) -> Said<'_> {
    (&memory.content, memory.key.as_deref(), memory.category.as_str())
}

fn said_before(version: &Version) -> Said<'_> {
    (&version.content, version.key.as_deref(), version.category.as_str())
}

/// Brings two states of one memory together.
#[must_use]
pub fn merge(here: &Record, there: &Record, agreed: Option<&Agreed>) -> Merged {
    let place = |record: &Record| (said_at(record), record.memory.updated_at);
    let text_from =
        match (place(here), said(&here.memory)).cmp(&(place(there), said(&there.memory))) {
            std::cmp::Ordering::Less => Side::There,
            _ => Side::Here,
        };
    let later = later(&here.memory, &there.memory);
    let of = |side| if side == Side::Here { (here, there) } else { (there, here) };
    let ((text, lost), (young, old)) = (of(text_from), of(later));
    let mut clashing = Vec::new();
    let says_else = said(&text.memory) != said(&lost.memory);
    let is_lost = says_else && !knows(text, lost);
    if is_lost {
        clashing.push("text");
    }
    // Where the text is one, so is who said it; otherwise the younger knows better.
    let speaker = if says_else { text } else { young };
    let fields = Fields { agreed, young: &young.memory, old: &old.memory };
    let mut memory = Memory {
        created_at: here.memory.created_at.min(there.memory.created_at),
        updated_at: young.memory.updated_at,
        session_id: speaker.memory.session_id.clone(),
        origin: speaker.memory.origin,
        source: speaker.memory.source.clone(),
        content: text.memory.content.clone(),
        key: text.memory.key.clone(),
        category: text.memory.category.clone(),
        ..young.memory.clone()
    };
    fields.settle(&mut memory, &mut clashing);
    if says_else {
        memory.trust = memory.trust.min(text.memory.trust);
    }
    let versions = versions(text, lost, is_lost);
    let record = renewed(Record { memory, versions }, [here, there]);
    let clash = (!clashing.is_empty()).then_some(Clash { kept: text_from, fields: clashing });
    Merged { record, clash }
}

/// Who changed it last.
fn later(here: &Memory, there: &Memory) -> Side {
    let state = |memory: &Memory| (memory.updated_at, memory.fingerprint());
    if state(here) < state(there) { Side::There } else { Side::Here }
}

/// What replaces a memory once two states of it are brought together.
#[must_use]
pub fn replaced_by(here: &Memory, there: &Memory, agreed: Option<&Agreed>) -> Option<MemoryId> {
    let (young, old) = match later(here, there) {
        Side::Here => (here, there),
        Side::There => (there, here),
    };
    pick(agreed.map(|agreed| agreed.superseded_by), young.superseded_by, old.superseded_by).0
}

/// Whether what `other` says now is part of the history of `record`.
fn knows(record: &Record, other: &Record) -> bool {
    let (now, since) = (said(&other.memory), said_at(other));
    record.versions.iter().any(|version| said_before(version) == now && version.written_at >= since)
}

/// A state that neither side has is a new one, and later than both.
fn renewed(mut record: Record, sides: [&Record; 2]) -> Record {
    let same = |side: &&Record| {
        side.memory.fingerprint() == record.memory.fingerprint() && side.versions == record.versions
    };
    if !sides.iter().any(same) {
        let last = sides[0].memory.updated_at.max(sides[1].memory.updated_at);
        record.memory.updated_at = last.checked_add(SignedDuration::from_micros(1)).unwrap_or(last);
    }
    record
}

/// Everything both ever said, in order.
fn versions(text: &Record, lost: &Record, is_lost: bool) -> Vec<Version> {
    if !is_lost && text.versions == lost.versions {
        return text.versions.clone();
    }
    let mut all: BTreeMap<(Timestamp, String, Option<String>, String), Version> = BTreeMap::new();
    let last = is_lost.then(|| Version {
        memory_id: lost.memory.id,
        number: 0,
        key: lost.memory.key.clone(),
        content: lost.memory.content.clone(),
        category: lost.memory.category.clone(),
        written_at: said_at(lost),
        replaced_at: said_at(text).max(said_at(lost)),
    });
    for version in text.versions.iter().chain(&lost.versions).cloned().chain(last) {
        let (content, key) = (version.content.clone(), version.key.clone());
        let name = (version.written_at, content, key, version.category.to_string());
        let known = all.entry(name).or_insert_with(|| version.clone());
        known.replaced_at = known.replaced_at.min(version.replaced_at);
    }
    let numbered = (1..).zip(all.into_values());
    numbered.map(|(number, version)| Version { number, ..version }).collect()
}

/// What a memory has besides its text.
struct Fields<'a> {
    agreed: Option<&'a Agreed>,
    young: &'a Memory,
    old: &'a Memory,
}

impl Fields<'_> {
    fn settle(&self, memory: &mut Memory, clashing: &mut Vec<&'static str>) {
        let Fields { agreed, young, old } = self;
        let base = agreed.map(|agreed| agreed.pinned);
        memory.pinned = pick(base, young.pinned, old.pinned).0;
        let base = agreed.map(|agreed| agreed.importance);
        let (importance, both) = pick(base, young.importance, old.importance);
        memory.importance = importance;
        note(both, "importance", clashing);
        let base = agreed.map(|agreed| agreed.superseded_by);
        let (superseded_by, both) = pick(base, young.superseded_by, old.superseded_by);
        memory.superseded_by = superseded_by;
        note(both, "superseded_by", clashing);
        let base = agreed.map(|agreed| agreed.trust);
        let (trust, both) = pick(base, young.trust, old.trust);
        // Where nobody knows who raised it, nobody did.
        let is_known = base.is_some() && !both;
        memory.trust = if is_known { trust } else { young.trust.min(old.trust) };
        note(both, "trust", clashing);
        let base = agreed.map(|agreed| agreed.metadata);
        let hashes = (agreed::hash(&young.metadata), agreed::hash(&old.metadata));
        let (metadata, both) = pick(base, hashes.0, hashes.1);
        memory.metadata = match (base.is_some() && !both, metadata == hashes.0) {
            (true, true) => young.metadata.clone(),
            (true, false) => old.metadata.clone(),
            // Nobody knows what was taken away: nothing is.
            (false, _) => {
                let mut all = old.metadata.clone();
                all.extend(young.metadata.clone());
                all
            }
        };
        note(both, "metadata", clashing);
    }
}

fn note(both: bool, field: &'static str, clashing: &mut Vec<&'static str>) {
    if both {
        clashing.push(field);
    }
}

/// What one side changed, or the younger where both did; and whether both did.
fn pick<T: PartialEq + Copy>(base: Option<T>, young: T, old: T) -> (T, bool) {
    match base {
        _ if young == old => (young, false),
        Some(base) if base == young => (old, false),
        Some(base) if base == old => (young, false),
        Some(_) => (young, true),
        None => (young, false),
    }
}

/// A memory that lost its key to another: it keeps what it says, gives way, and its history says
/// how it was called.
#[must_use]
pub fn demoted(record: &Record, winner: &Record) -> Record {
    let Record { mut memory, mut versions } = record.clone();
    let since = said_at(record);
    let last = memory.updated_at.max(since).max(winner.memory.updated_at);
    let at = last.checked_add(SignedDuration::from_micros(1)).unwrap_or(last);
    versions.push(Version {
        memory_id: memory.id,
        number: versions.last().map_or(0, |version| version.number).saturating_add(1),
        key: memory.key.take(),
        content: memory.content.clone(),
        category: memory.category.clone(),
        written_at: since,
        replaced_at: at,
    });
    if winner.memory.is_current() {
        memory.superseded_by = memory.superseded_by.or(Some(winner.memory.id));
    }
    memory.updated_at = at;
    Record { memory, versions }
}

#[cfg(test)]
mod tests;
