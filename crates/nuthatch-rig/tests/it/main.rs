//! The agent and its tools against a scripted model on loopback.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod agent;
#[path = "../../examples/agent/scripted.rs"]
mod scripted;
mod tools;
mod world;
