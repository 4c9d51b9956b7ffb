//! The agent and its tools against a scripted model on loopback.

mod agent;
#[path = "../../examples/agent/scripted.rs"]
mod scripted;
mod tools;
mod world;
