//! Promises of the library as its users see it.

mod fuzz_corpus;
mod injection_suites;
