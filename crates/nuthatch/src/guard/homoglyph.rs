//! Letters that look like other letters, brought back to ASCII.
//!
//! Compatibility forms (fullwidth, mathematical, circled) are unfolded by normalisation;
//! this table adds the look-alikes of other scripts. It judges nothing: Russian is full of
//! letters from it, so callers decide when a word is a disguise.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// ASCII letters, each with the letters of other scripts that are drawn like it.
const LOOKALIKES: &[(char, &str)] = &[
    ('a', "аɑαАΑᎪ"),
    ('b', "ВвΒƄЬᏴʙ"),
    ('c', "сСϲϹᏟᴄ"),
    ('d', "ԁᎠɗ"),
    ('e', "еЕΕҽєЄᎬ"),
    ('f', "ϝſғ"),
    ('g', "ɡԌɢց"),
    ('h', "һНнΗᎻհ"),
    ('i', "іІιΙıɩᎥ"),
    ('j', "јЈϳᎫ"),
    ('k', "кКκΚᏦᴋ"),
    ('l', "ӏӀⅼǀᏞʟ"),
    ('m', "мМΜᎷᴍ"),
    ('n', "ոΝɴп"),
    ('o', "оОοΟօσᴏ"),
    ('p', "рРρΡᏢ"),
    ('q', "ԛգ"),
    ('r', "гᎡʀɾ"),
    ('s', "ѕЅᏚꜱ"),
    ('t', "тТτΤᎢᴛ"),
    ('u', "υսᴜ"),
    ('v', "νѵᴠѴ"),
    ('w', "ԝωᏔᴡԜ"),
    ('x', "хХχΧ"),
    ('y', "уУүγΥʏ"),
    ('z', "ΖᏃᴢ"),
];

/// The ASCII letter that `c` is drawn like, in lower case.
pub(super) fn latin(c: char) -> Option<char> {
    if c.is_ascii() || matches!(c, '\u{3000}'..='\u{D7FF}') {
        return None;
    }
    LOOKALIKES.iter().find(|(_, forms)| forms.contains(c)).map(|(letter, _)| *letter)
}

/// Lower case without accents and compatibility forms; usually one character, or none for
/// an accent by itself.
pub(super) fn fold(c: char, mut push: impl FnMut(char)) {
    if c.is_ascii() {
        return push(c.to_ascii_lowercase());
    }
    // Hangul and ideographs have no case and must not fall apart.
    if matches!(c, '\u{3040}'..='\u{D7FF}') {
        return push(c);
    }
    let unfolded = std::iter::once(c).nfkd().filter(|c| !is_combining_mark(*c));
    unfolded.flat_map(char::to_lowercase).for_each(push);
}
