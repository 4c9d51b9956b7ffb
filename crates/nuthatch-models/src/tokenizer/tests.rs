//! The pieces of texts are those that the tokenizer of BERT's makers finds.
//!
//! `golden.json` holds texts of ours, a vocabulary of ours, and what the `tokenizers` package
//! (0.22) makes of them.

use nuthatch::error::Kind;
use serde::Deserialize;

use super::*;
use crate::bytes::Bytes;

#[derive(Deserialize)]
struct Golden {
    vocabulary: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    pieces: Vec<String>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("tests/golden.json")).expect("the golden file is JSON")
}

fn vocabulary(lines: &[String]) -> Vocabulary {
    Vocabulary::parse(Bytes::from(lines.join("\n").into_bytes())).expect("a vocabulary")
}

#[test]
fn every_text_falls_into_the_golden_pieces() {
    let Golden { vocabulary: lines, cases } = golden();
    let vocabulary = vocabulary(&lines);
    assert!(cases.len() > 40);
    for Case { text, pieces } in cases {
        let ids = tokenize(&vocabulary, &text, 512);
        let found: Vec<&str> = ids.iter().map(|id| lines[*id as usize].as_str()).collect();
        let (begin, rest) = found.split_first().unwrap();
        let (end, inner) = rest.split_last().unwrap();
        assert_eq!((*begin, *end), ("[CLS]", "[SEP]"));
        assert_eq!(inner, pieces, "{text:?}");
    }
}

#[test]
fn a_huge_text_and_a_huge_word_are_cut() {
    let vocabulary = vocabulary(&golden().vocabulary);
    let whole = tokenize(&vocabulary, "the seed ", 512);
    let text = "the seed ".repeat(400_000);
    let ids = tokenize(&vocabulary, &text, 10);
    assert_eq!(ids.len(), 10);
    assert_eq!((ids[0], ids[9]), (vocabulary.begin(), vocabulary.end()));
    assert_eq!(ids[1..3], whole[1..3]);
    assert_eq!(tokenize(&vocabulary, &"x".repeat(1 << 22), 512)[1], vocabulary.unknown());
}

#[test]
fn a_vocabulary_that_cannot_be_right_is_refused() {
    let refused = |text: &str, why: &str| {
        let error = Vocabulary::parse(Bytes::from(text.as_bytes().to_vec())).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.to_string().contains(why), "{error}");
    };
    refused("", "empty line");
    refused("[UNK]\n[CLS]\n", "lacks the piece [SEP]");
    refused("[UNK]\n[CLS]\n\n[SEP]\n", "empty line");
    refused("[UNK]\n[CLS]\n[SEP]\na\na\n", "twice");
    let error = Vocabulary::parse(Bytes::from(vec![0xff, b'\n'])).unwrap_err();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    let last_line_open = Vocabulary::parse(Bytes::from(b"[UNK]\n[CLS]\n[SEP]".to_vec()));
    assert_eq!(last_line_open.unwrap().len(), 3);
}
