//! Runs `transcripts::reader` for gemini-cli on whatever libFuzzer comes up with.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../transcripts.rs"]
mod transcripts;

fuzz_target!(|input: &[u8]| transcripts::reader("gemini-cli", input));
