//! What lives in a project's `.nuthatch/` folder, and what is done with it.
//!
//! [`Workspace`] says where everything lies and hands out checked paths; [`disk`] reads and
//! replaces files whole. The rest has a module per word. Nothing here knows which store or
//! which door is in use, and nothing reads the environment, the clock or a terminal: those
//! are handed in.

pub mod commands;
pub mod disk;
pub mod hooks;
mod layout;
pub mod sandbox;
pub mod trust;

pub use layout::Workspace;
