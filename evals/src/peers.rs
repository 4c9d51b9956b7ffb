//! The peers beside ours: hands over to the scripts in `evals/peers`, which install and
//! drive them, with this very program as our own worker.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// What to measure.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) rankings: Option<PathBuf>,
    pub(crate) names: Vec<String>,
}

/// Installs what is missing, then runs every peer.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let cache = options.cache.iter().flat_map(|path| ["--cache".into(), path.as_os_str().into()]);
    let cache: Vec<std::ffi::OsString> = cache.collect();
    let others: Vec<&String> = options.names.iter().filter(|name| *name != "nuthatch").collect();
    let mut install = Command::new("python3");
    install.arg(scripts.join("install.py")).args(&cache);
    // A peer of several ways to ask is installed once, under its own name.
    install.args(others.iter().map(|name| name.trim_end_matches("-hybrid")));
    // What cannot be installed is said there, and again by the run, which leaves it out.
    install.status().context("python3 is needed to install and drive the peers")?;
    let mut drive = Command::new("python3");
    drive.arg(scripts.join("run.py")).args(&cache).arg("--data").arg(&options.data);
    drive.arg("--nuthatch").arg(std::env::current_exe()?);
    if let Some(folder) = &options.rankings {
        drive.arg("--out").arg(folder);
    }
    drive.args(&options.names);
    let status = drive.status()?;
    ensure!(status.success(), "driving the peers ended with {status}");
    Ok(())
}
