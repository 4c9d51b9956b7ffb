//! Whatever comes in, what is kept is composed, visible, and stays as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nuthatch::guard::{Form, inspect, sanitise, sanitise_label};
use unicode_normalization::is_nfc;

fuzz_target!(|text: &str| {
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
        assert_eq!(sanitise_label("key", &once).ok(), Some(once));
    }
});
