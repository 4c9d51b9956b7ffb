//! What one line of a file of Claude Code tells.
//!
//! Kinds of lines come and go with every version: those that are not known are counted.

use nuthatch::transcript::Voice;

use super::super::chain::{Chain, Link, Marks};
use super::super::json::{self, Object};
use super::super::stream::Teller;
use super::super::telling::{Beside, Telling};
use super::super::words;

/// Lines that keep the product's own books.
const BOOKS: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "file-history-snapshot",
    "frame-link",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "result",
    "speculation-accept",
    "started",
    "tag",
    "task-summary",
    "worktree-state",
];
/// Lines that name the session, the best name last.
const NAMES: &[(&str, &str)] = &[
    ("summary", "summary"),
    ("last-prompt", "lastPrompt"),
    ("ai-title", "aiTitle"),
    ("custom-title", "customTitle"),
];
/// Who may put a prompt into a session beside the person.
const OTHERS: &[&str] =
    &["agent", "channel", "coordinator", "hook", "peer", "task-notification", "teammate"];
/// Kinds of attachments that say nothing of what was said.
const ATTACHED: &[&str] = &[
    "agent_listing_delta",
    "auto_mode",
    "batching_reminder_sent",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "date_change",
    "deferred_tools_delta",
    "diagnostics",
    "directory",
    "dynamic_skill",
    "edited_text_file",
    "file",
    "hook_additional_context",
    "hook_blocking_error",
    "hook_cancelled",
    "hook_non_blocking_error",
    "hook_success",
    "hook_system_message",
    "invoked_skills",
    "mcp_instructions_delta",
    "mcp_resource",
    "nested_memory",
    "opened_file_in_ide",
    "output_style",
    "plan_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "read_truncation_notice",
    "relevant_memories",
    "selected_lines_in_ide",
    "silent_turn_reminder",
    "skill_listing",
    "task_reminder",
    "task_status",
    "todo",
    "todo_reminder",
    "token_usage",
    "total_tokens_reminder",
    "ultra_effort_enter",
    "ultra_effort_exit",
];
/// Before what a person said when refusing a tool.
const REFUSAL: &str = "the user said:\n";

/// The names of a session, as they come.
#[derive(Debug, Default)]
pub(super) struct Titles([Option<String>; NAMES.len()], Option<String>);

impl Titles {
    /// The best of them: what a person chose, what the model chose, what was asked.
    pub(super) fn best(self) -> Option<String> {
        let best = self.0.into_iter().rev().flatten().next().or(self.1)?;
        Some(words::title(&best))
    }
}

/// Whether lines of this kind are known.
pub(super) fn is_known(kind: &str) -> bool {
    matches!(kind, "user" | "assistant" | "system" | "attachment" | "relocated")
        || BOOKS.contains(&kind)
        || NAMES.iter().any(|(name, _)| *name == kind)
}

/// How a line hangs together with others.
pub(super) fn link(line: &Object<'_>) -> Link {
    let kind = line.text("type").unwrap_or_default();
    let (is_user, is_model) = (kind == "user", kind == "assistant");
    let is_side = line.is("isSidechain") || line.raw("teamName").is_some();
    let message = if is_user || is_model { line.inner("message") } else { Object::default() };
    let content = message.raw("content").map_or("", |content| content.get());
    let answers = content.starts_with('[') && content.contains("\"tool_result\"");
    let is_said = !is_side && !line.is("isMeta");
    Link {
        id: Link::named(line, "uuid"),
        // Behind a compaction the talk goes on where it was.
        parent: match Link::named(line, "parentUuid") {
            0 => Link::named(line, "logicalParentUuid"),
            parent => parent,
        },
        reply: if is_model { Link::named(&message, "id") } else { 0 },
        is_prompt: is_user && is_said && !answers && !line.is("isCompactSummary"),
        is_talk: (is_user || is_model) && is_said,
        is_side,
    }
}

/// Tells the lines of a file.
pub(super) struct Lined {
    chain: Chain,
    titles: Titles,
}

impl Lined {
    /// With what hangs together.
    pub(super) fn new(chain: Chain) -> Self {
        Lined { chain, titles: Titles::default() }
    }
}

impl Teller for Lined {
    fn line(
        &mut self,
        at: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        tell(line, self.chain.marks(at), telling, &mut self.titles)
    }

    fn done(&mut self, telling: &mut Telling<'_>) {
        if self.chain.is_partial() {
            telling.skip("too many lines to tell branches apart");
        }
        let title = std::mem::take(&mut self.titles).best();
        telling.head.title = title.or(telling.head.title.take());
    }
}

fn tell(
    line: &Object<'_>,
    marks: Marks,
    telling: &mut Telling<'_>,
    titles: &mut Titles,
) -> Result<(), &'static str> {
    if marks.repeated {
        return Err("repeated");
    }
    let Some(kind) = line.text("type") else { return Err("no type") };
    let at = line.time("timestamp");
    telling.seen(at);
    let head = &mut telling.head;
    head.folder = head.folder.take().or_else(|| line.said("cwd"));
    head.branch = line.said("gitBranch").or(head.branch.take());
    let aside = marks.aside && telling.head.parent.is_none();
    let beside = Beside { at, aside, ..Beside::default() };
    match &*kind {
        "user" => user(line, &beside, telling, titles),
        "assistant" => assistant(line, marks, &beside, telling),
        "attachment" => attachment(line, &beside, telling),
        "system" => {}
        "relocated" => {
            let head = &mut telling.head;
            head.folder = line.said("relocatedCwd").or(head.folder.take());
        }
        kind if BOOKS.contains(&kind) => {}
        kind => match NAMES.iter().position(|(name, _)| *name == kind) {
            Some(rank) => titles.0[rank] = line.said(NAMES[rank].1).or(titles.0[rank].take()),
            None => telling.unknown("type", Some(kind)),
        },
    }
    Ok(())
}

