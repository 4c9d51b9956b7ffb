//! Tokens that tell by themselves: a prefix, a length, an alphabet.
//!
//! The pattern is tried in the neighbourhood of the keyword; neighbourhoods that touch are
//! joined, so that a text full of keywords is still read once for each rule.

use super::catalogue::Rule;
use super::check::Verdict;
use super::spans::Span;
use super::value;

/// Adds what `rule` finds around the keywords at `hits`.
pub(super) fn find(
    text: &str,
    rule: &'static Rule,
    hits: &[(usize, usize)],
    found: &mut Vec<Span>,
) {
    let Some(regex) = rule.regex() else { return };
    let bytes = text.as_bytes();
    for (from, to) in neighbourhoods(rule, hits, bytes.len()) {
        let mut at = from;
        while let Some(captures) = regex.captures(&bytes[at..to]) {
            let Some(whole) = captures.get(0) else { break };
            let secret = captures.get(1).unwrap_or(whole);
            let (start, mut end) = (at + secret.start(), at + secret.end());
            if end == to {
                end += bytes[end..].iter().take_while(|byte| value::in_token(**byte)).count();
            }
            if free_standing(bytes, (at + whole.start(), end)) && accepted(rule, &bytes[start..end])
            {
                found.push(Span { rule, start, end });
            }
            at = (at + whole.end()).max(at + 1).min(to);
        }
    }
}

fn accepted(rule: &Rule, secret: &[u8]) -> bool {
    match rule.check.verdict(secret) {
        Verdict::Proved => true,
        Verdict::Refuted => false,
        Verdict::Open => !value::placeholder(secret) && value::entropy(secret) >= rule.floor,
    }
}

/// The stretches of text in which a match may lie, joined where they touch.
fn neighbourhoods(rule: &Rule, hits: &[(usize, usize)], len: usize) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    let mut sorted = hits.to_vec();
    sorted.sort_unstable();
    for (start, end) in sorted {
        let (from, to) = (start.saturating_sub(rule.back), (end + rule.reach).min(len));
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// A token is not the middle of a longer word: those are names, digests and base64.
fn free_standing(bytes: &[u8], (start, end): (usize, usize)) -> bool {
    // A number sign masks the rest of what was a token.
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"_#".contains(byte);
    let after = bytes.get(end).is_some_and(goes_on);
    let starts_with_word = bytes.get(start).is_some_and(u8::is_ascii_alphanumeric);
    !(after || starts_with_word && glued_left(bytes, start))
}

fn glued_left(bytes: &[u8], start: usize) -> bool {
    let Some(before) = start.checked_sub(1).map(|at| bytes[at]) else { return false };
    // `\n` and `%3D` end in a letter and are not part of a word.
    let escaped = start >= 2 && bytes[start - 2] == b'\\' && b"nrt".contains(&before);
    let percent = start >= 3 && bytes[start - 3] == b'%';
    (before.is_ascii_alphanumeric() || before == b'_') && !escaped && !percent
}
