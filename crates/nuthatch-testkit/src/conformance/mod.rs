//! The contract of a store as named cases, one function per promise.
//!
//! A backend gives a [`Bench`] and names one of the macros ([`conformance!`](crate::conformance!),
//! [`disk_conformance!`](crate::disk_conformance!),
//! [`text_file_conformance!`](crate::text_file_conformance!)); each case becomes a test of its
//! own, and a failure reads `sqlite::a_superseded_memory_is_hidden`. A case never skips itself.
//! Cases about modes and links need Unix.

// What a case promises is its name; where that does not say all, it has a comment.
#![allow(missing_docs, reason = "the name of a case is its sentence")]

mod bench;
mod cases;
mod macros;
mod probe;
mod reference;
mod scene;
mod snapshot;

pub mod chars;
pub mod disk;
pub mod edit;
pub mod erasure;
pub mod fields;
pub mod forget;
pub mod hand;
pub mod hand_edits;
pub mod hand_saves;
pub mod jobs;
pub mod limits;
pub mod list;
pub mod remember;
pub mod search;
pub mod sessions;
pub mod sets;
pub mod supersede;
pub mod talk;
pub mod together;
pub mod tombstones;
pub mod trust;
pub mod turns;
pub mod vectors;
pub mod whole;

pub use bench::{Bench, HandWritten, OnDisk, TextFile};
pub use cases::{DISK_CASES, Runner, STORE_CASES, TEXT_FILE_CASES, store_cases};

/// Runs one case to its end on a runtime of its own, as the generated tests do.
pub fn drive(case: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without timers and sockets can always be built")
        .block_on(case);
}
