//! What a session of some agent has taught, found by rules or by a model.
//!
//! Values and entry points. [`Rules`] folds over the events of a session and keeps nothing of
//! its size; [`Windows`] cuts it into pieces a model can read, without secrets, and
//! [`by_model`] asks. Both answer with an [`Extracted`]: memories that name the turns they
//! come from, and a synopsis. Reading sessions is `nuthatch-sources`' business, storing what
//! was found the caller's, making documents of it `consolidate`'s.

mod alone;
mod answer;
mod asked;
mod by_model;
mod commands;
mod failure;
mod language;
mod pattern;
mod prose;
mod purpose;
mod rules;
mod shell;
mod synopsis;
mod window;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::guard::{Verdict, examine};
use crate::id::SessionId;
use crate::model::Usage;
use crate::remember::RememberRequest;
use crate::scope::Scope;
use crate::transcript::{Event, SessionHead};
use crate::trust::{Origin, Source, Trust};

pub(crate) use answer::ask;
pub use by_model::{by_model, estimate};
pub use rules::Rules;
pub use window::{Shape, Window, Windows};

/// Longest quote of a turn, in characters: enough to recognise it.
pub(crate) const QUOTE_CHARS: usize = 300;

/// Name in a memory's metadata under which it says what it was learned as.
pub const LEARNED_AS: &str = "learned_as";
/// Name in a memory's metadata under which it quotes the turns that show it.
pub const QUOTED: &str = "quote";

/// A place in a session that shows something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The product's own id of the session.
    pub session: String,
    /// The events, by their `seq`, in order.
    pub seqs: Vec<u64>,
    /// What stands there, shortened, without secrets.
    pub quote: String,
}

/// Whom a memory is about, and so where it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The person: it holds in every project.
    Person,
    /// The project the session worked in.
    Project,
}

/// Something worth keeping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// One sentence or two that can be read alone, months later.
    pub text: String,
    /// What kind of memory it makes.
    pub category: Category,
    /// Where it holds.
    pub about: About,
    /// What shows it; never empty.
    pub evidence: Vec<Evidence>,
    /// When it was said.
    pub at: Option<Timestamp>,
    /// `inferred`, or `quarantined` where it is suspicious or only a tool's output shows it.
    pub trust: Trust,
    /// What it was learned as, and the parts it was made of: commands, programs.
    pub details: BTreeMap<String, String>,
}

impl Learned {
    /// Names this fact without a word of it: session, turns and text, folded. What a person
    /// has forgotten is not learned again from the same turns.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for one in &self.evidence {
            hasher.update(one.session.as_bytes());
            for seq in &one.seqs {
                hasher.update(&seq.to_le_bytes());
            }
            hasher.update(&[0]);
        }
        hasher.update(folded(&self.text).as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The request that stores it in a scope, with all that shows where it comes from.
    #[must_use]
    pub fn remember(&self, scope: Scope) -> RememberRequest {
        let mut request = RememberRequest::new(&self.text, scope);
        request.category = Some(self.category.clone());
        request.origin = Origin::Extracted;
        request.trust = Some(self.trust);
        request.metadata.clone_from(&self.details);
        if let Some(first) = self.evidence.first() {
            request.session = SessionId::new(&first.session).ok();
            request.metadata.insert(QUOTED.into(), first.quote.clone());
        }
        let turns = self.evidence.iter().flat_map(|one| one.seqs.iter().copied()).collect();
        request.source = Some(Source { session: request.session.clone(), turns, place: None });
        request
    }
}

/// What a session was about, in a few sentences, for the consolidation of its project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Synopsis {
    /// The product's own id of the session.
    pub session: String,
    /// The product.
    pub agent: String,
    /// When something last happened in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What it was about; empty when that cannot be told.
    pub text: String,
    /// Commands that worked, in one normal form: what recurs over sessions is a workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
}

/// A command that was run in a session and worked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Command {
    /// The command line, without what belongs to one run alone.
    pub line: String,
    /// How often it worked.
    pub worked: u32,
    /// Whether the person asked for it by name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

/// What came of a session. Nothing to remember is a good answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// The session.
    pub head: SessionHead,
    /// What is worth keeping.
    pub memories: Vec<Learned>,
    /// What it was about.
    pub synopsis: Synopsis,
    /// What a model cost; nothing by rules.
    #[serde(default)]
    pub usage: Usage,
    /// What was left out, by reason: a secret in it, no evidence, not readable.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped: BTreeMap<String, u64>,
}

/// Extracts by rules from events that are all at hand.
#[must_use]
pub fn by_rules<'a>(head: &SessionHead, events: impl IntoIterator<Item = &'a Event>) -> Extracted {
    let mut rules = Rules::new(head.clone());
    for event in events {
        rules.see(event);
    }
    rules.done()
}

/// What the guard makes of something learned: nothing where it holds a secret, quarantined
/// where it is suspicious.
pub(crate) fn guarded(mut learned: Learned) -> Option<Learned> {
    let texts = std::iter::once(&learned.text)
        .chain(learned.details.values())
        .chain(learned.evidence.iter().map(|one| &one.quote));
    let worst = texts.map(|text| examine(text).verdict).max().unwrap_or_default();
    match worst {
        Verdict::Accept => Some(learned),
        Verdict::Quarantine => {
            learned.trust = Trust::Quarantined;
            Some(learned)
        }
        Verdict::Redact | Verdict::Reject => None,
    }
}

/// The words of a text alone, in lower case: two that fold alike say the same.
pub(crate) fn folded(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<String>>().join(" ")
}

/// At most so many characters of a text, on one line, with a mark where it was cut.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    if line.chars().count() <= chars {
        return line;
    }
    let cut: String = line.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests;
