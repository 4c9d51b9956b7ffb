//! What is read from outside: context files, the sessions of other agents, pages, trackers.
//!
//! - [`files`]: what `AGENTS.md` and its kin say at one place, by our rules or another agent's.
//! - [`source`]: a file, a page, an issue or a requirement, as text or as a note why not.
//! - [`context`]: both of them as parts of a context.
//! - [`imports`]: what other tools wrote out, as things to take in.
//! - [`transcripts`]: the sessions of other agents, as events.
//! - [`web`] and [`trackers`]: the ways there; [`within`]: files of one folder and no others.
//!
//! Everything here only reads, within limits, and reports what it could not read in place of
//! failing. Nothing here knows stores, models or doors.

pub mod context;
pub mod files;
pub mod imports;
mod kept;
pub mod source;
pub mod trackers;
pub mod transcripts;
pub mod web;
pub mod within;

pub use kept::Keeping;
