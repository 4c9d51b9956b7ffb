//! Where an unseen character belongs to the writing and stays.
//!
//! Joiners build emoji and shape Persian and Indic words, selectors choose the picture of a
//! symbol or the form of an ideograph, fillers complete a Hangul block. Each is allowed only
//! beside the characters it works on, and one at a time: runs of them are messages.

use super::kind::Kind;
use super::script::{
    is_emoji, is_hangul, is_ideograph, is_joining, is_khmer, is_mark, is_modifier, is_mongolian,
    is_right_to_left, is_unspaced, is_virama, takes_text_selector,
};

/// How far a direction mark may stand from the right-to-left letter it serves: the
/// punctuation and the space between them.
const MARK_REACH: usize = 3;

/// Whether the unseen character at `at` is part of how its neighbours are written.
pub(super) fn belongs(chars: &[char], at: usize, kind: Kind) -> bool {
    let before = at.checked_sub(1).and_then(|place| chars.get(place)).copied();
    let after = chars.get(at + 1).copied();
    match kind {
        Kind::Tag => in_flag(chars, at),
        Kind::BidiMark => near_right_to_left(chars, at),
        Kind::ZeroWidth => zero_width_belongs(chars[at], before, after),
        Kind::VariationSelector => selector_belongs(chars[at], before, after),
        Kind::Filler => filler_belongs(chars[at], before, after),
        Kind::BidiControl | Kind::Annotation | Kind::InvisibleOperator | Kind::Control => false,
    }
}

fn zero_width_belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let is = |neighbour: Option<char>, test: fn(char) -> bool| neighbour.is_some_and(test);
    match c {
        '\u{200D}' => {
            let emoji = is(before, |c| is_emoji(c) || is_modifier(c)) && is(after, is_emoji);
            // A letter may be shown in its joining form at the end of a word, too.
            emoji || is(before, |c| is_virama(c) || is_joining(c))
        }
        // A Persian plural may follow a Latin word or a number: one side is enough.
        '\u{200C}' => {
            let visible = |c: char| Kind::of(c).is_none() && !c.is_whitespace();
            let both = before.is_some_and(visible) && after.is_some_and(visible);
            both && (is(before, is_joining) || is(after, is_joining))
        }
        '\u{200B}' => is(before, is_unspaced) && is(after, is_unspaced),
        '\u{034F}' => is(before, is_mark) && is(after, is_mark),
        '\u{180E}' => is(before, is_mongolian) && is(after, is_mongolian),
        _ => false,
    }
}

fn selector_belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let Some(base) = before else { return false };
    match c {
        '\u{FE0F}' | '\u{FE0E}' => {
            let keycap = matches!(base, '0'..='9' | '#' | '*') && after == Some('\u{20E3}');
            let toned = matches!(base, '\u{1F3FB}'..='\u{1F3FF}');
            keycap || toned || is_emoji(base) || takes_text_selector(base)
        }
        '\u{FE00}'..='\u{FE0D}' => is_ideograph(base) || takes_text_selector(base),
        // Registered ideographic variants are few to a character. The upper selectors would
        // be ASCII letters where selectors spell bytes.
        '\u{E0100}'..='\u{E011F}' => is_ideograph(base),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => is_mongolian(base),
        _ => false,
    }
}

fn filler_belongs(c: char, before: Option<char>, after: Option<char>) -> bool {
    let test: fn(char) -> bool =
        if matches!(c, '\u{17B4}' | '\u{17B5}') { is_khmer } else { is_hangul };
    before.is_some_and(test) || after.is_some_and(test)
}

fn near_right_to_left(chars: &[char], at: usize) -> bool {
    let from = at.saturating_sub(MARK_REACH);
    let to = (at + 1 + MARK_REACH).min(chars.len());
    let alone = |place: Option<&char>| place.is_none_or(|c| Kind::of(*c).is_none());
    alone(at.checked_sub(1).and_then(|place| chars.get(place)))
        && alone(chars.get(at + 1))
        && chars[from..to].iter().any(|c| is_right_to_left(*c))
}

/// Tag characters spell a region after a black flag, as in the flag of Scotland: a country of
/// two letters, one to three more letters or digits, and an end. Anything else is unseen text.
fn in_flag(chars: &[char], at: usize) -> bool {
    /// A flag, five tags and the end.
    const LONGEST: usize = 7;
    let first = at.saturating_sub(LONGEST - 1);
    let Some(flag) = (first..at).rev().find(|place| chars[*place] == '\u{1F3F4}') else {
        return false;
    };
    let tags = &chars[flag + 1..];
    let spelled = tags.iter().take_while(|c| is_region_tag(**c)).count();
    (3..=5).contains(&spelled)
        && tags.get(spelled) == Some(&'\u{E007F}')
        && tags[..2].iter().all(|c| ('\u{E0061}'..='\u{E007A}').contains(c))
        && at <= flag + 1 + spelled
}

fn is_region_tag(c: char) -> bool {
    matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}')
}
