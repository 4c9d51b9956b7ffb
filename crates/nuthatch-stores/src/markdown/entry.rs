//! One entry: `- **key**: text`, over as many indented lines as it takes.
//!
//! [`show`] writes for a person and [`understand`] reads what a person wrote. Not every
//! string survives that (trailing spaces, control characters, a text that begins like a
//! key); whoever writes compares, and keeps the exact strings in the comment where needed.

use serde::{Deserialize, Serialize};

use super::comment::is_unseen;
use super::scan::{bullet_text, indented_text, is_rule};

/// Tells a conversation from the rest of a day's log.
const MARK: &str = "[Conversation]";
/// Block constructs that read wrongly behind a key on the same line.
const BLOCKS: [&str; 8] = ["```", "~~~", "- ", "* ", "+ ", "> ", "#", "|"];

/// What the visible part of an entry says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Whether it is marked as a conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversation: bool,
    /// Its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its text.
    pub content: String,
}

/// The text of an entry's lines without bullet, indentation and spaces at line ends.
#[must_use]
pub fn join(lines: &str) -> String {
    let mut text = String::with_capacity(lines.len());
    for (at, line) in lines.split('\n').enumerate() {
        let line = line.trim_end_matches([' ', '\t', '\r']);
        if at == 0 {
            text.push_str(bullet_text(line).unwrap_or(line));
        } else {
            text.push('\n');
            let lazy = || line.strip_prefix(' ').unwrap_or(line);
            text.push_str(indented_text(line).unwrap_or_else(lazy));
        }
    }
    text
}

/// Reads mark, key and content out of a joined text; only `dated` files have marks.
#[must_use]
pub fn understand(text: &str, dated: bool) -> Seen {
    let text = trim(text);
    let unmarked = if dated { strip_mark(text) } else { None };
    let (key, content) = split_key(unmarked.unwrap_or(text));
    Seen { conversation: unmarked.is_some(), key, content: trim(content).to_owned() }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n'])
}

fn strip_mark(text: &str) -> Option<&str> {
    let mark = text.get(..MARK.len())?;
    let rest = &text[MARK.len()..];
    // [Conversation](…) is a link.
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', '\n']);
    (ends && mark.eq_ignore_ascii_case(MARK)).then(|| trim(rest))
}

/// Splits `**key**: text`. A key is what Markdown shows in bold: not empty, no space at
/// its ends, on one line.
fn split_key(text: &str) -> (Option<String>, &str) {
    let none = (None, text);
    let Some(bold) = text.strip_prefix("**") else { return none };
    let mut key = String::new();
    let mut rest = bold.chars();
    loop {
        if let Some(content) = rest.as_str().strip_prefix("**:") {
            let shown = !key.is_empty() && key.trim() == key;
            return if shown { (Some(key), content) } else { none };
        }
        match rest.next() {
            None | Some('\n') => return none,
            Some('*') if rest.as_str().starts_with('*') => return none,
            Some('\\') if rest.as_str().starts_with(|c: char| c.is_ascii_punctuation()) => {
                key.extend(rest.next());
            }
            Some(c) => key.push(c),
        }
    }
}

/// The opposite of the unescaping in [`split_key`], with as few backslashes as it takes.
fn escape_key(key: &str) -> String {
    let mut escaped = String::with_capacity(key.len());
    let mut rest = key.chars();
    while let Some(c) = rest.next() {
        let special = match c {
            '*' => true,
            '\\' => rest.as_str().chars().next().is_none_or(|next| next.is_ascii_punctuation()),
            _ => false,
        };
        if special {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The visible lines of an entry, with `\n` between them and none at the end. Whatever the
/// strings hold, these are the lines of exactly one entry.
#[must_use]
pub fn show(seen: &Seen) -> String {
    let mut shown = String::from("-");
    if seen.conversation {
        shown.push(' ');
        shown.push_str(MARK);
    }
    if let Some(key) = &seen.key {
        let key = key.replace(is_unseen, " ");
        if !key.trim().is_empty() {
            shown.push_str(&format!(" **{}**:", escape_key(key.trim())));
        }
    }
    let text = tidy(&seen.content);
    if text.is_empty() {
        return shown;
    }
    let named = shown.len() > 1;
    if named && text.contains('\n') && BLOCKS.iter().any(|block| text.starts_with(block)) {
        shown.push_str("\n  ");
    } else {
        shown.push(' ');
    }
    for (at, line) in text.split('\n').enumerate() {
        if at == 0 && !named && is_rule(&format!("-{line}")) {
            shown.push('\\');
        }
        if at > 0 {
            shown.push_str(if line.is_empty() { "\n" } else { "\n  " });
        }
        shown.push_str(line);
    }
    shown
}

/// A text as it can stand in a file that a person edits.
fn tidy(content: &str) -> String {
    let unseen = |c: char| is_unseen(c) && !matches!(c, '\n' | '\t');
    let content = content.replace("\r\n", "\n").replace(unseen, " ");
    let lines: Vec<&str> =
        content.split('\n').map(|line| line.trim_end_matches([' ', '\t'])).collect();
    trim(&lines.join("\n")).to_owned()
}

/// Puts the comment behind the visible lines; below them where the last one closes a code
/// block, which nothing may follow.
#[must_use]
pub fn attach(shown: &str, comment: &str) -> String {
    let last = shown.rsplit_once('\n').map(|(_, last)| last.trim_start());
    let fence = last.is_some_and(|last| last.starts_with("```") || last.starts_with("~~~"));
    format!("{shown}{}{comment}", if fence { "\n  " } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(key: Option<&str>, content: &str) -> Seen {
        Seen { conversation: false, key: key.map(Into::into), content: content.into() }
    }

    #[test]
    fn ordinary_entries_are_plain_markdown_and_parse_back() {
        for (entry, lines) in [
            (seen(None, "text"), "- text"),
            (seen(Some("editor"), "Helix"), "- **editor**: Helix"),
            (seen(Some(r"a*b\*c\d\"), "x"), r"- **a\*b\\\*c\d\\**: x"),
            (seen(Some("k"), "a\n\n  - b"), "- **k**: a\n\n    - b"),
            (seen(Some("k"), "- a\n- b"), "- **k**:\n  - a\n  - b"),
            (seen(None, "[ ] x"), "- [ ] x"),
            (seen(Some("k"), ""), "- **k**:"),
            (Seen { conversation: true, ..seen(Some("k"), "t") }, "- [Conversation] **k**: t"),
        ] {
            assert_eq!(show(&entry), lines);
            assert_eq!(understand(&join(lines), true), entry, "{lines}");
        }
    }

    #[test]
    fn what_only_resembles_a_key_is_text() {
        for text in
            ["**a** b", "****: x", "** a**: x", "***a***: x", "**a", "**a\nb**: x", "\\**a**: x"]
        {
            assert_eq!(understand(text, false), seen(None, text));
        }
    }

    #[test]
    fn a_mark_counts_only_in_dated_files_and_is_no_link() {
        assert!(understand("[conversation] x", true).conversation);
        assert!(!understand("[Conversation] x", false).conversation);
        assert!(!understand("[Conversation](x)", true).conversation);
    }
}
