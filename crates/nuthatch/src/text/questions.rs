//! What a text asks.
//!
//! An answer says little without its question; the one who speaks next most likely answers
//! the last thing asked. Only short texts ask the next speaker something: in a long one a
//! question is a figure of speech.

/// A text longer than this is a speech, and its questions are its own.
const ASKING_CHARS: usize = 400;
/// How many questions are kept: people ask one thing in two sentences.
const KEPT: usize = 2;

/// The last questions of a text, as one line, or nothing if it asks nothing.
#[must_use]
pub fn questions(text: &str) -> Option<String> {
    if text.chars().count() > ASKING_CHARS {
        return None;
    }
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            '?' | '？' => {
                let sentence = text[start..end].trim();
                if sentence.chars().any(char::is_alphanumeric) {
                    found.push(sentence);
                }
                start = end;
            }
            '.' | '!' | '\n' | '。' | '！' => start = end,
            _ => {}
        }
    }
    let kept = &found[found.len().saturating_sub(KEPT)..];
    (!kept.is_empty()).then(|| kept.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_questions_are_kept() {
        let text = "Hey! How are you? I went hiking. Have you been there? When?";
        assert_eq!(questions(text).as_deref(), Some("Have you been there? When?"));
        assert_eq!(questions("東京に行った？").as_deref(), Some("東京に行った？"));
    }

    #[test]
    fn what_asks_nothing_or_speaks_at_length_has_none() {
        assert_eq!(questions("I went hiking."), None);
        assert_eq!(questions(" ? ?? "), None);
        assert_eq!(questions(""), None);
        assert_eq!(questions(&format!("{} Is it?", "word ".repeat(90))), None);
    }
}
