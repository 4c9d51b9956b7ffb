//! Which characters are not seen, and what each of them can be abused for.
//!
//! Says nothing about where such a character is legitimate: that is `place`.

/// What kind of unseen character this is; the name becomes the rule of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// ASCII in disguise, U+E0000–E007F.
    Tag,
    /// Overrides, embeddings and isolates: the eye reads another order than the model.
    BidiControl,
    /// Marks that only nudge the order of neighbouring characters.
    BidiMark,
    /// Joiners, zero-width spaces and their kin.
    ZeroWidth,
    /// Selectors of a glyph variant, 256 of them: enough to spell any byte.
    VariationSelector,
    /// Brackets around text that is not to be shown.
    Annotation,
    /// Multiplication and application signs that print nothing.
    InvisibleOperator,
    /// Letters that print nothing.
    Filler,
    /// Terminal controls, noncharacters and code points that no text contains.
    Control,
}

impl Kind {
    /// Every kind, for tests and for documentation of the rules.
    #[cfg(test)]
    pub(super) const SAMPLES: [(Self, char); 9] = [
        (Self::Tag, '\u{E0041}'),
        (Self::BidiControl, '\u{202E}'),
        (Self::BidiMark, '\u{200F}'),
        (Self::ZeroWidth, '\u{200B}'),
        (Self::VariationSelector, '\u{E0151}'),
        (Self::Annotation, '\u{FFF9}'),
        (Self::InvisibleOperator, '\u{2062}'),
        (Self::Filler, '\u{3164}'),
        (Self::Control, '\u{1B}'),
    ];

    /// The kind of an unseen character; `None` for what can be seen, and for line ends
    /// and tabs.
    pub(super) fn of(c: char) -> Option<Self> {
        if c.is_ascii() {
            let control = c.is_ascii_control() && !matches!(c, '\n' | '\t');
            return control.then_some(Self::Control);
        }
        Some(match c {
            '\u{E0000}'..='\u{E007F}' => Self::Tag,
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Self::BidiControl,
            '\u{200E}' | '\u{200F}' | '\u{061C}' => Self::BidiMark,
            '\u{200B}'..='\u{200D}'
            | '\u{2060}'
            | '\u{FEFF}'
            | '\u{00AD}'
            | '\u{034F}'
            | '\u{180E}' => Self::ZeroWidth,
            '\u{FE00}'..='\u{FE0F}'
            | '\u{E0100}'..='\u{E01EF}'
            | '\u{180B}'..='\u{180D}'
            | '\u{180F}' => Self::VariationSelector,
            '\u{FFF9}'..='\u{FFFB}' => Self::Annotation,
            '\u{2061}'..='\u{2064}' => Self::InvisibleOperator,
            '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{17B4}' | '\u{17B5}' => {
                Self::Filler
            }
            c if c.is_control() || is_never_text(c) => Self::Control,
            _ => return None,
        })
    }

    /// The rule named in a finding.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Tag => "tag-characters",
            Self::BidiControl => "bidi-control",
            Self::BidiMark => "bidi-mark",
            Self::ZeroWidth => "zero-width",
            Self::VariationSelector => "variation-selector",
            Self::Annotation => "interlinear-annotation",
            Self::InvisibleOperator => "invisible-operator",
            Self::Filler => "blank-letter",
            Self::Control => "control-character",
        }
    }
}

/// Deprecated formats, shorthand and musical controls, unassigned ignorable code points and
/// noncharacters.
fn is_never_text(c: char) -> bool {
    matches!(c,
        '\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FFF0}'..='\u{FFF8}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{FDD0}'..='\u{FDEF}' | '\u{E0080}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}')
        || c as u32 & 0xFFFE == 0xFFFE
}
