//! Memories on their way in and out, in the formats that tools exchange.
//!
//! Pure: a reader turns a stream into [`Item`]s, one at a time and within bounds, a writer
//! turns records into bytes. Nothing here decides what is kept (see [`crate::import`]) or
//! what leaves (see [`crate::export`]); archives, folders and databases are opened elsewhere.

pub mod chatgpt;
pub mod claude;
pub mod facts;
pub mod json;
pub mod jsonl;
pub mod letta;
pub mod lines;
pub mod markdown;
pub mod mcp_memory;
pub mod mif;
pub mod notes;
pub mod plan_memory;
mod sniff;
mod telling;

use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::error::{Error, Result};
use crate::memory::{Importance, Record};
use crate::record::Conversation;
use crate::scope::Scope;
use crate::session::{Session, Turn};

pub use sniff::{HEAD_BYTES, sniff};
pub use telling::{Sink, Telling};

/// Something that comes in.
#[derive(Clone, Debug)]
pub enum Item {
    /// A memory of ours with everything it ever said.
    Record(Box<Record>),
    /// A conversation of ours.
    Session(Box<Session>),
    /// What was said in one that came before.
    Turns(Vec<Turn>),
    /// Something that another tool holds true.
    Fact(Box<Fact>),
    /// A conversation of another tool, or a part of it.
    Talk(Box<Conversation>),
}

/// Something that another tool holds true, as far as it says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// What it says.
    pub content: String,
    /// What names it there.
    pub key: Option<String>,
    /// What kind it is.
    pub category: Option<Category>,
    /// Whose it is, where the format knows.
    pub scope: Option<Scope>,
    /// The requirement of a plan it belongs to.
    pub requirement: Option<String>,
    /// When it was first stored.
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// Whether it is never pushed out.
    pub pinned: bool,
    /// How much it matters.
    pub importance: Option<Importance>,
    /// Anything else: names and values.
    pub metadata: Vec<(String, String)>,
    /// Where in its source it stands, for example a file of a folder.
    pub place: Option<String>,
}

impl Fact {
    /// A fact with nothing but its text.
    pub fn new(content: impl Into<String>) -> Self {
        Fact { content: content.into(), ..Fact::default() }
    }
}

/// A format that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Format {
    /// Everything, a thing a line: our own.
    Jsonl,
    /// Headings and lists, for people.
    Markdown,
    /// The file of MCP's reference memory server.
    McpMemory,
    /// The Memory Interchange Format, 2.x.
    Mif,
    /// A JSON array of facts, such as `memory.json`.
    Facts,
    /// Lines that begin with a section sign.
    Notes,
    /// Outputs of agents in a plan.
    PlanMemory,
    /// An agent of Letta in a file.
    Letta,
    /// What ChatGPT exports.
    Chatgpt,
    /// What Claude exports.
    Claude,
    /// A SQLite database of another tool.
    Sqlite,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 11] = [
        Format::Jsonl,
        Format::Markdown,
        Format::McpMemory,
        Format::Mif,
        Format::Facts,
        Format::Notes,
        Format::PlanMemory,
        Format::Letta,
        Format::Chatgpt,
        Format::Claude,
        Format::Sqlite,
    ];
    /// Those that are written.
    pub const WRITTEN: [Format; 4] =
        [Format::Jsonl, Format::Markdown, Format::McpMemory, Format::Mif];

    /// The name used on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Markdown => "markdown",
            Format::McpMemory => "mcp-memory",
            Format::Mif => "mif",
            Format::Facts => "facts",
            Format::Notes => "notes",
            Format::PlanMemory => "plan-memory",
            Format::Letta => "letta",
            Format::Chatgpt => "chatgpt",
            Format::Claude => "claude",
            Format::Sqlite => "sqlite",
        }
    }

    /// What a file of it is, for whoever is sent one.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Jsonl | Format::McpMemory => "application/x-ndjson",
            Format::Markdown | Format::Notes => "text/markdown; charset=utf-8",
            Format::Sqlite => "application/vnd.sqlite3",
            _ => "application/json",
        }
    }

    /// How such a file ends.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Format::Jsonl | Format::McpMemory => "jsonl",
            Format::Markdown | Format::Notes => "md",
            Format::Letta => "af",
            Format::Sqlite => "db",
            _ => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Format::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let known: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            Error::invalid("unknown format").with_hint(format!("one of: {}", known.join(", ")))
        })
    }
}

/// Reads a stream of `format`, telling what is in it. What cannot be read is counted.
///
/// # Errors
/// Of kind `invalid`, when it is not of that format or breaks off, after what stands before
/// was told; whatever the listener says.
pub fn read(format: Format, input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    match format {
        Format::Jsonl => jsonl::read(input, telling),
        Format::Markdown => markdown::read(input, telling),
        Format::McpMemory => mcp_memory::read(input, telling),
        Format::Mif => mif::read(input, telling),
        Format::Facts => facts::read(input, telling),
        Format::Notes => notes::read(input, telling),
        Format::PlanMemory => plan_memory::read(input, telling),
        Format::Letta => letta::read(input, telling),
        Format::Chatgpt => chatgpt::read(input, telling),
        Format::Claude => claude::read(input, telling),
        Format::Sqlite => {
            Err(Error::invalid("a database is not read from a stream").with_hint("name the file"))
        }
    }
}

/// A value on a line of its own.
pub(crate) fn line(value: &impl Serialize, into: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *into, value)
        .map_err(|error| Error::internal("a line cannot be written").with_source(error))?;
    into.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests;
