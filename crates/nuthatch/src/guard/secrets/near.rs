//! Values that only the name of their service gives away.
//!
//! A 32-digit hexadecimal number is a digest in one sentence and an API key in the next.
//! Beside the name of the service, and joined to it by punctuation or by a word such as
//! `token`, it is the key.

use super::catalogue::Rule;
use super::check::Verdict;
use super::spans::Span;
use super::value;

/// How far after the name of a service its credential may begin.
const DISTANCE: usize = 70;

/// Words that join a service to its credential, in lower case.
const JOINTS: &[&str] = &[
    "token",
    "key",
    "secret",
    "credential",
    "password",
    "auth",
    "pat",
    "passw",
    "licen",
    "client_id",
    "clientid",
    "access",
    "bearer",
    "webhook",
    "login",
];

/// Adds what `rule` finds after the names at `hits`.
pub(super) fn find(
    text: &str,
    rule: &'static Rule,
    hits: &[(usize, usize)],
    found: &mut Vec<Span>,
) {
    let Some(regex) = rule.regex() else { return };
    let bytes = text.as_bytes();
    for &(start, end) in hits {
        if start > 0 && bytes[start - 1].is_ascii_lowercase() && bytes[start].is_ascii_lowercase() {
            continue;
        }
        let window = &bytes[end..(end + DISTANCE + rule.reach).min(bytes.len())];
        let Some(secret) = regex.captures(window).and_then(|captures| captures.get(1)) else {
            continue;
        };
        let joined = secret.start() <= DISTANCE && joins(&window[..secret.start()]);
        if joined && accepted(rule, secret.as_bytes()) {
            found.push(Span { rule, start: end + secret.start(), end: end + secret.end() });
        }
    }
}

fn accepted(rule: &Rule, secret: &[u8]) -> bool {
    rule.check.verdict(secret) != Verdict::Refuted
        && !value::placeholder(secret)
        && value::entropy(secret) >= rule.floor
}

/// Whether what stands between the service and the value makes one the other's.
fn joins(between: &[u8]) -> bool {
    let lower = between.to_ascii_lowercase();
    let has = |part: &[u8]| lower.windows(part.len()).any(|seen| seen == part);
    let marks = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'/' && *byte != b'@';
    let operator = lower.iter().any(|byte| b":=|>,".contains(byte));
    let apart = has(b". ")
        || has(b"://")
        || has(b"commit")
        || has(b"digest")
        || has(b"public")
        || has(b"publish");
    !apart
        && (lower.iter().all(marks) && operator || JOINTS.iter().any(|word| has(word.as_bytes())))
}
