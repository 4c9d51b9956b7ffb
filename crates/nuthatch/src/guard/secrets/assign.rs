//! Values that a name calls a secret: in configuration, in code and in sentences.
//!
//! A name found by keyword is extended to the whole identifier; how it is joined to a value
//! is read in `link`; here the two are judged together. A password may be anything that is
//! no stand-in, a token must look random.

use super::catalogue::{Kind, Rule};
use super::identifier::{self, Told};
use super::link::{self, Link, Value};
use super::spans::{Span, floor};
use super::value;

/// How far after a name its value may begin, and how long it may be.
const WINDOW: usize = 1200;
/// Ids that people quote are shorter.
const PLAINLY_RANDOM: usize = 24;
/// Names are short; this bounds how far one is extended.
const NAME: usize = 80;

/// Adds what is assigned to the names around the keywords at `hits`.
pub(super) fn find(
    text: &str,
    rule: &'static Rule,
    hits: &[(usize, usize)],
    found: &mut Vec<Span>,
) {
    let bytes = text.as_bytes();
    let mut seen = 0;
    for &(start, end) in hits {
        let (from, to) = name_around(bytes, start, end);
        // Several keywords of one rule may lie in one name.
        if to <= seen {
            continue;
        }
        seen = to;
        let told = told(text, (from, to), rule.kind);
        if told == Told::Not {
            continue;
        }
        let window = &bytes[to..(to + WINDOW).min(bytes.len())];
        let value =
            link::values(window, &bytes[from..to]).find(|value| is_secret(value, rule.kind, told));
        found.extend(value.map(|value| {
            let start = to + value.at;
            Span { rule, start, end: start + value.text.len() }
        }));
    }
}

/// The identifier that the keyword at `start..end` is part of.
fn name_around(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let before = bytes[..start].iter().rev().take(NAME).take_while(part).count();
    let after = bytes[end..].iter().take(NAME).take_while(part).count();
    let after =
        after - bytes[end..end + after].iter().rev().take_while(|b| b".-".contains(b)).count();
    (start - before, end + after)
}

/// Whether the name, or a sentence's word with the one before it, says secret.
fn told(text: &str, (from, to): (usize, usize), kind: Kind) -> Told {
    let name = &text[floor(text, from)..to];
    let near = floor(text, from.saturating_sub(NAME));
    let before = text[near..floor(text, from)].trim_end_matches([' ', '*', '_', '`']);
    let word = before.rsplit(['\n', '.', ';', '|', ' ']).next().unwrap_or_default();
    match identifier::told(&format!("{word} {name}"), kind) {
        // Tests pass, and say so in capitals with a colon.
        Told::Clearly if name.eq_ignore_ascii_case("pass") => Told::Faintly,
        told => told,
    }
}

fn is_secret(value: &Value<'_>, kind: Kind, told: Told) -> bool {
    let Value { text, link, quoted, .. } = *value;
    let random = value::opaque(text) && !reference(text, quoted);
    match kind {
        Kind::Password if told == Told::Faintly && !(link == Link::Code && quoted) => false,
        Kind::Password => password(text, link, quoted),
        Kind::Named => {
            let number = value::long_hex(text) || value::long_number(text);
            random || number && !value::placeholder(text)
        }
        _ if told == Told::Faintly => {
            random && quoted && text.len() >= PLAINLY_RANDOM && !value::common_id(text)
        }
        _ => random && (link != Link::Beside || !value::common_id(text)),
    }
}

fn password(secret: &[u8], link: Link, quoted: bool) -> bool {
    if !value::chosen(secret) || reference(secret, quoted) {
        return false;
    }
    match (link, quoted) {
        (Link::Code | Link::Prose, true) => secret.len() >= 4,
        (Link::Environment, _) => secret.len() >= 6,
        (Link::Line, false) => value::odd(secret) || plain_word(secret),
        (Link::Line, true) => false,
        _ => value::odd(secret),
    }
}

/// A word in small letters that no programming language takes for a type.
fn plain_word(secret: &[u8]) -> bool {
    secret.len() >= 6 && secret.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
}

/// Code that fetches a secret from elsewhere.
fn reference(secret: &[u8], quoted: bool) -> bool {
    const FETCHED: &[&[u8]] = &[
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"env.",
        b"secrets.",
        b"self.",
        b"this.",
        b"vault:",
        b"arn:",
    ];
    let call = secret.iter().any(|byte| b"([{".contains(byte));
    let path = secret.starts_with(b"/") || secret.starts_with(b"./") || secret.starts_with(b"~/");
    let link = secret.windows(3).any(|three| three == b"://" || three.starts_with(b"::"));
    path || link || !quoted && (call || FETCHED.iter().any(|start| secret.starts_with(start)))
}
