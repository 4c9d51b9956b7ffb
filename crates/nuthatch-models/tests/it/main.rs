//! Embedders as their users see them.

mod builtin;
mod file;
mod remote;
mod server;
