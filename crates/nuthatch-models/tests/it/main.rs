//! Models as their users see them.

mod builtin;
mod chat;
mod file;
mod remote;
mod server;
