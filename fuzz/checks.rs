//! What must hold for every text. Shared by the fuzz targets and the test that runs their
//! corpus: a check is written once.

use nuthatch::guard::{Form, examine, injection, inspect, sanitise, sanitise_label, secrets};
use nuthatch::invocation::Invocation;
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

/// An invocation is read and written back the same, leads nowhere outside, or is refused at a
/// place inside the text.
pub fn invocation(text: &str) {
    match text.parse::<Invocation>() {
        Ok(call) => {
            let again = call.to_string().parse::<Invocation>();
            assert_eq!(again.ok().as_ref(), Some(&call), "{text:?} is not read back");
            for input in &call.inputs {
                let outside = input.starts_with(['/', '~']) || input.split('/').any(|p| p == "..");
                assert!(!outside && !input.is_empty(), "{text:?} leads out by {input:?}");
            }
            assert!(call.tail != Some(0));
        }
        Err(error) => {
            let message = error.to_string();
            let Some(rest) = message.split("character ").nth(1) else { return };
            let place = rest.split(':').next().and_then(|place| place.parse::<usize>().ok());
            let place = place.expect("the place is a number");
            assert!((1..=text.chars().count() + 1).contains(&place), "{text:?}: {message}");
        }
    }
}
