//! What the tests of every crate share: fakes, hostile data and the contract of a store.
//!
//! - [`fakes`]: a clock and ids that a test decides.
//! - [`scripted`]: a model endpoint that says what a test wants, and keeps what it was asked.
//! - [`generate`]: values at the edge of what they may be, by seed.
//! - [`mod@conformance`]: one case per promise of a store, as tests of each backend by
//!   [`conformance!`], [`disk_conformance!`] and [`text_file_conformance!`].
//!
//! Never published, and no part of any product crate.

pub mod conformance;
pub mod fakes;
pub mod generate;
pub mod scripted;

pub use fakes::{FixedClock, SequentialIds};
