//! The memory tool `memory_20250818`: its commands as one flat shape.
//!
//! What they do stands in the library's own `memory_tool`.

use nuthatch::Place;
use nuthatch::error::Result;
use nuthatch::memory_tool::{self, Command, Told};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read;

/// Which command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandName {
    /// Shows a folder or a file.
    View,
    /// Makes a file.
    Create,
    /// Replaces a text that occurs once.
    StrReplace,
    /// Inserts a text after a line.
    Insert,
    /// Removes a file or a folder.
    Delete,
    /// Moves a file or a folder.
    Rename,
}

/// A call of the tool, as the model makes it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// Which command.
    pub command: CommandName,
    /// Where: /memories, or something below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// view: only from this line to that one; -1 means the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_range: Option<Vec<i64>>,
    /// create: what is in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_text: Option<String>,
    /// str_replace: the text to replace, which must occur once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_str: Option<String>,
    /// str_replace: what stands there afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_str: Option<String>,
    /// insert: after which line; 0 is the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert_line: Option<i64>,
    /// insert: what to insert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert_text: Option<String>,
    /// rename: from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// rename: to there, where nothing may be yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
}

impl ToolCall {
    /// Carries it out.
    ///
    /// # Errors
    /// `invalid`, when it has not what its command needs; every other failure is an answer.
    pub async fn run(&self, place: &Place) -> Result<Told> {
        let flat = serde_json::to_value(self).unwrap_or(Value::Null);
        let command: Command = read(flat)?;
        Ok(memory_tool::run(place, &command).await)
    }
}
