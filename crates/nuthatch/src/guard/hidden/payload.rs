//! What hidden characters spell.
//!
//! Tag characters are ASCII at another place. Variation selectors are bytes. Two kinds of
//! zero-width character are bits, eight to a byte. A run, or the zero-width characters of
//! the whole text together, counts as words when it decodes to readable text.

use super::Run;
use super::kind::Kind;

/// Shorter runs are accidents: two stray tags spell nothing.
const WORD_CHARS: usize = 3;
/// The longest payload that is decoded; what follows it adds nothing to the verdict.
const LONGEST_CHARS: usize = 64 * 1024;

/// For each run, the text it spells, if it does. Bits spread over many runs are reported
/// with the first of them.
pub(super) fn spelled(text: &str, runs: &[Run]) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> =
        runs.iter().map(|run| run_text(run.kind, &text[run.start..run.end])).collect();
    for kind in [Kind::ZeroWidth, Kind::InvisibleOperator] {
        spread(text, runs, kind, &mut found);
    }
    found
}

fn spread(text: &str, runs: &[Run], kind: Kind, found: &mut [Option<String>]) {
    let of_kind = || runs.iter().enumerate().filter(|(_, run)| run.kind == kind);
    if found.iter().zip(runs).any(|(words, run)| run.kind == kind && words.is_some()) {
        return;
    }
    let all: String = of_kind().map(|(_, run)| &text[run.start..run.end]).collect();
    if let (Some((first, _)), Some(words)) = (of_kind().next(), bits(&all)) {
        found[first] = Some(words);
    }
}

fn run_text(kind: Kind, run: &str) -> Option<String> {
    match kind {
        Kind::Tag => readable(&run.chars().filter_map(untag).collect::<String>()),
        Kind::VariationSelector => {
            let bytes: Vec<u8> = run.chars().filter_map(selector_byte).collect();
            readable(std::str::from_utf8(&bytes).ok()?)
        }
        Kind::ZeroWidth | Kind::InvisibleOperator => bits(run),
        _ => None,
    }
}

fn untag(c: char) -> Option<char> {
    let code = (c as u32).checked_sub(0xE0000)?;
    char::from_u32(code).filter(|c| matches!(c, ' '..='~'))
}

fn selector_byte(c: char) -> Option<u8> {
    let code = match c {
        '\u{FE00}'..='\u{FE0F}' => c as u32 - 0xFE00,
        '\u{E0100}'..='\u{E01EF}' => c as u32 - 0xE0100 + 16,
        _ => return None,
    };
    u8::try_from(code).ok()
}

/// Two characters are the bits; a third only parts the bytes. Which is which is not known,
/// so every reading is tried, and only readable text is believed.
fn bits(run: &str) -> Option<String> {
    let mut alphabet: Vec<char> = Vec::new();
    for c in run.chars().take(LONGEST_CHARS) {
        if !alphabet.contains(&c) {
            alphabet.push(c);
        }
    }
    if alphabet.len() > 4 {
        return None;
    }
    let pairs = alphabet.iter().flat_map(|a| alphabet.iter().map(move |b| (*a, *b)));
    pairs.filter(|(zero, one)| zero != one).find_map(|(zero, one)| as_bytes(run, zero, one))
}

fn as_bytes(run: &str, zero: char, one: char) -> Option<String> {
    let digits: Vec<u8> = run
        .chars()
        .take(LONGEST_CHARS)
        .filter_map(|c| if c == zero { Some(0) } else { (c == one).then_some(1) })
        .collect();
    [8, 7].into_iter().filter(|width| digits.len().is_multiple_of(*width)).find_map(|width| {
        let bytes = digits.chunks(width).map(|chunk| chunk.iter().fold(0, |n, bit| n << 1 | bit));
        readable(std::str::from_utf8(&bytes.collect::<Vec<u8>>()).ok()?)
    })
}

/// The text, when it is long enough and made of letters rather than noise.
fn readable(text: &str) -> Option<String> {
    let total = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphanumeric() || *c == ' ').count();
    let clean = text.chars().all(|c| !c.is_control() || c.is_whitespace());
    (total >= WORD_CHARS && clean && letters * 3 >= total * 2).then(|| text.to_owned())
}
