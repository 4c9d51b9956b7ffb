//! What a running thread found out: in RAM, for that thread alone, gone when it ends.
//!
//! Fifty entries at most, the oldest out first. Nothing here ever reaches a store.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::error::{Error, Kind, Result};
use crate::guard::{Form, Gate, Verdict};

/// Entries of one thread: fixed, because they all go into every prompt of it.
pub const SESSION_ENTRIES: usize = 50;

/// Threads kept at a time: more than anybody runs, and a bound on what forgotten names cost.
const THREADS: usize = 1000;

/// One thing a thread found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionEntry {
    /// What kind of finding.
    pub category: Category,
    /// The finding, one line.
    pub content: String,
    /// When it was noted.
    pub at: Timestamp,
}

/// The findings of every running thread.
#[derive(Debug, Default)]
pub struct SessionContexts {
    threads: Mutex<HashMap<String, VecDeque<SessionEntry>>>,
}

impl SessionContexts {
    /// Notes something for a thread. The same text again moves to the end.
    ///
    /// # Errors
    /// Of kind `invalid`, when the text is empty once sanitised; `denied`, when it holds a
    /// secret or gives orders to its reader: there is no quarantine in RAM.
    pub fn note(
        &self,
        thread: &str,
        category: Category,
        content: &str,
        at: Timestamp,
    ) -> Result<SessionEntry> {
        let mut gate = Gate::default();
        gate.name("category", category.as_str())?;
        let content = gate.content("text", content, Form::Fact)?;
        if gate.passed().verdict != Verdict::Accept {
            return Err(Error::new(
                Kind::Denied,
                "the text gives orders to the agent that reads it",
            )
            .with_hint("say what was found out, in plain words"));
        }
        let entry = SessionEntry { category, content, at };
        let mut threads = self.lock();
        if threads.len() >= THREADS && !threads.contains_key(thread) {
            end_the_quietest(&mut threads);
        }
        let entries = threads.entry(thread.to_owned()).or_default();
        entries.retain(|known| known.content != entry.content);
        while entries.len() >= SESSION_ENTRIES {
            entries.pop_front();
        }
        entries.push_back(entry.clone());
        Ok(entry)
    }

    /// What a thread noted, oldest first.
    #[must_use]
    pub fn entries(&self, thread: &str) -> Vec<SessionEntry> {
        self.lock().get(thread).map(|entries| entries.iter().cloned().collect()).unwrap_or_default()
    }

    /// Ends a thread: everything it noted is gone.
    pub fn end(&self, thread: &str) {
        self.lock().remove(thread);
    }

    /// A panic elsewhere cannot leave a half-made entry, so a poisoned lock is still good.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<SessionEntry>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the thread that has said nothing for the longest time.
fn end_the_quietest(threads: &mut HashMap<String, VecDeque<SessionEntry>>) {
    let last = |entries: &VecDeque<SessionEntry>| entries.back().map(|entry| entry.at);
    let quietest = threads.iter().min_by_key(|(_, entries)| last(entries));
    if let Some(name) = quietest.map(|(name, _)| name.clone()) {
        threads.remove(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(contexts: &SessionContexts, thread: &str, text: &str) {
        contexts.note(thread, Category::default(), text, Timestamp::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn the_fifty_first_entry_pushes_out_the_first() {
        let contexts = SessionContexts::default();
        for n in 0..=SESSION_ENTRIES {
            note(&contexts, "t", &format!("finding {n}"));
        }
        let entries = contexts.entries("t");
        assert_eq!(entries.len(), SESSION_ENTRIES);
        assert_eq!(entries[0].content, "finding 1");
    }

    #[test]
    fn beyond_a_thousand_threads_the_quietest_ends() {
        let contexts = SessionContexts::default();
        for n in 0..=THREADS {
            let at = Timestamp::from_second(n as i64).unwrap();
            contexts.note(&format!("t{n}"), Category::default(), "a finding", at).unwrap();
        }
        assert!(contexts.entries("t0").is_empty());
        assert_eq!(contexts.entries("t1").len(), 1);
        assert_eq!(contexts.lock().len(), THREADS);
    }

    #[test]
    fn threads_do_not_see_each_other_and_end_alone() {
        let contexts = SessionContexts::default();
        note(&contexts, "a", "only for a");
        note(&contexts, "b", "only for b");
        contexts.end("a");
        assert!(contexts.entries("a").is_empty());
        assert_eq!(contexts.entries("b").len(), 1);
    }

    #[test]
    fn the_same_finding_again_moves_to_the_end() {
        let contexts = SessionContexts::default();
        for text in ["one", "two", " one "] {
            note(&contexts, "t", text);
        }
        let texts: Vec<_> = contexts.entries("t").into_iter().map(|e| e.content).collect();
        assert_eq!(texts, ["two", "one"]);
    }
}
