//! The gate examines any text without a panic, and its spans can be cut out.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nuthatch::guard::{examine, injection, secrets};

fuzz_target!(|text: &str| {
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
});
