//! The stores, and an engine over them, as their users meet them.

#![allow(clippy::unwrap_used, reason = "a test that meets an error should stop there")]

mod autonomy;
mod canary;
mod composite;
mod conformance;
mod device;
mod engine;
mod exports;
mod languages;
mod lingering;
mod meaning;
mod migrate;
mod moves;
mod places;
mod planted;
mod preamble;
mod ranking;
mod remind;
mod scopes;
mod sync;
