//! Runs `checks::invocation` on whatever libFuzzer comes up with.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../checks.rs"]
mod checks;

fuzz_target!(|text: &str| checks::invocation(text));
