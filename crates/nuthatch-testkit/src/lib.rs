//! What the tests of every crate share: fakes, hostile data and the contract of a store.
//!
//! - [`fakes`]: a clock and ids that a test decides.
//! - [`scripted`]: a model endpoint that says what a test wants, and keeps what it was asked.
//! - [`unsteady`]: a store behind a line that breaks; [`convergence`]: what two stores promise that
//!   are kept in step.
//! - [`luggage`]: what is carried from one store to another.
//! - [`generate`]: values at the edge of what they may be, by seed.
//! - [`mod@conformance`]: one case per promise of a store, as tests of each backend by
//!   [`conformance!`], [`disk_conformance!`] and [`text_file_conformance!`].
//!
//! Never published, and no part of any product crate.

pub mod conformance;
pub mod convergence;
pub mod fakes;
pub mod generate;
pub mod luggage;
pub mod scripted;
pub mod unsteady;

pub use fakes::{FixedClock, SequentialIds};
