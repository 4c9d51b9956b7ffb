//! One entry of a generated file: a line, and the memories it was made of.
//!
//! `- text <!-- trust date ids #hash -->`. The comment lets the next run tell whether the
//! memories still say what the line was made of; then its bytes stay. Whatever a memory
//! holds, it stays inside its line.

use std::collections::{BTreeMap, BTreeSet};

use crate::extract::folded;
use crate::guard::{Verdict, delimit, examine};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::trust::Trust;

use super::current::Current;

/// Longest text of an entry, in characters: a note longer than this is read where it is.
pub const TEXT_CHARS: usize = 600;

const OPEN: &str = " <!-- ";
const CLOSE: &str = " -->";

/// A line of a document and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it says, on one line.
    pub text: String,
    /// The memories it was made of, in order of their ids; never empty.
    pub sources: Vec<MemoryId>,
}

impl Entry {
    /// An entry in the words of its memories, which all say the same.
    pub fn plain(memories: &[&Memory]) -> Entry {
        let text = memories.iter().map(|memory| line(&memory.content)).next().unwrap_or_default();
        let mut sources: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        sources.sort_unstable();
        Entry { text, sources }
    }

    /// The line as it stands in a file.
    pub fn render(&self, current: &Current<'_>) -> String {
        let sources: Vec<&Memory> =
            self.sources.iter().filter_map(|id| current.find(*id)).collect();
        let trust = sources.iter().map(|memory| memory.trust).min().unwrap_or(Trust::Quarantined);
        let date = sources.iter().map(|memory| day(memory)).max().unwrap_or_default();
        let ids: Vec<String> = self.sources.iter().map(ToString::to_string).collect();
        let hash = hash(&sources);
        format!("- {}{OPEN}{trust} {date} {} #{hash}{CLOSE}", self.text, ids.join(" "))
    }
}

/// The day a memory was last written.
pub fn day(memory: &Memory) -> String {
    memory.updated_at.strftime("%Y-%m-%d").to_string()
}

/// Everything of a memory that a document depends on, in a line.
pub fn telling(memory: &Memory) -> String {
    let Memory { id, content, category, scope, updated_at, trust, pinned, superseded_by, .. } =
        memory;
    format!("{id} {category} {scope} {updated_at} {trust} {pinned} {superseded_by:?} {content:?}")
}

fn hash(sources: &[&Memory]) -> String {
    let mut hasher = blake3::Hasher::new();
    for memory in sources {
        hasher.update(telling(memory).as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

/// Any text as one harmless line: nothing in it opens a heading, a list, a quote or a
/// comment, or closes what it stands in.
pub fn line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let disarmed = delimit::neutralise(&joined, "").replace("-->", "→");
    let plain = disarmed.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '#' | '>' | '-' | '*' | '+' | '=' | '|' | '~')
    });
    if plain.chars().count() <= TEXT_CHARS {
        return plain.to_owned();
    }
    let cut: String = plain.chars().take(TEXT_CHARS - 1).collect();
    format!("{}…", cut.trim_end())
}

/// The entry that a line of a file is, with the hash it carries.
pub fn parse(line: &str) -> Option<(Entry, &str)> {
    let body = line.strip_prefix("- ")?.strip_suffix(CLOSE)?;
    let (text, comment) = body.rsplit_once(OPEN)?;
    let mut sources = Vec::new();
    let mut hash = None;
    for word in comment.split(' ') {
        if let Some(known) = word.strip_prefix('#') {
            hash = Some(known);
        } else if let Ok(id) = word.parse() {
            sources.push(id);
        }
    }
    let whole = !text.is_empty() && !sources.is_empty();
    whole.then_some((Entry { text: text.to_owned(), sources }, hash?))
}

/// Whether what an entry was made of still says so, and nothing is wrong with its words.
pub fn still_holds(entry: &Entry, hash: &str, current: &Current<'_>) -> bool {
    let sources: Option<Vec<&Memory>> = entry.sources.iter().map(|id| current.find(*id)).collect();
    let Some(sources) = sources else { return false };
    self::hash(&sources) == hash
        && line(&entry.text) == entry.text
        && examine(&entry.text).verdict == Verdict::Accept
}

/// The entries of a document that may stay as they are, each memory in one of them.
pub fn kept(document: &str, current: &Current<'_>) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for line in document.lines() {
        let Some((entry, hash)) = parse(line) else { continue };
        let fresh = entry.sources.iter().all(|id| !seen.contains(id));
        if fresh && still_holds(&entry, hash, current) {
            seen.extend(entry.sources.iter().copied());
            kept.push(entry);
        }
    }
    kept
}

/// The memories that no entry was made of, each group of equal words as one plain entry.
pub fn plain(current: &Current<'_>, covered: &BTreeSet<MemoryId>) -> Vec<Entry> {
    let mut groups: BTreeMap<String, Vec<&Memory>> = BTreeMap::new();
    for memory in current.memories.iter().filter(|memory| !covered.contains(&memory.id)) {
        groups.entry(folded(&memory.content)).or_default().push(memory);
    }
    groups.values().map(|group| Entry::plain(group)).filter(|one| !one.text.is_empty()).collect()
}
