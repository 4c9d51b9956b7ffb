//! Versions, tombstones, conversations and turns as JSON lines.
//!
//! These files are canonical, but not for people. A last line that was torn off is passed
//! over and said in the check; anything else that cannot be read is an error, because the
//! next write would lose it.

use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::id::SessionId;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stamp;

/// Where old texts of memories are, inside the state folder.
pub const VERSIONS: &str = "versions.jsonl";
/// Where it is noted what was forgotten.
pub const TOMBSTONES: &str = "tombstones.jsonl";
/// Where conversations are.
pub const SESSIONS: &str = "sessions.jsonl";
/// Where turns are: a file for each conversation.
pub const TURNS: &str = "turns";

/// The file of a conversation's turns. Ids are any text, so the name is a hash.
pub fn turns_file(id: &SessionId) -> PathBuf {
    let name: String = stamp::hash(id.as_str().as_bytes()).chars().take(32).collect();
    Path::new(TURNS).join(format!("{name}.jsonl"))
}

/// Whether a path inside the state folder is that of some conversation's turns.
pub fn is_turns_file(relative: &str) -> bool {
    let name = relative.strip_prefix(TURNS).and_then(|rest| rest.strip_prefix('/'));
    let hash = name.and_then(|name| name.strip_suffix(".jsonl"));
    hash.is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Reads every line of a file.
pub fn read_lines<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => values.push(value),
            // Only the last line can be torn, and then it was never acknowledged.
            Err(error) if lines.peek().is_none() && error.is_eof() => {}
            Err(error) => {
                return Err(Error::unavailable(format!(
                    "{} cannot be read at line {}",
                    path.display(),
                    number + 1
                ))
                .with_hint("mend or remove that line; nothing was changed")
                .with_source(error));
            }
        }
    }
    Ok(values)
}

/// A file of one line for each value; none when there is no value.
pub fn write_lines<T: Serialize>(values: &[T]) -> Result<Option<Vec<u8>>> {
    if values.is_empty() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    for value in values {
        serde_json::to_writer(&mut bytes, value).map_err(unwritable)?;
        bytes.push(b'\n');
    }
    Ok(Some(bytes))
}

/// A value of ours that JSON cannot hold: a bug.
pub fn unwritable(error: serde_json::Error) -> Error {
    Error::internal("a value cannot be written as JSON").with_source(error)
}
