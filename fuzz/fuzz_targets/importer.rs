//! Runs `imports::importer` on whatever libFuzzer comes up with.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../imports.rs"]
mod imports;

fuzz_target!(|input: &str| imports::importer(input));
