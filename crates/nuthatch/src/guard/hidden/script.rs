//! The scripts and symbols beside which unseen characters are part of the writing.
//!
//! Ranges of blocks rather than exact properties: a neighbour only has to be of the right
//! family, and a table of every code point would be a dependency.

/// Scripts whose letters change shape beside each other, and so need joiners: Arabic,
/// Syriac, N'Ko, Mongolian, the scripts of India and South-East Asia.
pub(super) fn is_joining(c: char) -> bool {
    is_arabic(c)
        || is_mongolian(c)
        || matches!(c,
            '\u{0700}'..='\u{074F}' | '\u{07C0}'..='\u{07FF}' | '\u{0840}'..='\u{085F}'
            | '\u{0900}'..='\u{0DFF}' | '\u{0F00}'..='\u{109F}' | '\u{1700}'..='\u{17FF}'
            | '\u{1A20}'..='\u{1AAF}' | '\u{1B00}'..='\u{1C7F}' | '\u{1CD0}'..='\u{1CFF}'
            | '\u{A800}'..='\u{A82F}' | '\u{A840}'..='\u{A8FF}' | '\u{A930}'..='\u{A9DF}'
            | '\u{AA00}'..='\u{AADF}' | '\u{ABC0}'..='\u{ABFF}' | '\u{10A00}'..='\u{10A5F}'
            | '\u{11000}'..='\u{1193F}' | '\u{119A0}'..='\u{11FFF}')
}

/// Signs that silence a vowel and ask for a conjunct.
pub(super) fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{094D}'
            | '\u{09CD}'
            | '\u{0A4D}'
            | '\u{0ACD}'
            | '\u{0B4D}'
            | '\u{0BCD}'
            | '\u{0C4D}'
            | '\u{0CCD}'
            | '\u{0D3B}'
            | '\u{0D3C}'
            | '\u{0D4D}'
            | '\u{0DCA}'
            | '\u{1039}'
            | '\u{17D2}'
    )
}

/// Scripts written without spaces, where a zero-width space parts the words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{0F00}'..='\u{0FFF}' | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}' | '\u{1950}'..='\u{19DF}' | '\u{1A20}'..='\u{1AAF}'
        | '\u{1B00}'..='\u{1B7F}' | '\u{A980}'..='\u{A9FF}' | '\u{AA60}'..='\u{AADF}')
}

fn is_arabic(c: char) -> bool {
    matches!(c,
        '\u{0600}'..='\u{061B}' | '\u{061D}'..='\u{06FF}' | '\u{0750}'..='\u{077F}'
        | '\u{0860}'..='\u{08FF}' | '\u{FB50}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}')
}

pub(super) fn is_right_to_left(c: char) -> bool {
    is_arabic(c)
        || matches!(c,
            '\u{0590}'..='\u{05FF}' | '\u{0700}'..='\u{085F}' | '\u{FB1D}'..='\u{FB4F}'
            | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

pub(super) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1800}'..='\u{180D}' | '\u{180F}'..='\u{18AF}' | '\u{202F}')
}

pub(super) fn is_khmer(c: char) -> bool {
    matches!(c, '\u{1780}'..='\u{17B3}' | '\u{17B6}'..='\u{17FF}')
}

/// Hangul that is seen: the fillers themselves vouch for nobody.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115E}' | '\u{1161}'..='\u{11FF}' | '\u{3131}'..='\u{3163}'
        | '\u{3165}'..='\u{318E}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}'
        | '\u{FFA1}'..='\u{FFDC}')
}

pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{3007}' | '\u{20000}'..='\u{3FFFD}')
}

pub(super) fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) && super::Kind::of(c).is_none()
}

/// Symbols that have, or may be given, an emoji picture.
pub(super) fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{00A9}' | '\u{00AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2460}'..='\u{24FF}'
        | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}'
        | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1F3FA}' | '\u{1F400}'..='\u{1FAFF}')
}

/// What may stand between an emoji and the joiner after it: a skin tone, a selector, the end
/// of a flag.
pub(super) fn is_modifier(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}' | '\u{FE0F}' | '\u{FE0E}' | '\u{20E3}' | '\u{E007F}')
}

/// Characters with registered variants beside emoji and ideographs: mathematical signs,
/// Myanmar and 'Phags-pa letters, East Asian punctuation.
pub(super) fn takes_text_selector(c: char) -> bool {
    matches!(c,
        '\u{2200}'..='\u{22FF}' | '\u{2A00}'..='\u{2AFF}' | '\u{1000}'..='\u{109F}'
        | '\u{A840}'..='\u{A877}' | '\u{AA60}'..='\u{AA7F}' | '\u{3001}'..='\u{3002}'
        | '\u{FF01}'..='\u{FF1F}' | '\u{2018}'..='\u{201D}')
}
