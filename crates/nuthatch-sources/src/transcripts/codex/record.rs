//! What one record of a file of Codex CLI tells.
//!
//! Which of the doubled records is believed is decided in `shape`.

use std::borrow::Cow;

use jiff::Timestamp;

use super::super::json::{self, Object};
use super::super::stream::Teller;
use super::super::telling::{Beside, Telling};
use super::super::words;
use super::shape::{Believed, Shape};

/// Before what a person typed, where an editor adds what it shows.
const REQUEST: &str = "## My request for Codex:";
/// Items that say nothing of what was said.
const QUIET_ITEMS: &[&str] = &[
    "agent_message",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "ghost_snapshot",
    "image_generation_call",
    "other",
    "reasoning",
    "tool_search_output",
];
/// Events that say nothing of what was said, or say it again.
const QUIET_EVENTS: &[&str] = &[
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "entered_review_mode",
    "error",
    "exec_command_end",
    "exited_review_mode",
    "image_generation_end",
    "item_completed",
    "mcp_tool_call_end",
    "patch_apply_end",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "task_started",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "turn_aborted",
    "turn_complete",
    "turn_started",
    "user_message",
    "view_image_tool_call",
    "warning",
    "web_search_end",
];

/// Tells the records of a file.
pub(super) struct Records {
    shape: Shape,
    /// Whether a head has been found; later ones are copies of other threads.
    has_head: bool,
    model: Option<String>,
    /// A thread that was forked from another begins with a copy of it.
    copied_before: Option<Timestamp>,
    first_ordinal: i64,
}

impl Records {
    /// With what the file is like.
    pub(super) fn new(shape: Shape, is_at_start: bool) -> Self {
        Records {
            shape,
            has_head: !is_at_start,
            model: None,
            copied_before: None,
            first_ordinal: 0,
        }
    }

    fn meta(&mut self, meta: &Object<'_>, telling: &mut Telling<'_>) {
        if std::mem::replace(&mut self.has_head, true) {
            return;
        }
        let head = &mut telling.head;
        head.folder = meta.said("cwd").or(head.folder.take());
        let git = meta.inner("git");
        head.branch = git.said("branch").or(head.branch.take());
        head.remote = git.said("repository_url").or(head.remote.take());
        head.parent = meta.said("parent_thread_id").or(head.parent.take());
        if meta.raw("forked_from_id").is_some() {
            self.copied_before = meta.time("timestamp");
        }
        self.first_ordinal = meta.number("subagent_history_start_ordinal").unwrap_or_default();
        if meta.raw("history_base").is_some() {
            telling.skip("earlier part in another file");
        }
        telling.seen(meta.time("timestamp"));
    }

    fn item(&self, item: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
        let id = item.text("call_id").or(item.text("id")).unwrap_or_default();
        let name = item.text("name").unwrap_or_default();
        match item.text("type").as_deref().unwrap_or("message") {
            "message" => self.message(item, beside, telling),
            "function_call" | "tool_search_call" => {
                let name = if name.is_empty() { Cow::Borrowed("tool_search") } else { name };
                let name = match item.said("namespace") {
                    Some(space) => Cow::Owned(format!("{space}{name}")),
                    None => name,
                };
                telling.call(beside, &id, &name, &written(item, "arguments"));
            }
            "custom_tool_call" => telling.call(beside, &id, &name, &written(item, "input")),
            "local_shell_call" => telling.call(beside, &id, "shell", &written(item, "action")),
            "web_search_call" => telling.call(beside, &id, "web_search", &written(item, "action")),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let (failed, output) = output(item);
                telling.result(beside, &id, failed, &output);
            }
            kind if QUIET_ITEMS.contains(&kind) => {}
            kind => telling.unknown("item", Some(kind)),
        }
    }

    fn message(&self, item: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
        match item.text("role").as_deref() {
            Some("assistant") if self.shape.model == Believed::Item => {
                telling
                    .assistant(beside, &item.raw("content").map(json::texts).unwrap_or_default());
            }
            Some("user") => match prompt(item) {
                Some(text) if self.shape.user == Believed::Item => {
                    self.said(beside, &text, telling)
                }
                Some(_) => {}
                None => {
                    let text = item.raw("content").map(json::texts).unwrap_or_default();
                    if !text.trim().is_empty() {
                        telling.host(beside, &text);
                    }
                }
            },
            Some("developer" | "system" | "assistant") => {}
            role => telling.unknown("role", role),
        }
    }

    fn said(&self, beside: &Beside, text: &str, telling: &mut Telling<'_>) {
        let text = text.split_once(REQUEST).map_or(text, |(_, request)| request);
        // Another agent speaks to a sub-agent.
        if telling.head.parent.is_some() {
            telling.host(beside, text);
        } else {
            telling.entitle(text);
            telling.user(beside, text);
        }
    }

    fn event(&self, event: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
        let kind = event.text("type");
        match kind.as_deref() {
            Some("user_message") if self.shape.user == Believed::Event => {
                self.said(beside, &event.text("message").unwrap_or_default(), telling);
            }
            Some("agent_message") if self.shape.model == Believed::Event => {
                telling.assistant(beside, &event.text("message").unwrap_or_default());
            }
            Some("item_completed") => {
                let item = event.inner("item");
                let text = item.raw("content").map(json::texts).unwrap_or_default();
                match item.text("type").as_deref() {
                    Some("UserMessage") if self.shape.user == Believed::Completed => {
                        self.said(beside, &text, telling);
                    }
                    Some("AgentMessage") if self.shape.model == Believed::Completed => {
                        telling.assistant(beside, &text);
                    }
                    _ => {}
                }
            }
            Some("token_count") => {
                let last = event.inner("info").inner("last_token_usage");
                telling.cost(last.usage(&["input_tokens"], &["output_tokens"]));
            }
            Some("thread_name_updated") => {
                telling.head.title = event.said("thread_name").or(telling.head.title.take());
            }
            Some(kind) if QUIET_EVENTS.contains(&kind) => {}
            kind => telling.unknown("event", kind),
        }
    }
}

