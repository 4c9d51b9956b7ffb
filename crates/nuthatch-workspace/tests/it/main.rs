//! Templates that fuzzing came up with.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod fuzz_corpus;
