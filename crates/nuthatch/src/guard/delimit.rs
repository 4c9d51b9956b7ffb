//! Puts remembered text into a prompt as a block that cannot be closed from inside.
//!
//! The block ends with a tag that carries a marker the writer of a memory cannot know.
//! Whatever looks like a closing tag, a role or a chat template inside, in any spelling, loses
//! its bracket to a look-alike that a person still reads: `‹/memory>`. Ordinary code and
//! comparisons stay as they are. Choosing the marker is the caller's business.

mod brackets;

use std::borrow::Cow;

use self::brackets::{Bracket, bracket, is_gap, slash, unfolded};
use super::homoglyph;

/// Stands in for a bracket that could open a tag.
const TAG: char = '‹';
/// Stands in for a bracket that could open a fence.
const FENCE: char = '⟦';
/// Stands in for the marker itself.
const STRUCK: &str = "(marker)";
/// As many hexadecimal digits as nobody guesses.
const MARKER_CHARS: usize = 16;

/// Brackets in a row that are looked through; the innermost of a longer row is armed anyway.
const NESTED: usize = 4;

/// Beginnings of names that mean something to a model, or to this block.
const RESERVED: &[&str] = &[
    "memor",
    "system",
    "assistant",
    "developer",
    "user",
    "human",
    "instruction",
    "tool",
    "function",
    "context",
    "prompt",
    "im_start",
    "im_end",
    "inst",
    "sys",
    "retrieved",
    "admin",
    "operator",
    "end",
    "begin",
    "start",
    "antml",
    "invoke",
    "thinking",
    "document",
    "data",
    "message",
    "nuthatch",
];

/// A marker for one block, derived from something that differs at every call: the id of the
/// request, never the time alone or the content.
#[must_use]
pub fn marker(seed: &str) -> String {
    blake3::hash(seed.as_bytes()).to_hex()[..MARKER_CHARS].to_owned()
}

/// The lines in a block of their own, neutralised. Of the marker only letters and digits
/// count; without any it is derived from the lines.
#[must_use]
pub fn block<'a>(marker: &str, lines: impl IntoIterator<Item = &'a str>) -> String {
    let body = lines.into_iter().collect::<Vec<&str>>().join("\n");
    let mut name: String = marker.chars().filter(char::is_ascii_alphanumeric).collect();
    if name.is_empty() {
        name = self::marker(&body);
    }
    let body = neutralise(&body, &name);
    format!("<memory-{name}>\n{body}\n</memory-{name}>")
}

/// The text without its blocks. One that is never closed reaches to the end: somebody cut it.
#[must_use]
pub fn without_blocks(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "<memory-";
    let mut kept = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text[at..].find(OPEN) {
        let begin = at + found;
        let inner = begin + OPEN.len();
        let marker = text.get(inner..inner + MARKER_CHARS).filter(|name| is_marker(name));
        let Some(marker) = marker.filter(|_| text[inner + MARKER_CHARS..].starts_with('>')) else {
            at = inner;
            continue;
        };
        let close = format!("</memory-{marker}>");
        kept.push_str(&text[from..begin]);
        from = text[inner..].find(&close).map_or(text.len(), |end| inner + end + close.len());
        at = from;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

fn is_marker(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
}

/// The text with everything disarmed that could close, open or forge a block.
#[must_use]
pub fn neutralise<'a>(text: &'a str, marker: &str) -> Cow<'a, str> {
    let text = disarm(text);
    let marker = marker.to_ascii_lowercase();
    if marker.is_empty() || !text.to_ascii_lowercase().contains(&marker) {
        return text;
    }
    let lower = text.to_ascii_lowercase();
    let mut struck = String::with_capacity(text.len());
    let mut from = 0;
    for (at, found) in lower.match_indices(&marker) {
        struck.push_str(&text[from..at]);
        struck.push_str(STRUCK);
        from = at + found.len();
    }
    struck.push_str(&text[from..]);
    Cow::Owned(struck)
}

fn disarm(text: &str) -> Cow<'_, str> {
    let mut disarmed = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let Some((kind, len)) = bracket(&text[at..]) else {
            at += c.len_utf8();
            continue;
        };
        if is_armed(kind, &text[at + len..]) {
            disarmed.push_str(&text[from..at]);
            disarmed.push(if kind == Bracket::Tag { TAG } else { FENCE });
            from = at + len;
        }
        at += len;
    }
    if disarmed.is_empty() && from == 0 {
        return Cow::Borrowed(text);
    }
    disarmed.push_str(&text[from..]);
    Cow::Owned(disarmed)
}

/// Whether what follows a bracket makes it dangerous: a slash, a template mark, a name that
/// is reserved. Another bracket in between changes nothing.
fn is_armed(kind: Bracket, after: &str) -> bool {
    let mut rest = after.trim_start_matches(is_gap);
    for _ in 0..NESTED {
        let Some((_, len)) = bracket(rest) else { break };
        rest = rest[len..].trim_start_matches(is_gap);
    }
    if let Some(len) = slash(rest) {
        if kind == Bracket::Tag {
            return true;
        }
        rest = rest[len..].trim_start_matches(is_gap);
    }
    let mark = |c: char| matches!(unfolded(c), '|' | '!' | '?');
    if kind == Bracket::Tag && rest.starts_with(mark) {
        return true;
    }
    let name = name(rest);
    RESERVED.iter().any(|reserved| name.starts_with(reserved))
}

/// The first letters after a bracket, folded to ASCII; gaps and separators do not count.
fn name(text: &str) -> String {
    /// Longer than any reserved beginning, with room for separators.
    const CHARS: usize = 48;
    let mut name = String::new();
    for c in text.chars().take(CHARS) {
        if is_gap(c) || matches!(c, '-' | ':' | '*' | '`' | '.') {
            continue;
        }
        if !c.is_alphanumeric() && c != '_' {
            break;
        }
        homoglyph::fold(c, |folded| name.push(homoglyph::latin(folded).unwrap_or(folded)));
    }
    name
}

#[cfg(test)]
mod tests;
