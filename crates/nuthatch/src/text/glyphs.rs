//! A text as the characters it means, each with where it came from.
//!
//! Compatibility forms are unified (NFKC) before anything is cut, so that a decomposed `が`,
//! a half-width `ｶﾞ` and a composed one are the same letters. Positions are bytes of the text
//! as it was given: where several characters became one, or one several, each stands for the
//! whole place. Never holds more than one piece without whitespace.

use std::ops::ControlFlow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// One character, and the bytes of the text it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Glyph {
    /// The character, normalised.
    pub c: char,
    /// Where its place begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What a character does in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Belongs to a word that has spaces or signs around it.
    Spaced,
    /// Belongs to a script without spaces between words.
    Unspaced,
    /// A picture that is a word by itself.
    Emoji,
    /// Stands between words.
    Between,
}

impl Glyph {
    /// What it does in a text.
    pub fn class(self) -> Class {
        match self.c {
            c if !is_word(c) && is_emoji(c) => Class::Emoji,
            c if !is_word(c) => Class::Between,
            c if is_unspaced(c) => Class::Unspaced,
            _ => Class::Spaced,
        }
    }
}

/// Shows `visit` each piece of a text without whitespace, until it has seen enough.
pub fn pieces(text: &str, mut visit: impl FnMut(&[Glyph]) -> ControlFlow<()>) {
    let mut piece = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            if !piece.is_empty() && visit(&piece).is_break() {
                return;
            }
            piece.clear();
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, more)) = chars.next_if(|(_, c)| continues(*c)) {
            end = at + more.len_utf8();
        }
        if c.is_ascii() && end == start + 1 {
            piece.push(Glyph { c, start, end });
        } else {
            push_normalised(&text[start..end], start, &mut piece);
        }
    }
    if !piece.is_empty() {
        let _ = visit(&piece);
    }
}

/// A character with all that belongs to it. What normalising leaves alone keeps the place of
/// each character.
fn push_normalised(cluster: &str, start: usize, piece: &mut Vec<Glyph>) {
    if is_nfkc_quick(cluster.chars()) == IsNormalized::Yes {
        let glyphs = cluster.char_indices().map(|(at, c)| {
            let start = start + at;
            Glyph { c, start, end: start + c.len_utf8() }
        });
        piece.extend(glyphs.filter(|glyph| !is_selector(glyph.c)));
    } else {
        let end = start + cluster.len();
        let kept = cluster.nfkc().filter(|c| !is_selector(*c));
        piece.extend(kept.map(|c| Glyph { c, start, end }));
    }
}

/// Whether a character can melt into the one before it: marks, the vowels and finals of
/// decomposed Hangul, and the voicing marks of half-width kana.
fn continues(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    is_combining_mark(c)
        || matches!(c, '\u{1160}'..='\u{11FF}' | '\u{FF9E}' | '\u{FF9F}' | '\u{FFC2}'..='\u{FFDC}')
}

/// Chooses a shape of the character before it, and says nothing by itself.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{180B}'..='\u{180D}' | '\u{E0100}'..='\u{E01EF}')
}

/// Letters, digits, marks, `_`, and the letters of flags.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c) || is_flag_letter(c)
}

/// Two of these are a flag.
fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Pictures that people write like words. Not among them: arrows, boxes and signs of
/// mathematics, which stand between words, and skin colours, which only modify.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{231A}'..='\u{231B}' | '\u{23E9}'..='\u{23FA}' | '\u{2600}'..='\u{27BF}'
        | '\u{2B50}' | '\u{2B55}' | '\u{1F000}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1FAFF}')
}

/// Scripts written without spaces between words. Hangul has spaces, but its endings hide
/// the word just as well; flags are written side by side.
pub fn is_unspaced(c: char) -> bool {
    is_flag_letter(c)
        || matches!(c,
        '\u{0E00}'..='\u{0EFF}'       // Thai, Lao
        | '\u{1000}'..='\u{109F}'     // Myanmar
        | '\u{1100}'..='\u{11FF}'     // Hangul jamo
        | '\u{1780}'..='\u{17FF}'     // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FF}'     // kana
        | '\u{3130}'..='\u{318F}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'     // Han
        | '\u{AC00}'..='\u{D7AF}'     // Hangul
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9D}'     // half-width kana
        | '\u{20000}'..='\u{3FFFF}')
}
