//! Stores whose truth is files that a person may read and edit.
//!
//! [`layout`] is the port between such a store and its file format: pure functions between
//! bytes and memories. The rest is what the formats share: a memory's fields as JSON
//! ([`field`], [`object`]), ids for what has none ([`naming`]), and text as it lies in a file
//! ([`text`]).

pub mod field;
pub mod layout;
pub mod naming;
pub mod object;
pub mod store;
pub mod text;

#[cfg(test)]
pub(crate) mod hostile;
