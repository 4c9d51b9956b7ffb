//! Names that are more than their words: versions, addresses, hosts, `C++` and `C#`.
//!
//! Such a name gives a term of its own beside those of its words. What joins the words is
//! written `_` in it, and `+` and `#` are spelled out: terms hold no signs.

use std::ops::Range;

use super::glyphs::{Class, Glyph};

/// Endings that name a place in a network and not, as `rs` in `main.rs`, a kind of file.
const NETWORK_ENDINGS: [&str; 16] = [
    "ai", "app", "cloud", "com", "dev", "edu", "eu", "gov", "info", "internal", "io", "lan",
    "local", "net", "org", "uk",
];

/// A name longer than this is no name: no term is so long, however it is folded.
const NAME_GLYPHS: usize = 256;

/// Where the words that begin at `from` and are joined by single signs end.
pub fn end(glyphs: &[Glyph], from: usize) -> usize {
    let is_spaced = |at: usize| glyphs.get(at).is_some_and(|glyph| glyph.class() == Class::Spaced);
    let mut at = from;
    loop {
        while is_spaced(at) {
            at += 1;
        }
        let joined = glyphs.get(at).is_some_and(|glyph| is_joint(glyph.c)) && is_spaced(at + 1);
        if !joined {
            return at;
        }
        at += 1;
    }
}

fn is_joint(c: char) -> bool {
    matches!(c, '.' | '-' | '@' | '+')
}

/// The names that stand in `glyphs[range]`, a range as of [`end`], each with its term before
/// folding and with where it stands.
pub fn names(glyphs: &[Glyph], range: Range<usize>) -> Vec<(String, Range<usize>)> {
    let mut names = Vec::new();
    let mut push = |part: Range<usize>| {
        if part.len() <= NAME_GLYPHS && is_name(&glyphs[part.clone()]) {
            names.push((joined(&glyphs[part.clone()]), part));
        }
    };
    push(range.clone());
    // The host of an address can be asked for without the person.
    if let Some(at) = glyphs[range.clone()].iter().rposition(|glyph| glyph.c == '@') {
        push(range.start + at + 1..range.end);
    }
    names.extend(with_signs(glyphs, range));
    names
}

/// Whether words belong together: an address, something with numbers and dots, three words
/// with dots, or two of which the last names a place in a network.
fn is_name(glyphs: &[Glyph]) -> bool {
    let count = |wanted: char| glyphs.iter().filter(|glyph| glyph.c == wanted).count();
    let last: String =
        glyphs.rsplit(|g| is_joint(g.c)).next().unwrap_or_default().iter().map(|g| g.c).collect();
    let ending = last.to_lowercase();
    match (count('@'), count('.')) {
        (0, 0) => false,
        (0, 1) => {
            NETWORK_ENDINGS.contains(&ending.as_str()) || glyphs.iter().any(|g| g.c.is_numeric())
        }
        _ => true,
    }
}

fn joined(glyphs: &[Glyph]) -> String {
    glyphs.iter().map(|glyph| if is_joint(glyph.c) { '_' } else { glyph.c }).collect()
}

/// `C++`, also as in `C++17`, and `C#`: the last word with the signs that follow it.
fn with_signs(glyphs: &[Glyph], range: Range<usize>) -> Option<(String, Range<usize>)> {
    let sign = |place: usize| glyphs.get(range.end + place).map(|glyph| glyph.c);
    let ends = |place: usize| {
        glyphs.get(range.end + place).is_none_or(|glyph| glyph.class() != Class::Spaced)
    };
    let (spelled, signs) = match (sign(0), sign(1)) {
        (Some('+'), Some('+')) if ends(2) || sign(2).is_some_and(char::is_numeric) => {
            ("_plus_plus", 2)
        }
        (Some('#'), _) if ends(1) => ("_sharp", 1),
        _ => return None,
    };
    let words = &glyphs[range.clone()];
    let from =
        words.iter().rposition(|g| is_joint(g.c)).map_or(range.start, |at| range.start + at + 1);
    if range.end - from > NAME_GLYPHS {
        return None;
    }
    let word: String = glyphs[from..range.end].iter().map(|glyph| glyph.c).collect();
    Some((word + spelled, from..range.end + signs))
}
