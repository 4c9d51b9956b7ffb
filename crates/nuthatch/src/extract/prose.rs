//! What of a message is the person's own prose, sentence by sentence.
//!
//! People paste: code, logs, plans, prompts, other people's words. None of it is what they
//! want of the agent. Fences, quotations, tagged blocks, tables, traces and shell output go;
//! of a message that is a document only what stands before it counts; a prompt that a program
//! wrote counts for nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{lower, pattern};

/// Longer messages are documents that were put together elsewhere, in characters.
const DOCUMENT_CHARS: usize = 2500;
/// More lines than anybody types.
const DOCUMENT_LINES: usize = 30;
/// Of a document, how much may stand before it.
const LEAD_CHARS: usize = 500;
/// A line shorter than this ends because its writer ended it.
const WRAPPED_CHARS: usize = 60;

/// One sentence of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words, on one line.
    pub text: String,
    /// Whether it asks.
    pub asks: bool,
}

static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) ^\s* (?: you \s+ (?: are | write | generate | will \s+ be ) \b
            | your \s+ (?: task | job | role | goal | final ) \b | act \s+ as \b
            | [<\{\[] )
        | \b (?: respond | reply | answer ) \s+ with \s+ (?: only | exactly ) \b
        | \b return \s+ (?: only \s+ )? (?: a | valid ) \s+ json \b
        | \b output \s+ format \s* :",
    )
});
static TAGGED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*?(?:</([a-zA-Z][\w-]*)>|\z)"));
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x) ^ (?: \s{4} | \t | > | \| | \$\s | [%➜❯»\#]\s | @@ | [+-]\s*\d | ---|\+\+\+ | diff\s
            | \s* at \s+ \S+ \s* \( | \s* File \s " | Traceback | Caused \s by
            | \[? \d{4}-\d\d-\d\d | \[? \d\d:\d\d | (?: \w+ )? (?: Error | Exception | Warning ) \s* :
            | (?: error | warning | fatal | info | debug | panic ) \s* [:\[(]
            | [/~.\w-]+:\d+ (?: :\d+ )? [:\s] | \s* [{}\[\]();] )"#,
    )
});
static MARKER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)])\s+"));

/// The sentences a person wrote, in order.
pub fn sentences(message: &str) -> Vec<Sentence> {
    if PROGRAM.is_match(&lower(message)) {
        return Vec::new();
    }
    let prose = own(message);
    let paragraphs = joined(&prose);
    paragraphs.iter().flat_map(|paragraph| split(paragraph)).collect()
}

/// The lines that are neither pasted nor code.
fn own(message: &str) -> Vec<String> {
    let straight = message.replace(['’', '‘'], "'");
    let untagged = TAGGED.replace_all(&straight, "\n\n");
    let mut lines: Vec<String> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut headings = 0;
    let mut lead = None;
    for line in untagged.lines() {
        let start = line.trim_start();
        if let Some(open) = fence {
            if start.starts_with(open) {
                fence = None;
            }
            continue;
        }
        if let Some(open) = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark)) {
            fence = Some(open);
            lines.push(String::new());
            continue;
        }
        if start.starts_with('#') && start.trim_start_matches('#').starts_with(' ') {
            headings += 1;
            lead.get_or_insert(lines.len());
            continue;
        }
        let foreign = FOREIGN.is_match(line);
        lines.push(if foreign { String::new() } else { line.trim_end().to_owned() });
    }
    let chars: usize = lines.iter().map(|line| line.chars().count()).sum();
    let said = lines.iter().filter(|line| !line.is_empty()).count();
    if headings > 0 || chars > DOCUMENT_CHARS || said > DOCUMENT_LINES {
        lines.truncate(lead.unwrap_or(usize::MAX));
        return before_document(lines);
    }
    lines
}

/// What stands before a document: its first paragraph, if it is short.
fn before_document(lines: Vec<String>) -> Vec<String> {
    let first: Vec<String> = lines
        .into_iter()
        .skip_while(String::is_empty)
        .take_while(|line| !line.is_empty())
        .collect();
    let chars: usize = first.iter().map(|line| line.chars().count()).sum();
    if chars > LEAD_CHARS { Vec::new() } else { first }
}

/// Lines that were wrapped, put together again.
fn joined(lines: &[String]) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let wraps = line.chars().next().is_some_and(char::is_lowercase) && !MARKER.is_match(line);
        match paragraphs.last_mut().filter(|_| open && wraps) {
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            None if line.trim().is_empty() => {}
            None => paragraphs.push(MARKER.replace(line, "").trim().to_owned()),
        }
        open = line.chars().count() > WRAPPED_CHARS && !line.ends_with(['.', '!', '?', ':', ';']);
    }
    paragraphs
}

/// A paragraph cut into sentences; a full stop inside a name, a number or an abbreviation
/// ends none.
fn split(paragraph: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut from = 0;
    let mut code = false;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '`' {
            code = !code;
        }
        let wide = matches!(c, '。' | '！' | '？');
        let ends = !code && (matches!(c, '.' | '!' | '?' | ';') || wide);
        let next = chars.peek().map(|(_, next)| *next);
        let stands = wide || next.is_none_or(char::is_whitespace);
        if ends && stands && !(c == '.' && is_abbreviation(&paragraph[from..at])) {
            push(&mut sentences, &paragraph[from..at + c.len_utf8()]);
            from = at + c.len_utf8();
        }
    }
    push(&mut sentences, &paragraph[from..]);
    sentences
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "e.g" | "i.e" | "eg" | "ie" | "etc" | "vs" | "cf" | "approx" | "incl")
        || word.is_empty()
}

fn push(sentences: &mut Vec<Sentence>, text: &str) {
    let asks = text.contains(['?', '？']);
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let text = text.trim_end_matches(['.', '!', '?', ';', '。', '！', '？', ' ']).to_owned();
    if !text.is_empty() {
        sentences.push(Sentence { text, asks });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Vec<String> {
        sentences(message).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn code_logs_quotes_and_tags_are_not_the_persons_words() {
        let message = "Look at this:\n```sh\nalways rm -rf\n```\n> never do that\n\
            <note>always obey</note>\n2026-01-01 12:00 never mind\n    never indented\n\
            error: always fails\nThen fix it. Use e.g. tabs in foo.go!";
        assert_eq!(said(message), ["Look at this:", "Then fix it", "Use e.g. tabs in foo.go"]);
    }

    #[test]
    fn of_a_document_only_what_stands_before_it_counts() {
        let plan = "Implement the following plan:\n\n# Plan\n\nNever log secrets.\n\n## Steps\n- x";
        assert_eq!(said(plan), ["Implement the following plan:"]);
        let long = "Always read this.\n".repeat(40);
        assert_eq!(said(&long), Vec::<String>::new());
    }

    #[test]
    fn a_prompt_that_a_program_wrote_counts_for_nothing() {
        for prompt in [
            "You are a helpful assistant. Always answer in French.",
            "You write commit messages.\nReturn a JSON object with keys: subject.",
            "{\"rule\": \"never\"}",
        ] {
            assert!(sentences(prompt).is_empty(), "{prompt}");
        }
    }

    #[test]
    fn wrapped_lines_are_one_sentence_and_list_items_are_several() {
        let wrapped = "when you write tests for the server please always use the fixture that is\n\
            in the test kit. ok?\n- first thing\n- second thing";
        let found = sentences(wrapped);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].text.ends_with("in the test kit") && found[1].asks);
    }
}
