//! Other scanners on the same samples: one file a sample, one run a tool.
//!
//! The tools are those that `scripts/peers` installed into one folder. A tool that is not
//! there, or fails, is reported as such and never as one that found nothing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, bail};
use serde_json::Value;

/// One scanner beside ours.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// What it calls its version, or why it was not measured.
    pub(crate) about: Result<String, String>,
    /// The numbers of the samples it found something in.
    pub(crate) found: HashSet<usize>,
}

type Scan = fn(&Path, &Path) -> anyhow::Result<HashSet<usize>>;

const TOOLS: [(&str, &str, Scan); 3] = [
    ("gitleaks", "version", gitleaks),
    ("detect-secrets", "--version", detect_secrets),
    ("ripsecrets", "--version", ripsecrets),
];

/// Runs every tool of `folder` over `texts`.
pub(crate) fn run(folder: &Path, texts: &[String]) -> anyhow::Result<Vec<Peer>> {
    let samples = tempfile::Builder::new().prefix("samples-").tempdir()?;
    for (number, text) in texts.iter().enumerate() {
        fs::write(samples.path().join(format!("{number}.txt")), text)?;
    }
    let peers = TOOLS.iter().map(|(name, version, scan)| {
        let binary = folder.join("bin").join(name);
        let measured = about(&binary, version)
            .and_then(|about| Ok((about, scan(&absolute(&binary)?, samples.path())?)));
        match measured {
            Ok((about, found)) => Peer { name, about: Ok(about), found },
            Err(error) => Peer { name, about: Err(format!("{error:#}")), found: HashSet::new() },
        }
    });
    Ok(peers.collect())
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    Ok(std::path::absolute(path)?)
}

fn about(binary: &Path, version: &str) -> anyhow::Result<String> {
    if !binary.exists() {
        bail!("not installed");
    }
    let noted = binary.with_extension("version");
    let noted = noted.file_name().and_then(|name| Some(binary.parent()?.parent()?.join(name)));
    if let Some(noted) = noted.and_then(|path| fs::read_to_string(path).ok()) {
        return Ok(noted.trim().to_owned());
    }
    let output = Command::new(binary).arg(version).output().context("cannot be run")?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.split_whitespace().last().unwrap_or("unknown version").to_owned())
}

fn gitleaks(binary: &Path, samples: &Path) -> anyhow::Result<HashSet<usize>> {
    let report = tempfile::NamedTempFile::new()?;
    let output = Command::new(binary)
        .args(["dir", "--no-banner", "--log-level=error", "--exit-code=0"])
        .args(["--report-format=json", "--report-path"])
        .arg(report.path())
        .arg(samples)
        .output()?;
    succeeded(&output, &[0])?;
    let found: Vec<Value> = serde_json::from_slice(&fs::read(report.path())?)?;
    Ok(found.iter().filter_map(|leak| number(leak.get("File")?.as_str()?)).collect())
}

fn detect_secrets(binary: &Path, samples: &Path) -> anyhow::Result<HashSet<usize>> {
    let output = Command::new(binary)
        .current_dir(samples)
        .args(["scan", "--all-files", "--no-verify", "."])
        .output()?;
    succeeded(&output, &[0])?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let results = report.get("results").and_then(Value::as_object).context("no results")?;
    Ok(results.keys().filter_map(|path| number(path)).collect())
}

fn ripsecrets(binary: &Path, samples: &Path) -> anyhow::Result<HashSet<usize>> {
    let output = Command::new(binary).current_dir(samples).arg(".").output()?;
    // One when something was found.
    succeeded(&output, &[0, 1])?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(lines.lines().filter_map(|line| number(line.split(':').next()?)).collect())
}

fn succeeded(output: &Output, codes: &[i32]) -> anyhow::Result<()> {
    if output.status.code().is_none_or(|code| !codes.contains(&code)) {
        bail!("failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// The number of the sample in a file of this name.
fn number(path: &str) -> Option<usize> {
    Path::new(path.trim()).file_stem()?.to_str()?.parse().ok()
}
