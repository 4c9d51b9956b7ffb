//! The eight tools: what they are called, what they say of themselves, what they do.
//!
//! The list is the same for every client and in a fixed order, because clients cache it.

use std::sync::{Arc, LazyLock};

use nuthatch::Place;
use nuthatch::Shown;
use nuthatch::error::{Error, Result};
use nuthatch::forget::Forgotten;
use nuthatch::grant::Role;
use nuthatch::preamble::Preamble;
use nuthatch::recall::Recalled;
use nuthatch::remember::Remembered;
use nuthatch::session_context::SessionEntry;
use nuthatch::store::Listed;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::text;
use crate::schema;
use crate::verbs::{self, edit, forget, list, note, preamble, recall, remember, show};

/// What a tool answers: for the program, and for the model.
pub struct Reply {
    /// The whole answer.
    pub structured: Value,
    /// The same in few words.
    pub text: String,
}

impl Reply {
    fn new(answer: &impl Serialize, text: String) -> Result<Reply> {
        let structured = serde_json::to_value(answer)
            .map_err(|error| Error::internal("the answer is no JSON").with_source(error))?;
        Ok(Reply { structured, text })
    }
}

/// Which tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    /// Finds memories.
    Search,
    /// Stores one for good.
    Save,
    /// Stores one for the conversation.
    SessionSave,
    /// Shows one.
    Get,
    /// Lists them.
    List,
    /// Changes one.
    Update,
    /// Removes some.
    Forget,
    /// The block for a prompt.
    Context,
}

impl ToolName {
    const ALL: [(ToolName, &'static str); 8] = [
        (ToolName::Search, "memory_search"),
        (ToolName::Save, "memory_save"),
        (ToolName::SessionSave, "memory_session_save"),
        (ToolName::Get, "memory_get"),
        (ToolName::List, "memory_list"),
        (ToolName::Update, "memory_update"),
        (ToolName::Forget, "memory_forget"),
        (ToolName::Context, "memory_context"),
    ];

    /// The tool of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<ToolName> {
        ToolName::ALL.into_iter().find(|(_, known)| *known == name).map(|(tool, _)| tool)
    }
}

impl ToolName {
    /// The least role that may call it.
    #[must_use]
    pub fn needed(self) -> Role {
        match self {
            ToolName::Search | ToolName::Get | ToolName::List | ToolName::Context => Role::Reader,
            ToolName::Save | ToolName::SessionSave | ToolName::Update | ToolName::Forget => {
                Role::Writer
            }
        }
    }
}

/// Does what a tool does.
///
/// # Errors
/// Whatever the verb says; a model is told it and may try again.
pub async fn call(
    place: &Place,
    tool: ToolName,
    arguments: Value,
    connection: Option<&str>,
) -> Result<Reply> {
    match tool {
        ToolName::Search => {
            let found = recall::recall(place, verbs::read(arguments)?).await?;
            Reply::new(&found, text::recalled(&found, place))
        }
        ToolName::Save => {
            let saved = remember::remember(place, verbs::read(arguments)?).await?;
            Reply::new(&saved, text::remembered(&saved))
        }
        ToolName::SessionSave => {
            let noted = note::note(place, verbs::read(arguments)?, connection)?;
            Reply::new(&noted, "Noted for this conversation.".to_owned())
        }
        ToolName::Get => {
            let shown = show::show(place, verbs::read(arguments)?).await?;
            Reply::new(&shown, text::shown(&shown))
        }
        ToolName::List => {
            let args: list::ListArgs = verbs::read(arguments)?;
            let page = args.page()?;
            let listed = list::list(place, args).await?;
            Reply::new(&listed, text::listed(&listed, page, place))
        }
        ToolName::Update => {
            let shown = edit::edit(place, verbs::read(arguments)?).await?;
            Reply::new(&shown, format!("Updated.\n{}", text::shown(&shown)))
        }
        ToolName::Forget => {
            let gone = forget::forget(place, verbs::read(arguments)?).await?;
            Reply::new(&gone, format!("Forgotten for good: {}.", text::ids(&gone.forgotten)))
        }
        ToolName::Context => {
            let block = preamble::preamble(place, verbs::read(arguments)?, connection).await?;
            Reply::new(&block, text::preamble(&block))
        }
    }
}

