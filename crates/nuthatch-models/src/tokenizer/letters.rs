//! What BERT's vocabulary takes a character for: letter, blank, or a word by itself.
//!
//! These are the rules the pieces were cut by, not what `nuthatch::text` thinks a word is;
//! changing them changes every vector.

use unicode_properties::{GeneralCategory as G, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The role of a character in splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of a word.
    Letter,
    /// Ends a word and vanishes.
    Blank,
    /// A word of its own: punctuation, an ideograph.
    Alone,
}

/// The character as it counts, or nothing: controls vanish, every blank is a space.
pub(super) fn clean(c: char) -> Option<char> {
    match c {
        ' '..='~' => Some(c),
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{fffd}' => None,
        _ if is_other(c) => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

/// Controls, formats and private use. An unassigned character is kept: it may have been
/// assigned after the tables were made, and is an unknown piece either way.
fn is_other(c: char) -> bool {
    matches!(c.general_category(), G::Control | G::Format | G::PrivateUse)
}

/// A mark that takes no place: what canonical decomposition leaves of an accent.
pub(super) fn is_accent(c: char) -> bool {
    !c.is_ascii() && c.general_category() == G::NonspacingMark
}

/// The role of a cleaned character.
pub(super) fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | '0'..='9' | 'A'..='Z' => Kind::Letter,
        ' ' => Kind::Blank,
        _ if c.is_ascii_punctuation() || is_ideograph(c) => Kind::Alone,
        _ if c.is_ascii() => Kind::Letter,
        _ if c.general_category_group() == GeneralCategoryGroup::Punctuation => Kind::Alone,
        _ if c.is_whitespace() => Kind::Blank,
        _ => Kind::Letter,
    }
}

/// The blocks of ideographs that the vocabulary holds one by one. Kana and Hangul are
/// letters here.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}'
        | '\u{2b920}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}