fn user(line: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>, titles: &mut Titles) {
    let Some(content) = line.inner("message").raw("content") else {
        return telling.skip("user without content");
    };
    if line.is("isCompactSummary") {
        return telling.summary(beside, &json::texts(content));
    }
    let origin = line.inner("origin");
    let is_others = line.is("isMeta")
        || line.is("isSidechain")
        || line.raw("planContent").is_some()
        || telling.head.parent.is_some()
        || is_from_others(&origin);
    let mut say = |text: &str, telling: &mut Telling<'_>| {
        if is_others {
            telling.host(beside, text);
        } else {
            titles.1 = titles.1.take().or_else(|| first_words(text));
            telling.user(beside, text);
        }
    };
    if let Some(text) = json::text(content) {
        return say(&text, telling);
    }
    for block in json::items(content).into_iter().filter_map(json::object) {
        match block.text("type").as_deref() {
            Some("text") => say(&block.text("text").unwrap_or_default(), telling),
            Some("tool_result") => {
                if let Some(said) = result(line, &block, beside, telling) {
                    say(&said, telling);
                }
            }
            Some("image" | "document") => {}
            kind => telling.unknown("block", kind),
        }
    }
}

/// Tells the result of a tool; what the person said in it, if it was refused with words.
fn result(
    line: &Object<'_>,
    block: &Object<'_>,
    beside: &Beside,
    telling: &mut Telling<'_>,
) -> Option<String> {
    let output = block.raw("content").map(json::texts).unwrap_or_default();
    let failed = block.is("is_error") || line.inner("toolUseResult").is("is_error");
    telling.result(beside, &block.text("tool_use_id").unwrap_or_default(), failed, &output);
    if !failed || telling.head.parent.is_some() {
        return None;
    }
    let said = output.split_once(REFUSAL)?.1;
    Some(said.split("\n\nNote:").next().unwrap_or(said).trim().to_owned())
}

fn assistant(line: &Object<'_>, marks: Marks, beside: &Beside, telling: &mut Telling<'_>) {
    let message = line.inner("message");
    let model = message.said("model");
    if model.as_deref() == Some("<synthetic>") || line.is("isApiErrorMessage") {
        return;
    }
    let Some(content) = message.raw("content") else {
        return telling.skip("assistant without content");
    };
    let beside = &Beside { model, ..beside.clone() };
    if let Some(text) = json::text(content) {
        telling.assistant(beside, &text);
    }
    for block in message.items("content").into_iter().filter_map(json::object) {
        match block.text("type").as_deref() {
            Some("text") => {
                telling.assistant(beside, &block.text("text").unwrap_or_default());
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                let (id, name) = (block.text("id"), block.text("name"));
                let input = block.raw("input").map_or("", |input| input.get());
                let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
                telling.call(beside, &id, &name, input);
            }
            Some("thinking" | "redacted_thinking" | "fallback") => {}
            Some(kind) if kind.ends_with("_tool_result") => {
                let output = block.raw("content").map(json::texts).unwrap_or_default();
                let id = block.text("tool_use_id").unwrap_or_default();
                telling.result(beside, &id, false, &output);
            }
            kind => telling.unknown("block", kind),
        }
    }
    if marks.ends_reply {
        let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        telling.cost(message.inner("usage").usage(&read, &["output_tokens"]));
    }
}

/// What was attached: only a prompt that was typed while the model was at work is told.
fn attachment(line: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    let attached = line.inner("attachment");
    let kind = attached.text("type");
    match kind.as_deref() {
        Some("queued_command") => {
            let prompt = attached.raw("prompt").map(json::texts).unwrap_or_default();
            let mode = attached.text("commandMode");
            let is_others = mode.is_some_and(|mode| mode != "prompt")
                || attached.is("isMeta")
                || line.is("isMeta")
                || line.is("isSidechain")
                || telling.head.parent.is_some()
                || is_from_others(&attached.inner("origin"));
            if prompt.trim().is_empty() {
                telling.skip("prompt without words");
            } else if is_others {
                telling.host(beside, &prompt);
            } else {
                telling.user(beside, &prompt);
            }
        }
        Some("hook_additional_context") => telling.skip("injected by a hook"),
        Some(kind) if ATTACHED.contains(&kind) => {}
        kind => telling.unknown("attachment", kind),
    }
}

fn is_from_others(origin: &Object<'_>) -> bool {
    let kind = origin.text("kind");
    kind.is_some_and(|kind| OTHERS.contains(&&*kind))
        || origin.raw("from").is_some()
        || origin.raw("senderTaskId").is_some()
}

/// What a person began with, for a session that nobody named.
fn first_words(text: &str) -> Option<String> {
    let (voice, text) = words::of_user(text)?;
    (voice == Voice::Person).then_some(text)
}
