//! Lines, JSON, words and watermarks by themselves.

use std::borrow::Cow;

use nuthatch::guard::delimit;
use nuthatch::transcript::Voice;
use proptest::prelude::*;

use super::super::json::{self, Object};
use super::super::lines::{Line, Lines};
use super::super::watermark::{Stamp, Watermark};
use super::super::words::{cut, of_user};

fn listed(bytes: &[u8], longest: usize) -> Vec<String> {
    let mut lines = Lines::within(bytes, 0, longest);
    let mut all = Vec::new();
    while let Some(line) = lines.next().unwrap() {
        all.push(match line {
            Line::Whole(line) => format!("whole {line}"),
            Line::Last(line) => format!("last {line}"),
            Line::TooLong => "too long".to_owned(),
        });
    }
    assert_eq!(lines.place, bytes.len() as u64);
    all
}

#[test]
fn marks_of_byte_order_blank_lines_and_carriage_returns_are_no_part_of_lines() {
    let bytes = b"\xef\xbb\xbfone\r\n\n  \ntwo\n\xff\nthree";
    assert_eq!(listed(bytes, 100), ["whole one", "whole two", "whole \u{fffd}", "last three"]);
    assert!(listed(b"", 100).is_empty() && listed(b"\xef\xbb\xbf\n\n", 100).is_empty());
}

#[test]
fn a_line_beyond_the_bound_is_passed_over_and_the_next_is_read() {
    assert_eq!(listed(b"12345678901\nshort\n", 10), ["too long", "whole short"]);
    assert_eq!(listed(b"1234567890\n", 10), ["whole 1234567890"]);
    assert_eq!(listed(b"12345678901", 10), ["too long"]);
}

#[test]
fn fields_of_another_type_are_not_there() {
    let object = Object::parse(r#"{"a": 1, "b": [1, "x", {"text": "y"}], "c": null, "a": "last"}"#);
    let object = object.unwrap();
    assert_eq!(object.text("a").as_deref(), Some("last"));
    assert_eq!((object.text("b"), object.object("b").is_some()), (None, false));
    assert!(object.raw("c").is_none() && object.items("a").is_empty());
    assert_eq!(json::texts(object.raw("b").unwrap()), "x\ny");
    assert_eq!(Object::parse("[]").unwrap_err(), "not an object");
    assert_eq!(Object::parse("{\"a\":").unwrap_err(), "not json");
}

#[test]
fn half_a_character_does_not_lose_the_text_around_it() {
    let line = r#"{"a": "x \ud83d y \u00e9\n", "b": "\ud83d\ude00"}"#;
    let object = Object::parse(line).unwrap();
    assert_eq!(object.text("a").as_deref(), Some("x \u{fffd} y é\n"));
    assert_eq!(object.text("b").as_deref(), Some("😀"));
}

#[test]
fn times_are_read_in_three_forms() {
    let line = r#"{"a": "2026-03-01T10:00:00.5Z", "b": 1772359200, "c": 1772359200500, "d": "no"}"#;
    let object = Object::parse(line).unwrap();
    let shown = |name: &str| object.time(name).map(|at| at.to_string());
    assert_eq!(shown("a").as_deref(), Some("2026-03-01T10:00:00.5Z"));
    assert_eq!(shown("b").as_deref(), Some("2026-03-01T10:00:00Z"));
    assert_eq!(shown("c").as_deref(), Some("2026-03-01T10:00:00.5Z"));
    assert_eq!(shown("d"), None);
}

#[test]
fn what_stands_beside_the_words_of_a_person_is_taken_off() {
    let text =
        "<ide_selection>x</ide_selection>\nfix this <system-reminder>be quiet</system-reminder>";
    assert_eq!(of_user(text), Some((Voice::Person, "fix this".into())));
    let only = "<system-reminder>be quiet";
    assert_eq!(of_user(only), Some((Voice::Host, only.into())));
    for host in ["<command-name>/clear</command-name>", "[Request interrupted by user]"] {
        assert_eq!(of_user(host).unwrap().0, Voice::Host);
    }
    let noted = "<user-memory-input>use tabs</user-memory-input>";
    assert_eq!(of_user(noted), Some((Voice::Person, "use tabs".into())));
    assert_eq!(of_user("a <system> b").unwrap().1, "a <system> b");
}

#[test]
fn what_was_injected_by_us_is_not_there_any_more() {
    let block = delimit::block(&delimit::marker("x"), ["- [core] port 5433"]);
    assert_eq!(of_user(&block), None);
    let text = format!("## Found out in this session\n{block}\nwhich port?");
    assert_eq!(of_user(&text), Some((Voice::Person, "which port?".into())));
    let broken = &text[..text.len() - 30];
    assert_eq!(of_user(broken), None);
}

#[test]
fn a_long_text_keeps_its_beginning_and_its_end() {
    let long = format!("begin {} end", "ü".repeat(1000));
    let short = cut(&long, 100);
    assert!(short.starts_with("begin ü") && short.ends_with("ü end"), "{short}");
    assert!(short.contains("[… 910 characters …]"), "{short}");
    assert!(matches!(cut("short", 100), Cow::Borrowed("short")));
}

proptest! {
    #[test]
    fn a_watermark_comes_back_as_it_was(size: u64, modified: i64, place: u64, seq: u64, check: u64) {
        let stamp = Stamp { size, modified };
        let watermark = Watermark { stamp, place, seq, check };
        prop_assert_eq!(watermark.to_string().parse::<Watermark>().unwrap(), watermark);
    }

    #[test]
    fn any_text_is_taken_apart_or_refused(text in "[\\PC\\n\\\\\"{}\\[\\]:,ud0-9]{0,80}") {
        if let Ok(object) = Object::parse(&text) {
            object.text("u");
            object.items("u");
        }
        let _ = (cut(&text, 7), of_user(&text), text.parse::<Watermark>());
    }
}
