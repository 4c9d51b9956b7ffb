//! Texts inside a text: what base64, hex, percent signs, entities and ROT13 spell.
//!
//! One level only. A decoded text is handed back with the span it stood in; whether it says
//! anything harmful is judged like any other text.

/// A text found inside another.
pub(super) struct Inner {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Shorter runs of base64 or hex spell less than three words.
const SHORTEST: usize = 20;
/// Escapes rarer than this are ordinary URLs and ordinary HTML.
const FEWEST_ESCAPES: usize = 3;

/// Everything in `text` that decodes to readable text.
pub(super) fn inner(text: &str) -> Vec<Inner> {
    let mut found = Vec::new();
    for (start, end) in runs(text) {
        let run = &text[start..end];
        if let Some(text) = hex(run).or_else(|| base64(run)) {
            found.push(Inner { text, start, end });
        }
    }
    found.extend(escapes(text));
    found
}

/// ROT13 of the letters of a text.
pub(super) fn rot13(text: &str) -> String {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    let turned = text.chars().map(|c| match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        _ => c,
    });
    turned.collect()
}

fn runs(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_base64(bytes[at]) {
            at += 1;
        }
        if at - start >= SHORTEST {
            found.push((start, at));
        }
        at += 1;
    }
    found
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'=')
}

fn hex(run: &str) -> Option<String> {
    let digit = |b: &u8| char::from(*b).to_digit(16).map(|d| d as u8);
    let digits: Vec<u8> = run.as_bytes().iter().map(digit).collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    readable(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn base64(run: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for b in run.trim_end_matches('=').bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xFF) as u8);
        }
    }
    readable(bytes)
}

/// The whole text with percent signs, entities and backslash escapes undone, when there are
/// enough of them.
fn escapes(text: &str) -> Option<Inner> {
    if !text.bytes().any(|b| matches!(b, b'%' | b'&' | b'\\')) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let (mut at, mut first, mut last, mut count) = (0, None, 0, 0);
    while let Some(c) = text[at..].chars().next() {
        let len = match escape(&text[at..]) {
            Some((decoded, len)) => {
                // An ampersand or a blank has to be written this way; a letter has not.
                count += usize::from(decoded.iter().any(|b| b.is_ascii_alphanumeric()));
                bytes.extend(decoded);
                first = first.or(Some(at));
                last = at + len;
                len
            }
            None => {
                bytes.extend_from_slice(&text.as_bytes()[at..at + c.len_utf8()]);
                c.len_utf8()
            }
        };
        at += len;
    }
    let text = (count >= FEWEST_ESCAPES).then(|| String::from_utf8_lossy(&bytes).into_owned())?;
    Some(Inner { text, start: first?, end: last })
}

/// The bytes that an escape at the start of `text` stands for, and its length.
fn escape(text: &str) -> Option<(Vec<u8>, usize)> {
    let number = |digits: &str, radix: u32| {
        let code = u32::from_str_radix(digits, radix).ok()?;
        Some(char::from_u32(code)?.to_string().into_bytes())
    };
    if let Some(rest) = text.strip_prefix('%') {
        return Some((vec![u8::from_str_radix(rest.get(..2)?, 16).ok()?], 3));
    }
    if let Some(rest) = text.strip_prefix("\\u") {
        return Some((number(rest.get(..4)?, 16)?, 6));
    }
    if let Some(rest) = text.strip_prefix("\\x") {
        return Some((number(rest.get(..2)?, 16)?, 4));
    }
    let rest = text.strip_prefix('&')?;
    let end = rest.as_bytes().iter().take(10).position(|b| *b == b';')?;
    let name = rest.get(..end)?;
    let decoded = match (name, name.strip_prefix('#')) {
        ("lt", _) => vec![b'<'],
        ("gt", _) => vec![b'>'],
        ("amp", _) => vec![b'&'],
        ("quot", _) => vec![b'"'],
        ("nbsp", _) => vec![b' '],
        (_, Some(code)) => match code.strip_prefix(['x', 'X']) {
            Some(digits) => number(digits, 16)?,
            None => number(code, 10)?,
        },
        _ => return None,
    };
    Some((decoded, end + 2))
}

/// Text rather than bytes: printable, and words rather than one long token.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let total = text.chars().count();
    let plain = |c: &char| c.is_alphanumeric() || c.is_whitespace() || c.is_ascii_punctuation();
    let fits = text.chars().filter(plain).count();
    let spaces = text.chars().filter(|c| c.is_whitespace()).count();
    let ideographs = text.chars().any(|c| c as u32 > 0x2FFF);
    (fits * 20 >= total * 19 && (spaces * 20 >= total || ideographs)).then_some(text)
}
