//! What one message of Gemini CLI tells.
//!
//! Whether it is told at all is decided in `list`.

use super::super::json::{self, Object, Raw};
use super::super::telling::{Beside, Telling};

/// Says of a session what a header or a change of it says.
pub(super) fn head(header: &Object<'_>, telling: &mut Telling<'_>) {
    telling.seen(header.time("startTime"));
    telling.seen(header.time("lastUpdated"));
    let head = &mut telling.head;
    head.title = header.said("summary").or(head.title.take());
    let first = header.items("directories").into_iter().find_map(json::text);
    head.folder = head.folder.take().or_else(|| first.map(|folder| folder.into_owned()));
}

/// A session that is one document.
pub(super) fn document(document: &Object<'_>, telling: &mut Telling<'_>) {
    head(document, telling);
    for message in document.items("messages").into_iter().filter_map(json::object) {
        if let Err(kind) = tell(&message, false, telling) {
            telling.skip(kind);
        }
    }
    // The first versions wrote what the model is given.
    for message in document.items("history").into_iter().filter_map(json::object) {
        let beside = Beside { at: message.time("ts"), ..Beside::default() };
        let parts = message.raw("parts");
        match (message.text("role").as_deref(), parts) {
            (Some("user"), Some(parts)) => user(&plain(parts), &beside, telling),
            (Some("gemini" | "model"), Some(parts)) => said_in(parts, &beside, telling),
            (role, _) => telling.unknown("role", role),
        }
    }
}

/// Tells a message.
pub(super) fn tell(
    message: &Object<'_>,
    aside: bool,
    telling: &mut Telling<'_>,
) -> Result<(), &'static str> {
    let at = message.time("timestamp");
    telling.seen(at);
    let beside = Beside { at, aside, model: message.said("model"), ..Beside::default() };
    match message.text("type").as_deref() {
        Some("user") => {
            let shown =
                message.raw("displayContent").map(plain).filter(|text| !text.trim().is_empty());
            let content = || message.raw("content").map(plain).unwrap_or_default();
            user(&shown.unwrap_or_else(content), &beside, telling);
        }
        Some("gemini") => gemini(message, &beside, telling),
        Some("info" | "warning" | "error") => {}
        Some(kind) => telling.unknown("type", Some(kind)),
        None => return Err("no type"),
    }
    Ok(())
}

fn user(text: &str, beside: &Beside, telling: &mut Telling<'_>) {
    let beside = &Beside { model: None, ..beside.clone() };
    let bare = text.trim_start();
    if bare.is_empty() {
        return;
    }
    // Commands to the product itself, and what another agent asks of this one.
    if bare.starts_with(['/', '?']) || telling.head.parent.is_some() {
        telling.host(beside, text);
    } else {
        telling.user(beside, text);
        telling.entitle(text);
    }
}

fn gemini(message: &Object<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    if let Some(content) = message.raw("content") {
        said_in(content, beside, telling);
    }
    let told = message.raw("content").is_some_and(|content| {
        content.get().starts_with('[') && content.get().contains("\"functionCall\"")
    });
    for call in message.items("toolCalls").into_iter().filter_map(json::object) {
        let (id, name) = (call.text("id"), call.text("name").unwrap_or_default());
        let id = id.unwrap_or_else(|| name.clone());
        if !told {
            telling.call(beside, &id, &name, call.raw("args").map_or("", |args| args.get()));
        }
        let status = call.text("status");
        let failed = matches!(status.as_deref(), Some("error" | "cancelled"));
        let output = call.raw("result").map(response).filter(|text| !text.is_empty());
        let output = output.or_else(|| call.said("resultDisplay"));
        if let Some(output) = output.or_else(|| failed.then(String::new)) {
            let at = call.time("timestamp").or(beside.at);
            telling.result(&Beside { at, model: None, ..beside.clone() }, &id, failed, &output);
        }
    }
    let tokens = message.inner("tokens");
    telling.cost(tokens.usage(&["input"], &["output", "thoughts"]));
}

/// Tells what a model said in parts: words and calls, not thoughts.
fn said_in(content: Raw<'_>, beside: &Beside, telling: &mut Telling<'_>) {
    if let Some(text) = json::text(content) {
        return telling.assistant(beside, &text);
    }
    let parts = if content.get().starts_with('{') { vec![content] } else { json::items(content) };
    for part in parts.into_iter().filter_map(json::object) {
        if part.is("thought") {
            continue;
        }
        if let Some(call) = part.object("functionCall") {
            let name = call.text("name").unwrap_or_default();
            let id = call.text("id").unwrap_or_else(|| name.clone());
            telling.call(beside, &id, &name, call.raw("args").map_or("", |args| args.get()));
        } else {
            telling.assistant(beside, &part.text("text").unwrap_or_default());
        }
    }
}

/// The words in a content, without answers of tools.
fn plain(content: Raw<'_>) -> String {
    json::texts(content)
}

/// What the parts of a tool's answer say.
fn response(result: Raw<'_>) -> String {
    if let Some(text) = json::text(result) {
        return text.into_owned();
    }
    let parts = json::items(result).into_iter().filter_map(json::object);
    let said = parts.filter_map(|part| {
        let response = part.object("functionResponse").map(|answer| answer.inner("response"));
        match response {
            Some(response) => response.said("output").or_else(|| response.said("error")),
            None => part.said("text"),
        }
    });
    said.collect::<Vec<_>>().join("\n")
}
