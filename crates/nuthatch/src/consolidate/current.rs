//! Which memories a document is made of: those that hold, not what they replaced or what faded.
//!
//! Of two that contradict each other the more trusted holds, then the later; the other is
//! history. What nobody used or confirmed for long fades; what a person confirmed, pinned or
//! forbade never does. What is quarantined is not even looked at.

use std::collections::{BTreeMap, HashMap};

use jiff::{SignedDuration, Timestamp};

use crate::category::Category;
use crate::extract::Synopsis;
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::recall::says_otherwise;
use crate::scope::Scope;
use crate::text::analyse;
use crate::trust::Trust;

use super::Given;
use super::entry::line;

/// A season of work: what nobody needed for so long is rarely needed again.
const FADES_AFTER: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Memories with one beginning that are compared with each other.
const MOST_RIVALS: usize = 50;

/// Categories that are short-lived by themselves and make no document.
const PASSING: [&str; 3] = ["conversation", "daily", "working_directory"];

/// What there is, sorted out.
pub struct Current<'a> {
    /// What holds, oldest first.
    pub memories: Vec<&'a Memory>,
    /// What was replaced, with what replaced it, oldest first.
    pub replaced: Vec<(&'a Memory, MemoryId)>,
    /// What faded.
    pub faded: Vec<&'a Memory>,
    /// What sessions were about, oldest first.
    pub synopses: Vec<&'a Synopsis>,
    /// Most tokens of the summary.
    pub summary_tokens: usize,
    by_id: HashMap<MemoryId, &'a Memory>,
}

impl<'a> Current<'a> {
    /// Sorts out what is given.
    pub fn of(given: Given<'a>) -> Self {
        let mut all: Vec<&Memory> = given.memories.iter().filter(|one| belongs(one)).collect();
        all.sort_by_key(|memory| (memory.created_at, memory.id));
        all.dedup_by_key(|memory| memory.id);
        let mut replaced: Vec<(&Memory, MemoryId)> =
            all.iter().filter_map(|one| Some((*one, one.superseded_by?))).collect();
        let (faded, holding): (Vec<&Memory>, Vec<&Memory>) = all
            .into_iter()
            .filter(|memory| memory.is_current())
            .partition(|memory| has_faded(memory, given.now));
        let losers = contradicted(&holding);
        replaced
            .extend(holding.iter().filter_map(|memory| Some((*memory, *losers.get(&memory.id)?))));
        replaced.sort_by_key(|(memory, _)| (memory.updated_at, memory.id));
        let memories: Vec<&Memory> =
            holding.into_iter().filter(|memory| !losers.contains_key(&memory.id)).collect();
        let by_id = memories.iter().map(|memory| (memory.id, *memory)).collect();
        let mut synopses: Vec<&Synopsis> = given.synopses.iter().collect();
        synopses.sort_by_key(|one| (one.at, &one.session));
        let summary_tokens = given.summary_tokens;
        Current { memories, replaced, faded, synopses, summary_tokens, by_id }
    }

    /// The memory of an id, if it holds.
    pub fn find(&self, id: MemoryId) -> Option<&'a Memory> {
        self.by_id.get(&id).copied()
    }
}

fn belongs(memory: &Memory) -> bool {
    memory.trust > Trust::Quarantined
        && !line(&memory.content).is_empty()
        && !PASSING.contains(&memory.category.as_str())
        && !matches!(memory.scope, Scope::Session(_))
}

fn has_faded(memory: &Memory, now: Timestamp) -> bool {
    let kept = memory.trust == Trust::Confirmed
        || memory.pinned
        || memory.category == Category::restriction();
    let last = memory.last_used_at.max(Some(memory.updated_at.max(memory.created_at)));
    !kept && last.is_some_and(|last| now.duration_since(last) > FADES_AFTER)
}

/// For each memory that another contradicts, which one holds instead.
fn contradicted(holding: &[&Memory]) -> BTreeMap<MemoryId, MemoryId> {
    let mut ranked: Vec<&Memory> = holding.to_vec();
    ranked.sort_by_key(|memory| (memory.trust, memory.updated_at, memory.id));
    let mut losers = BTreeMap::new();
    let mut winners: BTreeMap<String, Vec<(&Memory, Vec<String>)>> = BTreeMap::new();
    for memory in ranked.into_iter().rev() {
        let terms: Vec<String> = analyse(&memory.content).into_iter().map(|t| t.term).collect();
        let (stated, denies) = without_polarity(&terms);
        let topics =
            [terms.iter().take(2).cloned().collect::<Vec<_>>().join(" "), stated.join(" ")];
        let rivals = topics.iter().filter_map(|topic| winners.get(topic)).flatten();
        // So many memories that begin alike follow a form; they do not speak of one thing.
        let winner = rivals.take(MOST_RIVALS).find(|(other, said)| {
            let (other_stated, other_denies) = without_polarity(said);
            other.scope == memory.scope
                && (says_otherwise(&terms, said)
                    || stated == other_stated && denies != other_denies)
        });
        if let Some((winner, _)) = winner {
            losers.insert(memory.id, winner.id);
            continue;
        }
        for topic in topics {
            winners.entry(topic).or_default().push((memory, terms.clone()));
        }
    }
    losers
}

/// The terms without the words that say yes or no, and whether they say no.
fn without_polarity(terms: &[String]) -> (Vec<&str>, bool) {
    const NO: [&str; 9] = ["never", "not", "don", "t", "no", "dont", "avoid", "without", "stop"];
    const YES: [&str; 4] = ["always", "alway", "do", "pleas"];
    let says_no = terms.iter().any(|term| NO.contains(&term.as_str()));
    let rest = terms
        .iter()
        .map(String::as_str)
        .filter(|term| !NO.contains(term) && !YES.contains(term))
        .collect();
    (rest, says_no)
}
