//! Tells a format by how it begins.
//!
//! Looks at names that only one format has, near its beginning. What looks like nothing known
//! is Markdown if it is text, since every text is.

use serde_json::Value;

use super::{Format, facts};

/// How much of a beginning is looked at.
pub const HEAD_BYTES: usize = 64 << 10;

const DATABASE: &[u8] = b"SQLite format 3\0";

/// The format of something that begins with `head`; none where that is no text of any kind.
#[must_use]
pub fn sniff(head: &[u8]) -> Option<Format> {
    if head.starts_with(DATABASE) {
        return Some(Format::Sqlite);
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = String::from_utf8_lossy(&head[..head.len().min(HEAD_BYTES)]);
    let text = text.trim_start();
    let has = |name: &str| text.contains(&format!("\"{name}\""));
    match text.chars().next()? {
        '[' if has("chat_messages") || has("conversations_memory") => Some(Format::Claude),
        '[' if has("mapping") => Some(Format::Chatgpt),
        // A Markdown list of links or a checkbox begins like an array, and holds no object.
        '[' if text[1..].trim_start().starts_with(['{', ']', '"']) => Some(Format::Facts),
        '{' => object(text),
        _ if text.contains('\0') => None,
        _ if text.lines().any(|line| line.trim_start().starts_with('§')) => Some(Format::Notes),
        _ => Some(Format::Markdown),
    }
}

fn object(text: &str) -> Option<Format> {
    let first: Option<Value> = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
    if let Some(line) = &first {
        let kind = line.get("type").and_then(Value::as_str);
        if matches!(kind, Some("entity" | "relation")) {
            return Some(Format::McpMemory);
        }
        if ["nuthatch", "memory", "session", "turns"].iter().any(|name| line.get(name).is_some()) {
            return Some(Format::Jsonl);
        }
    }
    let has = |name: &str| text.contains(&format!("\"{name}\""));
    if has("mif_version") {
        Some(Format::Mif)
    } else if has("agent_id") && has("output") {
        Some(Format::PlanMemory)
    } else if has("blocks") || has("core_memory") || has("in_context_message_ids") {
        Some(Format::Letta)
    } else if has("mapping") {
        Some(Format::Chatgpt)
    } else if has("chat_messages") || has("conversations_memory") {
        Some(Format::Claude)
    } else if facts::ARRAYS.iter().any(|name| has(name)) {
        Some(Format::Facts)
    } else {
        None
    }
}
