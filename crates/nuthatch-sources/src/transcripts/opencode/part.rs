//! What one message of OpenCode and its parts tell.
//!
//! The same in a row, a file and an export: where they lie is no matter here.

use super::super::json::{self, Object};
use super::super::telling::{Beside, Telling};

/// Parts that say nothing of what was said.
const QUIET: &[&str] = &[
    "agent",
    "compaction",
    "file",
    "patch",
    "reasoning",
    "retry",
    "snapshot",
    "step-finish",
    "step-start",
    "subtask",
];

/// Tells a message.
pub(super) fn message<'a>(
    info: &Object<'_>,
    parts: impl Iterator<Item = Object<'a>>,
    aside: bool,
    telling: &mut Telling<'_>,
) {
    let at = info.inner("time").time("created");
    telling.seen(at);
    let model = info.said("modelID").or_else(|| info.inner("model").said("modelID"));
    let role = info.text("role");
    let is_user = role.as_deref() == Some("user");
    if !is_user && role.as_deref() != Some("assistant") {
        return telling.unknown("role", role.as_deref());
    }
    let beside = Beside { at, aside, model: model.filter(|_| !is_user), ..Beside::default() };
    if let Some(folder) = info.inner("path").said("cwd") {
        telling.head.folder.get_or_insert(folder);
    }
    for part in parts {
        tell(&part, is_user, info, &beside, telling);
    }
    let tokens = info.inner("tokens");
    if !is_user {
        telling.cost(tokens.usage(&["input"], &["output", "reasoning"]));
    }
}

fn tell(
    part: &Object<'_>,
    is_user: bool,
    info: &Object<'_>,
    beside: &Beside,
    telling: &mut Telling<'_>,
) {
    match part.text("type").as_deref() {
        Some("text") => {
            let text = part.text("text").unwrap_or_default();
            let is_made = part.is("synthetic") || part.is("ignored");
            match (is_user, is_made) {
                _ if text.trim().is_empty() => {}
                (true, true) => telling.host(beside, &text),
                // Another agent speaks to a sub-agent.
                (true, false) if telling.head.parent.is_some() => telling.host(beside, &text),
                (true, false) => telling.user(beside, &text),
                (false, true) => {}
                (false, false) if info.is("summary") => telling.summary(beside, &text),
                (false, false) => telling.assistant(beside, &text),
            }
        }
        Some("tool") => tool(part, beside, telling),
        Some(kind) if QUIET.contains(&kind) => {}
        kind => telling.unknown("part", kind),
    }
}

fn tool(part: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    let id = part.text("callID").or(part.text("id")).unwrap_or_default();
    let state = part.inner("state");
    let input = state.raw("input").map_or("", |input| input.get());
    telling.call(beside, &id, &part.text("tool").unwrap_or_default(), input);
    let status = state.text("status");
    let time = state.inner("time");
    let beside = Beside { at: time.time("end").or(beside.at), model: None, ..beside.clone() };
    let exit = state.inner("metadata").number("exit");
    match status.as_deref() {
        Some("error") => {
            let said = state.raw("error").or(state.raw("output")).map(json::texts);
            telling.result(&beside, &id, true, &said.unwrap_or_default());
        }
        Some("pending" | "running") | None => {}
        Some(_) => {
            let said = state.raw("output").map(json::texts).unwrap_or_default();
            telling.result(&beside, &id, exit.is_some_and(|exit| exit != 0), &said);
        }
    }
}
