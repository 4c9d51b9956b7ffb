//! The suites of orders and ordinary memories that the scorer was measured on.
//!
//! A floor, so that no change of a rule loses what was won. How the figures came about, and
//! which of them were taken at first sight, is in `docs/guard.md`.

use std::fs;
use std::path::Path;

use nuthatch::guard::injection::score;
use nuthatch::guard::{Verdict, examine};
use serde_json::Value;

struct Sample {
    text: String,
    order: bool,
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evals/suites/injection");
    let files = fs::read_dir(folder).expect("the suites are part of the repository");
    let mut samples = Vec::new();
    for file in files {
        let text = fs::read_to_string(file.expect("a readable entry").path()).expect("a suite");
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).expect("a line of JSON");
            let text = row["text"].as_str().expect("a text").to_owned();
            samples.push(Sample { text, order: row["label"] == 1 });
        }
    }
    samples
}

#[test]
fn nine_of_ten_orders_are_quarantined_and_one_memory_in_forty_at_most() {
    let samples = samples();
    let (orders, memories): (Vec<_>, Vec<_>) = samples.iter().partition(|sample| sample.order);
    assert!(orders.len() >= 150 && memories.len() >= 300);
    let flagged = |sample: &&&Sample| score(&sample.text).is_suspicious();
    let (found, alarms) =
        (orders.iter().filter(flagged).count(), memories.iter().filter(flagged).count());
    assert!(found * 10 >= orders.len() * 9, "{found} of {}", orders.len());
    assert!(alarms * 40 <= memories.len(), "{alarms} of {}", memories.len());
}

#[test]
fn no_memory_of_the_suites_is_refused() {
    for sample in samples().iter().filter(|sample| !sample.order) {
        assert_ne!(examine(&sample.text).verdict, Verdict::Reject, "{}", sample.text);
    }
}
