//! Brackets and slashes in every spelling: look-alikes, entities, escapes.
//!
//! What a model may read as `<` is a `<` here, whatever bytes it is made of.

use unicode_normalization::UnicodeNormalization;

/// What a bracket could open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// `<`
    Tag,
    /// `[` or `{`
    Fence,
}

/// Longest spelling of one character, as in `&#x0000003c;`.
const LONGEST_SPELLING: usize = 14;

/// The bracket at the start of a text, and how many bytes spell it.
pub(super) fn bracket(text: &str) -> Option<(Bracket, usize)> {
    let (c, len) = spelled(text)?;
    let kind = match unfolded(c) {
        '<' | '＜' | '﹤' | '〈' | '\u{2329}' | '⟨' | '‹' | '«' | '≪' | '⟪' | '《' | '˂' | 'ᐸ'
        | '❮' | '❰' | '⧼' | '≺' | '⋖' | '⪡' | '⦑' | '❬' => Bracket::Tag,
        '[' | '［' | '【' | '⟦' | '〔' | '〚' | '{' | '｛' => Bracket::Fence,
        _ => return None,
    };
    // Our own stand-ins are harmless already.
    (!text.starts_with(['‹', '⟦'])).then_some((kind, len))
}

/// How many bytes spell a slash at the start of a text.
pub(super) fn slash(text: &str) -> Option<usize> {
    let (c, len) = spelled(text)?;
    let is_slash =
        matches!(unfolded(c), '/' | '\\' | '／' | '⁄' | '∕' | '⧸' | '╱' | '⟋' | '〳' | '＼');
    is_slash.then_some(len)
}

/// The character that a compatibility form or a struck-out one stands for.
pub(super) fn unfolded(c: char) -> char {
    if c.is_ascii() { c } else { std::iter::once(c).nfkd().next().unwrap_or(c) }
}

/// What may stand between a bracket and a name without being seen to part them.
pub(super) fn is_gap(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
        || unicode_normalization::char::is_combining_mark(c)
}

/// The character at the start of a text, by itself or as an entity, a percent escape or a
/// backslash escape, with its length.
fn spelled(text: &str) -> Option<(char, usize)> {
    let first = text.chars().next()?;
    let escaped = match first {
        '&' | '＆' => entity(text, first.len_utf8()),
        '%' => hexadecimal(text.get(1..3)?).map(|c| (c, 3)),
        '\\' => backslash(text),
        _ => None,
    };
    Some(escaped.unwrap_or((first, first.len_utf8())))
}

/// `&lt;`, `&#60;` or `&#x3c;`, with or without the semicolon, and `&amp;lt;`.
fn entity(text: &str, lead: usize) -> Option<(char, usize)> {
    const NAMES: &[(&str, char)] =
        &[("lt", '<'), ("sol", '/'), ("lsqb", '['), ("lbrack", '['), ("lang", '⟨')];
    let body = text.as_bytes().get(lead..)?;
    let ascii = body.iter().take(LONGEST_SPELLING).take_while(|b| b.is_ascii());
    let lower: String = ascii.map(|b| char::from(b.to_ascii_lowercase())).collect();
    if let Some(rest) = lower.strip_prefix("amp;") {
        let again = format!("&{rest}");
        return entity(&again, 1).map(|(c, len)| (c, lead + 3 + len));
    }
    let (c, len) = match (NAMES.iter().find(|(name, _)| lower.starts_with(name)), &lower) {
        (Some((name, c)), _) => (*c, name.len()),
        (None, lower) => number(lower.strip_prefix('#')?)?,
    };
    let semicolon = usize::from(lower[len..].starts_with(';'));
    Some((c, lead + len + semicolon))
}

/// The character of a numeric entity after its `#`, and its length with the `#`.
fn number(text: &str) -> Option<(char, usize)> {
    let (digits, radix, skip) = match text.strip_prefix('x') {
        Some(digits) => (digits, 16, 2),
        None => (text, 10, 1),
    };
    let count = digits.chars().take_while(|c| c.is_digit(radix)).count();
    let code = u32::from_str_radix(&digits[..count], radix).ok()?;
    Some((char::from_u32(code)?, skip + count))
}

/// `\x3c`, `\u003c` or `\u{3c}`.
fn backslash(text: &str) -> Option<(char, usize)> {
    if let Some(rest) = text.strip_prefix("\\u{") {
        let len = rest.find('}').filter(|len| *len <= 6)?;
        return Some((hexadecimal(&rest[..len])?, len + 4));
    }
    if text.starts_with("\\u") {
        return Some((hexadecimal(text.get(2..6)?)?, 6));
    }
    text.starts_with("\\x").then(|| Some((hexadecimal(text.get(2..4)?)?, 4)))?
}

fn hexadecimal(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}
