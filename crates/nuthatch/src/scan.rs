//! Looking again at everything that is stored: rules improve, and files are edited by hand.
//!
//! Nothing is changed. What is found is named by where it stands, never by what it says.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::filter::{Filter, Page};
use crate::guard::{
    self, Category, Finding, Part, Verdict, examine, memory_texts, session_texts, turn_texts,
    version_texts,
};
use crate::id::{MemoryId, SessionId};
use crate::memory::{Memory, Record, Version};
use crate::store::Store;
use crate::trust::Trust;

/// Conversations and turns looked at in one go.
const BATCH: u64 = 500;

/// What was looked at, and what the gate would not take as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scanned {
    /// Things looked at: memories, versions, conversations and turns.
    pub scanned: u64,
    /// Texts that would not be accepted.
    pub found: Vec<Suspect>,
}

/// One text that would not be accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suspect {
    /// The memory it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MemoryId>,
    /// The version of that memory, if it is an old text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The turn of that conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Which of its texts.
    pub part: String,
    /// How far the memory is believed; what is quarantined is in no prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What would become of it.
    pub verdict: Verdict,
    /// Why; spans are of that text.
    pub findings: Vec<Finding>,
}

/// What speaks against the texts of a memory and of what it said before.
pub(crate) fn memory(memory: &Memory, versions: &[Version]) -> Vec<Suspect> {
    let whose = Suspect { id: Some(memory.id), trust: Some(memory.trust), ..Suspect::default() };
    let mut found = suspects(&whose, memory_texts(memory));
    for version in versions {
        let whose = Suspect { version: Some(version.number), ..whose.clone() };
        found.extend(suspects(&whose, version_texts(version)));
    }
    found
}

/// Everything in a store.
pub(crate) async fn everything(store: &dyn Store) -> Result<Scanned> {
    let mut scanned = Scanned::default();
    for some in crate::forget::meant(store, &Filter::everything()).await?.chunks(BATCH as usize) {
        let ids: Vec<MemoryId> = some.iter().map(|kept| kept.id).collect();
        for Record { memory: kept, versions } in
            Record::joined(some.to_vec(), store.versions(&ids).await?)
        {
            scanned.scanned += 1 + versions.len() as u64;
            scanned.found.extend(memory(&kept, &versions));
        }
    }
    for session in store.sessions(Page::first(u64::MAX)).await? {
        let whose = Suspect { session: Some(session.id.clone()), ..Suspect::default() };
        scanned.scanned += 1;
        scanned.found.extend(suspects(&whose, session_texts(&session)));
        let mut offset = 0;
        loop {
            let turns = store.turns(&session.id, Page { offset, limit: BATCH }).await?;
            if turns.is_empty() {
                break;
            }
            offset += turns.len() as u64;
            for turn in &turns {
                let whose = Suspect { turn: Some(turn.seq), ..whose.clone() };
                scanned.found.extend(suspects(&whose, turn_texts(turn)));
            }
        }
        scanned.scanned += offset;
    }
    Ok(scanned)
}

/// What was said in a conversation is redacted where anything else is refused.
fn suspects(whose: &Suspect, texts: Vec<Part<'_>>) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for (part, text) in texts {
        let guard::Examined { mut verdict, findings } = examine(&text);
        if verdict == Verdict::Accept {
            continue;
        }
        // A word under a name is only news when neither has been found out by itself.
        let is_pair = matches!(part, "metadata" | "text under its key");
        if is_pair && found.iter().any(|known| known.verdict >= verdict) {
            continue;
        }
        if whose.turn.is_some() && verdict == Verdict::Reject {
            let only_secrets = findings.iter().all(|f| f.category == Category::Secret);
            verdict = if only_secrets { Verdict::Redact } else { Verdict::Quarantine };
        }
        found.push(Suspect { part: part.to_owned(), verdict, findings, ..whose.clone() });
    }
    found
}
