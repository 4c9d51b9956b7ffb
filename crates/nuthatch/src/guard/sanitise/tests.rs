//! What is kept of a text, and what is never kept.

use proptest::prelude::*;

use super::*;

fn fact(text: &str) -> String {
    sanitise(text, Form::Fact).unwrap()
}

#[test]
fn a_fact_is_one_line_without_leading_dashes() {
    assert_eq!(fact("  - -- uses\n\n tabs\t and  spaces \r\n"), "uses tabs and spaces");
    assert_eq!(fact("well-known --flag"), "well-known --flag");
}

#[test]
fn a_note_keeps_its_lines_and_indentation() {
    assert_eq!(sanitise("\n# A\r\n\n  - b  \n", Form::Note).unwrap(), "# A\n\n  - b");
}

#[test]
fn what_cannot_be_seen_is_removed() {
    assert_eq!(fact("pass\u{200B}word\u{0}\u{1B}[31m"), "password[31m");
    assert_eq!(fact("a\u{202E}b\u{2066}c\u{FEFF}"), "abc");
    assert_eq!(fact("x\u{E0041}\u{E0042}y"), "xy");
    assert_eq!(fact("to\u{200D}ken"), "token");
}

#[test]
fn joiners_and_flags_stay_where_writing_needs_them() {
    for text in [
        "👩\u{200D}💻 codes",
        "می\u{200C}خواهم",
        "क\u{94D}\u{200D}ष",
        "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} flag",
    ] {
        assert_eq!(fact(text), text);
    }
}

#[test]
fn a_joiner_does_not_outlive_the_dash_it_stood_beside() {
    assert_eq!(fact("-\u{200C}خوب"), "خوب");
    assert_eq!(fact("- \u{200C}- خوب"), "خوب");
}

#[test]
fn words_of_scripts_that_need_joiners_are_kept() {
    for text in [
        // Persian: I go, books, unknown.
        "می\u{200C}روم کتاب\u{200C}ها ناشناخته\u{200C}ای",
        // Urdu and Arabic with vowel signs.
        "اُردُو زبان",
        "السَّلَامُ عَلَيْكُمْ",
        // Hindi, Bengali, Malayalam, Sinhala: conjuncts with and without a joiner.
        "शक\u{94D}\u{200D}ति क\u{94D}\u{200C}ष विद्यालय",
        "র\u{9CD}\u{200D}যাব",
        "ന\u{D4D}\u{200D} അവന്",
        "ශ\u{DCA}\u{200D}රී ලංකා",
        // Families, professions, flags.
        "👨\u{200D}👩\u{200D}👧\u{200D}👦 👩🏾\u{200D}🚀 🏳\u{FE0F}\u{200D}⚧\u{FE0F} 🇺🇦 🇯🇵",
        "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F} Cymru",
    ] {
        let composed: String = unicode_normalization::UnicodeNormalization::nfc(text).collect();
        assert_eq!(fact(text), composed);
    }
}

#[test]
fn what_is_empty_afterwards_is_refused() {
    for text in ["", " \n\t", "---", "- - -", "\u{200B}\u{FEFF}"] {
        assert!(sanitise(text, Form::Fact).is_err(), "{text:?} was accepted");
    }
    assert!(sanitise(&"x".repeat(CONTENT_BYTES + 1), Form::Note).is_err());
}

proptest! {
    #[test]
    fn sanitising_twice_changes_nothing_more(text in any::<String>()) {
        for form in [Form::Fact, Form::Note] {
            if let Ok(once) = sanitise(&text, form) {
                prop_assert!(super::super::inspect(&once).is_empty(), "{once:?}");
                prop_assert_eq!(sanitise(&once, form).unwrap(), once);
            }
        }
    }

    #[test]
    fn words_and_single_spaces_are_kept(text in "[!,.0-9A-Za-z][!-~]{0,9}( [!-~]{1,9}){0,8}") {
        prop_assert_eq!(fact(&text), text);
    }
}
