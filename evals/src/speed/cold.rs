//! A recall from process start to its end, by the product's own binary.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::ensure;

use super::build::store_path;
use super::child::Spread;
use super::synth::Language;
use crate::random::Random;

/// How often each is started.
const STARTS: usize = 25;

/// What starting takes.
pub(super) struct Cold {
    /// A process that does nothing but say its version.
    pub(super) start: Spread,
    /// A recall.
    pub(super) recall: Spread,
}

/// Starts the binary over the store of a folder.
pub(super) fn measure(binary: &Path, folder: &Path, turns: usize) -> anyhow::Result<Cold> {
    let language = Language::new();
    let mut random = Random::new(11);
    let (mut start, mut recall) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        start.push(timed(binary, folder, &["--version"])?);
        let question = language.question(random.below(turns));
        recall.push(timed(binary, folder, &["recall", "--all-projects", "--json", &question])?);
    }
    Ok(Cold { start: Spread::of(start), recall: Spread::of(recall) })
}

fn timed(binary: &Path, folder: &Path, arguments: &[&str]) -> anyhow::Result<f64> {
    let mut command = Command::new(binary);
    command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("NUTHATCH_HOME", folder.join("home"));
    command.env("NUTHATCH_STORE", format!("sqlite:{}", store_path(folder).display()));
    let begun = Instant::now();
    let status = command.status()?;
    let spent = begun.elapsed().as_secs_f64() * 1e3;
    ensure!(status.success(), "{} {arguments:?} ended with {status}", binary.display());
    Ok(spent)
}
