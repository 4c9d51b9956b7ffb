//! What must hold for every template and every argument. Shared by the fuzz target and the
//! test that runs its corpus.

use std::ffi::OsString;

use nuthatch_workspace::commands::{Piece, Template, expand};

/// Parts a template from an argument.
const BETWEEN: char = '\u{1e}';

/// An argument that means nothing to anybody.
const PLAIN: &str = "Zq7plain7qZ";

/// The structure of an expanded template does not depend on what the arguments say, and in
/// a command line an argument is its quoted self and nothing else.
pub fn expander(input: &str) {
    let (template, argument) = input.split_once(BETWEEN).unwrap_or((input, "'$(id)'!{x}@{y}"));
    let Ok(parsed) = Template::parse(template) else { return };
    assert_eq!(Template::parse(template).ok().as_ref(), Some(&parsed), "two looks, two parts");
    if template.contains(PLAIN) || argument.contains('\0') {
        return;
    }
    for count in 0..4 {
        let of = |text: &str| expand(&parsed, &vec![OsString::from(text); count]).ok();
        let (plain, hostile) = (of(PLAIN), of(argument));
        assert_eq!(plain.is_some(), hostile.is_some(), "an argument decides what is a mistake");
        let (Some(plain), Some(hostile)) = (plain, hostile) else { continue };
        assert_eq!(plain.pieces.len(), hostile.pieces.len(), "an argument makes pieces");
        for pair in plain.pieces.iter().zip(&hostile.pieces) {
            let (expected, got) = match pair {
                (Piece::Text(plain), Piece::Text(hostile))
                | (Piece::File(plain), Piece::File(hostile)) => (filled(plain, argument), hostile),
                (Piece::Shell(plain), Piece::Shell(hostile)) => {
                    (filled(plain, &argument.replace('\'', "'\\''")), hostile)
                }
                _ => panic!("an argument changes a piece: {pair:?}"),
            };
            assert_eq!(&expected, got, "an argument is more than itself");
        }
    }
}

fn filled(plain: &[u8], argument: &str) -> Vec<u8> {
    String::from_utf8_lossy(plain).replace(PLAIN, argument).into_bytes()
}
