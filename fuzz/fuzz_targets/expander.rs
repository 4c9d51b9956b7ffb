//! Runs `templates::expander` on whatever libFuzzer comes up with.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../templates.rs"]
mod templates;

fuzz_target!(|input: &str| templates::expander(input));
