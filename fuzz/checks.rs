//! What must hold for every text. Shared by the fuzz targets and the test that runs their
//! corpus: a check is written once.

use nuthatch::guard::{Form, examine, injection, inspect, sanitise, sanitise_label, secrets};
use unicode_normalization::is_nfc;

/// The gate examines the text without a panic, says the same twice, and its spans can be cut
/// out.
pub fn scanner(text: &str) {
    let scored = injection::score(text);
    assert!((0.0..=1.0).contains(&scored.score), "{}", scored.score);
    let found = secrets::scan(text);
    let mut after = 0;
    for finding in &found {
        assert!(after <= finding.start, "secrets overlap");
        after = finding.end;
    }
    let examined = examine(text);
    for finding in found.iter().chain(&scored.findings).chain(&examined.findings) {
        assert!(finding.start <= finding.end, "{finding:?}");
        assert!(text.get(finding.start..finding.end).is_some(), "{finding:?} cuts a character");
    }
    assert_eq!(examined, examine(text), "two looks, two verdicts");
}

/// What is kept of the text is composed and visible, and stays as it is.
pub fn sanitiser(text: &str) {
    for finding in inspect(text) {
        assert!(text.get(finding.start..finding.end).is_some(), "{finding:?} cuts a character");
    }
    for form in [Form::Fact, Form::Note] {
        if let Ok(once) = sanitise(text, form) {
            assert!(is_nfc(&once), "{once:?} is not composed");
            assert!(inspect(&once).is_empty(), "{once:?} hides {:?}", inspect(&once));
            assert_eq!(sanitise(&once, form).ok(), Some(once), "sanitising twice changes more");
        }
    }
    if let Ok(once) = sanitise_label("key", text) {
        assert!(!once.contains(['\n', '\r']), "{once:?} has lines");
        assert!(inspect(&once).is_empty(), "{once:?} hides {:?}", inspect(&once));
        assert_eq!(sanitise_label("key", &once).ok(), Some(once), "the label changes again");
    }
}