impl Teller for Records {
    fn line(
        &mut self,
        at: usize,
        line: &Object<'_>,
        telling: &mut Telling<'_>,
    ) -> Result<(), &'static str> {
        let (kind, payload) = parts(line);
        let time = line.time("timestamp");
        let is_copy = time.zip(self.copied_before).is_some_and(|(time, fork)| time < fork)
            || line.number("ordinal").is_some_and(|ordinal| ordinal < self.first_ordinal);
        if is_copy && kind != "session_meta" {
            return Err("copied from another session");
        }
        telling.seen(time);
        let aside = self.shape.is_undone(at);
        let beside = Beside { at: time, model: self.model.clone(), aside, ..Beside::default() };
        match &*kind {
            "session_meta" => self.meta(&payload, telling),
            "turn_context" => {
                self.model = payload.said("model").or(self.model.take());
                let head = &mut telling.head;
                head.folder = head.folder.take().or_else(|| payload.said("cwd"));
            }
            "response_item" => self.item(&payload, &beside, telling),
            "event_msg" => self.event(&payload, &beside, telling),
            "compacted" => telling.summary(&beside, &payload.text("message").unwrap_or_default()),
            "world_state"
            | "state"
            | "inter_agent_communication"
            | "security_risk_score"
            | "inter_agent_communication_metadata" => {}
            "" => return Err("no type"),
            kind => telling.unknown("type", Some(kind)),
        }
        Ok(())
    }
}

/// The kind of a record and what it holds. The first versions wrote both without a cover.
pub(super) fn parts<'a>(line: &Object<'a>) -> (Cow<'a, str>, Object<'a>) {
    let kind = line.text("type").unwrap_or_default();
    if let Some(payload) = line.object("payload") {
        return (kind, payload);
    }
    if line.raw("record_type").is_some() {
        return (Cow::Borrowed("state"), Object::default());
    }
    let is_meta = kind.is_empty() && line.raw("id").is_some() && line.raw("timestamp").is_some();
    (
        Cow::Borrowed(if is_meta {
            "session_meta"
        } else if kind.is_empty() {
            ""
        } else {
            "response_item"
        }),
        line.clone(),
    )
}

/// What a person typed, of a message on the user's side; nothing if it is all scaffolding.
pub(super) fn prompt(item: &Object<'_>) -> Option<String> {
    let content = item.raw("content")?;
    let parts = match json::items(content) {
        parts if parts.is_empty() => vec![json::texts(content)],
        parts => parts.into_iter().map(json::texts).collect(),
    };
    let typed = |part: &String| {
        words::of_user(part).is_some_and(|(voice, _)| voice == nuthatch::transcript::Voice::Person)
    };
    let typed: Vec<String> = parts.into_iter().filter(typed).collect();
    (!typed.is_empty()).then(|| typed.join("\n"))
}

/// A field that is a text, or whatever JSON it is.
fn written<'a>(item: &Object<'a>, name: &str) -> Cow<'a, str> {
    match item.raw(name) {
        Some(value) => json::text(value).unwrap_or(Cow::Borrowed(value.get())),
        None => Cow::Borrowed(""),
    }
}

/// What a tool said, and whether it failed.
fn output(item: &Object<'_>) -> (bool, String) {
    let Some(output) = item.raw("output") else { return (false, String::new()) };
    let mut failed = false;
    let mut text = match json::object(output) {
        Some(inner) => {
            failed |= inner.raw("success").is_some_and(|success| success.get() == "false");
            inner.raw("content").or(inner.raw("text")).map(json::texts).unwrap_or_default()
        }
        None => json::texts(output),
    };
    // A shell's answer comes as JSON in a text.
    if text.starts_with('{')
        && let Ok(inner) = Object::parse(&text)
        && let Some(said) = inner.text("output")
    {
        failed |= inner.inner("metadata").number("exit_code").is_some_and(|code| code != 0);
        text = said.into_owned();
    }
    failed |= exit_code(&text).is_some_and(|code| code != 0);
    (failed, text)
}

/// The exit code in the first lines of what a shell said.
fn exit_code(text: &str) -> Option<i64> {
    let mut lines = text.lines().take(6);
    lines.find_map(|line| {
        let code =
            line.strip_prefix("Exit code: ").or(line.strip_prefix("Process exited with code "));
        code?.trim().parse().ok()
    })
}
