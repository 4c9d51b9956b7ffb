//! How other agents are told of Nuthatch, and how their hooks are understood.
//!
//! `recipe` says what each product is to know and in which file; `json`, `toml` and `yaml` edit
//! such files by position, so that everything foreign keeps its bytes; `install` plans, shows
//! and carries out; `disk` replaces files whole. `hook` reads the events of every dialect and
//! writes the answers. It knows neither stores nor memories.

mod agent;
mod diff;
mod disk;
mod document;
pub mod hook;
mod install;
mod json;
mod ledger;
mod recipe;
mod toml;
mod tree;
mod yaml;

pub use agent::Agent;
pub use document::{Entry, Format, Presence, What};
pub use install::{Change, Checked, Installer, Verdict};
pub use recipe::{Homes, Program, Reach, Target, hook_words, server_words, targets};
pub use tree::Tree;
