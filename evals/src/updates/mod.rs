//! What is true now: facts that replace others, scopes that must not leak, nothing beside.
//!
//! `precision.rs` asks for the right belief and only that; `conflict.rs` tells contradicting
//! facts one after the other and asks which one holds. Both work through the engine as a
//! user would.

mod belief;
mod conflict;
mod desk;
mod precision;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::de::DeserializeOwned;

use crate::data;
use crate::embedding::Choice;
use crate::world::block_on;

/// What to measure.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) embedder: Choice,
    pub(crate) most_facts: usize,
    pub(crate) wrong: bool,
}

/// Prints both tables, each where its files are there.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let precision = data::present(&options.data, "beliefs.seed.json");
    let conflict = data::present(&options.data, "Conflict_Resolution.json");
    if precision.is_none() && conflict.is_none() {
        bail!("{} holds no set of updates", options.data.display());
    }
    if precision.is_some() {
        block_on(precision::run(&options.data, &options.embedder, options.wrong))?;
    }
    if let Some(path) = conflict {
        block_on(conflict::run(&path, options.most_facts, &options.embedder))?;
    }
    Ok(())
}

/// A whole JSON file of the set.
fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> anyhow::Result<T> {
    let path = data::present(folder, name).with_context(|| format!("no {name}"))?;
    data::whole(&path)
}