/// What [`describe`] says, a line for each tool: a client that starts a server waits for it,
/// and reading costs a fraction of making it. `tests/it/documents.rs` holds it to the code.
const DESCRIBED: &str = include_str!("tools.jsonl");

/// Every tool, in the order in which clients see them.
#[must_use]
pub fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let read: serde_json::Result<Vec<Tool>> =
            DESCRIBED.lines().map(serde_json::from_str).collect();
        read.unwrap_or_else(|_| describe())
    });
    &TOOLS
}

/// What a tool does to memory.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    Adds,
    Changes,
    Destroys,
}

/// Every tool as the code has it.
#[must_use]
pub fn describe() -> Vec<Tool> {
    vec![
        tool::<recall::RecallArgs, Recalled>(
            "memory_search",
            "Search memory",
            Effect::Reads,
            "Find what was remembered in earlier sessions, best first. Use it before starting \
             a task and whenever the user refers to earlier work, preferences or decisions. \
             Each hit has an id, the matching passage and a score from 0 to 1; no hit means \
             nothing is known.",
        ),
        tool::<remember::RememberArgs, Remembered>(
            "memory_save",
            "Save to memory",
            Effect::Adds,
            "Remember one fact for good: something the user asked to be remembered, a \
             preference, a convention, a restriction, a decision. Not for file paths, project \
             structure, summaries of changes or what matters only now. The same text again is \
             the same memory.",
        ),
        tool::<note::NoteArgs, SessionEntry>(
            "memory_session_save",
            "Note for this conversation",
            Effect::Adds,
            "Note something that only this conversation needs: the host, the working \
             directory, the state of a service. Kept in RAM, never on disk, gone when the \
             conversation ends. Read it back with memory_context.",
        ),
        tool::<show::ShowArgs, Shown>(
            "memory_get",
            "Read a memory",
            Effect::Reads,
            "Read one memory in full, by id or key, with everything it said before.",
        ),
        tool::<list::ListArgs, Listed>(
            "memory_list",
            "List memories",
            Effect::Reads,
            "List memories, newest first, a page at a time; the answer says how many there \
             are. To find something by its meaning use memory_search.",
        ),
        tool::<edit::EditArgs, Shown>(
            "memory_update",
            "Correct a memory",
            Effect::Changes,
            "Change the text, key, category, pin, importance or metadata of a memory that is \
             wrong or outdated. What is not named stays; the old text is kept as a version, \
             and undo brings it back.",
        ),
        tool::<forget::ForgetArgs, Forgotten>(
            "memory_forget",
            "Forget memories",
            Effect::Destroys,
            "Remove memories and everything they ever said, for good. Use it when the user \
             asks to forget something; to correct a memory use memory_update.",
        ),
        tool::<preamble::PreambleArgs, Preamble>(
            "memory_context",
            "Memory for this task",
            Effect::Reads,
            "Everything remembered that matters here, as one block within a token budget: \
             lasting memories first, this conversation's notes last. Call it once at the start \
             of a session.",
        ),
    ]
}

fn tool<I: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    effect: Effect,
    description: &'static str,
) -> Tool {
    let mut tool = Tool::new(name, description, Arc::new(schema::input::<I>()))
        .with_title(title)
        .with_raw_output_schema(Arc::new(schema::output::<O>()))
        .with_annotations(annotations(title, effect));
    if name == "memory_search" {
        // The one tool that a client which hides tools behind a search should show at once.
        let meta = json!({"anthropic/alwaysLoad": true});
        tool.meta = serde_json::from_value::<MetaObject>(meta).ok();
    }
    tool
}

fn annotations(title: &str, effect: Effect) -> ToolAnnotations {
    let (reads, destroys, repeatable) = match effect {
        Effect::Reads => (true, false, true),
        Effect::Adds => (false, false, true),
        Effect::Changes => (false, true, false),
        Effect::Destroys => (false, true, true),
    };
    ToolAnnotations::with_title(title)
        .read_only(reads)
        .destructive(destroys)
        .idempotent(repeatable)
        .open_world(false)
}
