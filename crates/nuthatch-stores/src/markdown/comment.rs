//! The HTML comment behind an entry: a JSON object with what the visible text cannot say.
//!
//! `--` never occurs inside, so no value can end the comment early. A comment that is not an
//! object with an id is a person's and stays part of the text. Names that another version of
//! us wrote are kept.

use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use serde_json::Value;

use super::entry::Seen;
use crate::files::field::Field;
use crate::files::object::{Before, Fields, Piece, merge};

/// Holds what the entry says where the visible text is only an approximation.
pub const EXACT: &str = "exact";

/// What a comment says: everything that neither the text nor the path does.
pub const KNOWN: [Field; 13] = [
    Field::Id,
    Field::CreatedAt,
    Field::UpdatedAt,
    Field::SessionId,
    Field::Origin,
    Field::Source,
    Field::Trust,
    Field::Pinned,
    Field::Importance,
    Field::Metadata,
    Field::SupersededBy,
    Field::Used,
    Field::LastUsedAt,
];

/// The same where the path does not say the scope.
pub const KNOWN_WITH_SCOPE: [Field; 14] = {
    let mut known = [Field::Scope; 14];
    let mut at = 0;
    while at < KNOWN.len() {
        known[at] = KNOWN[at];
        at += 1;
    }
    known
};

/// Takes our comment out of an entry's text: the last one that is ours, wherever it stands,
/// because a person may go on writing behind it.
#[must_use]
pub fn cut(text: &str) -> (String, Option<&str>) {
    let mut limit = text.len();
    while let Some(start) = text[..limit].rfind("<!--") {
        let body = &text[start + 4..limit];
        if let Some(end) = body.find("-->") {
            let object = body[..end].trim();
            if is_ours(object) {
                let before = text[..start].trim_end_matches([' ', '\t', '\n']);
                return (format!("{before}{}", &text[start + 4 + end + 3..]), Some(object));
            }
        }
        limit = start;
    }
    (text.to_owned(), None)
}

fn is_ours(object: &str) -> bool {
    let id = object.starts_with('{').then(|| Fields::parse(object)?.find("id")).flatten();
    id.is_some_and(|id| serde_json::from_str::<MemoryId>(id.get()).is_ok())
}

/// Whether a text holds what looks like a comment of ours, though it could not be read.
#[must_use]
pub fn is_damaged(text: &str) -> bool {
    text.contains("<!-- {\"id\"")
}

/// The comment for a memory, with whatever else the one before it held.
#[must_use]
pub fn write(
    before: Option<&Before<'_>>,
    known: &[Field],
    memory: &Memory,
    exact: Option<&Seen>,
) -> String {
    let mut object = String::new();
    let exact = exact.map(|exact| (EXACT.to_owned(), Piece::New(serde_json::json!(exact))));
    let fields = merge(before, known, memory).into_iter().filter(|(name, _)| name != EXACT);
    for (name, piece) in fields.chain(exact) {
        object.push(if object.is_empty() { '{' } else { ',' });
        object.push_str(&Value::String(name).to_string());
        object.push(':');
        match piece {
            // Between the tokens of a kept value a line may have been wrapped.
            Piece::Kept(raw) => object.push_str(&raw.replace(['\n', '\r'], " ")),
            Piece::New(value) => object.push_str(&value.to_string()),
        }
    }
    object.push('}');
    format!("<!-- {} -->", escape(&object))
}

/// Spells out what would end the comment or vanish in an editor. Outside of strings none
/// of it occurs in JSON, so an escape is always legal where it lands.
fn escape(object: &str) -> String {
    let mut escaped = String::with_capacity(object.len());
    let mut last = ' ';
    for c in object.chars() {
        let twice = c == '-' && last == '-';
        if twice || is_unseen(c) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
        last = c;
    }
    escaped
}

/// Characters that editors drop, rewrite or take for the end of a line.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = r#"<!-- {"id":"01890a5d-ac96-774b-bcce-b302099a8057"} -->"#;

    #[test]
    fn the_last_comment_that_is_ours_is_cut_out() {
        let text = format!("a {OURS} b <!-- {{\"id\":1}} --> {OURS} c <!-- todo -->");
        let (rest, object) = cut(&text);
        assert_eq!(rest, format!("a {OURS} b <!-- {{\"id\":1}} --> c <!-- todo -->"));
        assert!(object.is_some());
    }

    #[test]
    fn a_comment_that_is_not_ours_is_text() {
        for text in
            ["a <!-- b -->", "a <!-- {\"id\":", "<!-- {\"id\":null} -->", "<!---->", "<!-->"]
        {
            assert_eq!(cut(text), (text.to_owned(), None));
        }
    }

    #[test]
    fn nothing_ends_a_comment_early() {
        let escaped = escape(r#"{"a":"--> <!-- --- -","b":-1}"#);
        assert!(!escaped.contains("--"), "{escaped}");
        let value: Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(value["a"], "--> <!-- --- -");
    }
}
