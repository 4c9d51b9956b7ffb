//! The doors over a store in RAM: what clients see, and what strangers do not.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod access;
mod client;
mod documents;
mod http;
mod mcp;
mod memory_tool;
mod page;
mod roles;
mod shapes;
