//! Names of things: newtypes over identifiers, so that one kind cannot stand for another.
//!
//! Memory and change-set ids are UUIDs (version 7 when we make them, so that they sort by
//! time; any version when they come from elsewhere). Session, project and requirement ids
//! are text, because other products make them too.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};

/// Longest session id accepted: the longest seen in the wild is a path of about 200.
const SESSION_ID_CHARS: usize = 512;
/// Longest model id: name, version and hash with room to spare.
const MODEL_ID_CHARS: usize = 256;
/// Longest project or requirement id: both become folder names.
const FOLDER_ID_CHARS: usize = 64;

/// Names one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryId(pub Uuid);

/// Names one [`ChangeSet`](crate::change::ChangeSet), so that applying it twice does it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChangeSetId(pub Uuid);

impl MemoryId {
    /// A stable id for something that has none of its own, such as a line written by hand:
    /// the same parts always give the same id.
    #[must_use]
    pub fn derived(parts: &[&str]) -> Self {
        MemoryId(derived_uuid(parts))
    }
}

/// A version 8 UUID out of a hash of `parts`.
fn derived_uuid(parts: &[&str]) -> Uuid {
    uuid::Builder::from_custom_bytes(hashed(parts)).into_uuid()
}

/// A hash of `parts`; each part is length-prefixed, so that `["ab", "c"]` and `["a", "bc"]`
/// differ.
fn hashed(parts: &[&str]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    bytes
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for MemoryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Uuid::parse_str(text.trim()).map(MemoryId).map_err(|_| {
            Error::invalid(format!("not a memory id: {:?}", shorten(text)))
                .with_hint("an id looks like 01890a5d-ac96-774b-bcce-b302099a8057")
        })
    }
}

/// Names one turn: a conversation and a place in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnId {
    /// The conversation.
    pub session: SessionId,
    /// Its place in the conversation.
    pub seq: u64,
}

/// Names one document: whatever a search can find by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocId {
    /// A memory.
    Memory(MemoryId),
    /// A turn of a conversation.
    Turn(TurnId),
}

/// What equal texts have in common, in 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of a document: of its key, if it has one, and its text.
    #[must_use]
    pub fn of(key: Option<&str>, text: &str) -> Self {
        let parts = [key.unwrap_or_default(), text];
        ContentHash(hashed(if key.is_some() { &parts } else { &parts[1..] }))
    }
}

impl DocId {
    /// The memory, if it is one.
    #[must_use]
    pub fn memory(&self) -> Option<MemoryId> {
        match self {
            DocId::Memory(id) => Some(*id),
            DocId::Turn(_) => None,
        }
    }

    /// The turn, if it is one.
    #[must_use]
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            DocId::Memory(_) => None,
            DocId::Turn(id) => Some(id),
        }
    }
}

/// Foreign input quoted in an error is cut: a whole file may have been pasted by mistake.
fn shorten(text: &str) -> String {
    let cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        pub struct $name(String);

        impl $name {
            /// Checks and wraps `text`.
            ///
            /// # Errors
            /// Of kind `invalid`, when the text cannot be such an id.
            pub fn new(text: impl Into<String>) -> Result<Self> {
                let text = text.into();
                $check(&text)?;
                Ok(Self(text))
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;
            fn try_from(text: String) -> Result<Self> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }
    };
}

text_id!(
    /// Names one conversation, ours or another product's: any text without control characters.
    SessionId,
    check_session_id
);
text_id!(
    /// Names one project: letters, digits, `.`, `_` and `-`, beginning with a letter or digit.
    ProjectId,
    check_folder_id
);
text_id!(
    /// Names one embedding model exactly, as `name@version#hash`, the hash by its first 16
    /// digits: any text without blanks and control characters. Vectors of two ids never meet.
    ModelId,
    check_model_id
);
text_id!(
    /// Names one requirement of a project, for example `REQ-069`; same form as a project id.
    RequirementId,
    check_folder_id
);
text_id!(
    /// Names one agent of a workspace, for example `code-agent`; same form as a project id, and
    /// never two dots in a row.
    AgentId,
    check_agent_id
);

fn check_agent_id(text: &str) -> Result<()> {
    if folder_id(text) && !text.contains("..") {
        return Ok(());
    }
    Err(Error::invalid(format!("not an agent id: {:?}", shorten(text))).with_hint(FOLDER_ID_HINT))
}

fn check_session_id(text: &str) -> Result<()> {
    if text.trim().is_empty() || text.trim() != text {
        return Err(Error::invalid("a session id must not be empty or padded with spaces"));
    }
    if text.chars().any(char::is_control) || text.chars().count() > SESSION_ID_CHARS {
        return Err(Error::invalid(format!("not a session id: {:?}", shorten(text)))
            .with_hint("at most 512 characters, none of them a control character"));
    }
    Ok(())
}

fn check_model_id(text: &str) -> Result<()> {
    let legal = |c: char| !c.is_whitespace() && !c.is_control();
    if !text.is_empty() && text.chars().all(legal) && text.chars().count() <= MODEL_ID_CHARS {
        return Ok(());
    }
    Err(Error::invalid(format!("not a model id: {:?}", shorten(text)))
        .with_hint("an id looks like name@version#0123456789abcdef, without blanks"))
}

const FOLDER_ID_HINT: &str =
    "1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit";

fn folder_id(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let starts_well = text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    starts_well && text.chars().all(legal) && text.len() <= FOLDER_ID_CHARS
}

fn check_folder_id(text: &str) -> Result<()> {
    if folder_id(text) {
        return Ok(());
    }
    Err(Error::invalid(format!("not a project or requirement id: {:?}", shorten(text)))
        .with_hint(FOLDER_ID_HINT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_ids_are_stable_and_depend_on_where_parts_end() {
        assert_eq!(MemoryId::derived(&["a", "b"]), MemoryId::derived(&["a", "b"]));
        assert_ne!(MemoryId::derived(&["ab", "c"]), MemoryId::derived(&["a", "bc"]));
    }

    #[test]
    fn a_project_id_cannot_leave_its_folder() {
        for bad in ["", "..", "a/b", "a\\b", ".hidden", "a:b", "ä", "a b", &"x".repeat(65)] {
            assert!(ProjectId::new(bad).is_err(), "{bad:?} was accepted");
        }
        assert!(ProjectId::new("REQ-069").is_ok());
        assert!(ProjectId::new("my.project_1").is_ok());
    }

    #[test]
    fn an_agent_id_cannot_leave_its_folder() {
        for bad in ["", "..", "a..b", "../a", "a/b", "a[b", "a b", "-a"] {
            assert!(AgentId::new(bad).is_err(), "{bad:?} was accepted");
        }
        assert!(AgentId::new("review-agent.v2").is_ok());
    }

    #[test]
    fn a_session_id_is_any_printable_text() {
        assert!(SessionId::new("telegram:42/ünï").is_ok());
        for bad in ["", " a", "a\nb", "a\u{0}"] {
            assert!(SessionId::new(bad).is_err(), "{bad:?} was accepted");
        }
    }
}
