//! Context files on a real disk, and sources against servers on loopback.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod files;
mod fuzz_corpus;
mod mutations;
mod products;
mod server;
mod sources;
mod tree;
