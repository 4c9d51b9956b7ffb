//! `note`: what a running thread found out; in RAM, for that thread alone.
//!
//! Nothing of it is ever stored; what lasts is remembered.

use nuthatch::Place;
use nuthatch::category::Category;
use nuthatch::error::{Error, Result};
use nuthatch::session_context::SessionEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest name of a thread.
const THREAD_CHARS: usize = 256;

/// What was found out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteArgs {
    /// What was found out, in one line.
    pub content: String,
    /// Kind of finding: host_info, environment, working_directory, service_state, discovery.
    /// Default discovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The name of your conversation. Default this connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// What a thread noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Noted {
    /// Oldest first.
    pub entries: Vec<SessionEntry>,
}

/// The thread that is meant: the one that is named, or the caller's connection.
///
/// # Errors
/// `invalid`, when neither is known.
pub fn thread(named: Option<String>, connection: Option<&str>) -> Result<String> {
    match named {
        Some(name) if name.trim().is_empty() || name.chars().count() > THREAD_CHARS => {
            Err(Error::invalid(format!("a thread is named with 1 to {THREAD_CHARS} characters")))
        }
        Some(name) => Ok(name),
        None => connection.map(str::to_owned).ok_or_else(|| {
            Error::invalid("it is not known which conversation this is")
                .with_hint("name it with the argument `thread`, the same name in every call")
        }),
    }
}

/// Notes it.
///
/// # Errors
/// `invalid`, when the text is empty once sanitised or no thread is known; `denied` by the
/// gate.
pub fn note(place: &Place, args: NoteArgs, connection: Option<&str>) -> Result<SessionEntry> {
    let thread = thread(args.thread, connection)?;
    let category = Category::new(args.category.as_deref().unwrap_or("discovery"))?;
    place.engine().note(&thread, category, &args.content)
}

/// What a thread noted.
///
/// # Errors
/// `invalid`, when it can be no thread.
pub fn notes(place: &Place, name: String) -> Result<Noted> {
    Ok(Noted { entries: place.engine().notes(&thread(Some(name), None)?) })
}
