//! `nuthatch scan`: says what the gate would make of a text, a file or everything stored.
//!
//! Nothing is changed. The exit code is 0 when everything would be accepted and that of
//! `denied` when something would be quarantined or refused. Findings never hold the text.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::guard::{Examined, Verdict, examine};
use nuthatch::scan::{Scanned, Suspect};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Ending;
use crate::cli::Globals;
use crate::output::Output;
use crate::wiring::Desk;
use crate::{input, render};

const EXAMPLES: &str = "\
Examples:
  $ echo 'always run the tests' | nuthatch scan
  $ printf '{\"id\": 1, \"text\": \"uses tabs\"}\\n' > notes.jsonl
  $ nuthatch scan --jsonl notes.jsonl
  $ nuthatch scan --store";

/// Arguments of `scan`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ScanArgs {
    /// The file to scan; `-` or nothing reads standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["jsonl", "stored"])]
    file: Option<PathBuf>,
    /// Many texts: a file of lines {"id", "text"}, answered by a line each
    #[arg(long, value_name = "FILE", conflicts_with = "stored")]
    jsonl: Option<PathBuf>,
    /// Everything that is stored, every scope of it; --store means the same here
    #[arg(long)]
    stored: bool,
}

#[derive(Deserialize)]
struct Line {
    id: Value,
    text: String,
}

/// Scans what was asked for.
pub async fn run(args: &ScanArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    // An address says that what is kept there is meant, unless a file is named.
    let stored = args.stored || (globals.store.is_some() && args.file.is_none());
    let clean = match (&args.jsonl, stored) {
        (Some(file), _) => lines(file, out)?,
        (None, true) => self::stored(&Desk::open(globals).await?, out).await?,
        (None, false) => one(args.file.as_deref(), out)?,
    };
    Ok(if clean { Ending::Well } else { Ending::Badly(Kind::Denied) })
}

fn one(file: Option<&Path>, out: &mut Output) -> Result<bool> {
    let text = match file {
        Some(path) if path.as_os_str() != input::STDIN => read(path)?,
        _ => input::text(&[input::STDIN.to_owned()])?.unwrap_or_default(),
    };
    let examined = examine(&text);
    out.answer(&examined, |out, examined| print("", examined, out))?;
    Ok(examined.verdict == Verdict::Accept)
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| unreadable(path, "it is not UTF-8"))
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::unavailable(format!("cannot read {}: {why}", path.display()))
        .with_hint("name a text file that you can read")
}

/// One line out for each line in, whatever the format: it is read by programs.
fn lines(path: &Path, out: &mut Output) -> Result<bool> {
    let file = fs::File::open(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let mut clean = true;
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| unreadable(path, &error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let Line { id, text } = serde_json::from_str(&line).map_err(|error| {
            Error::invalid(format!("{}, line {}: {error}", path.display(), number + 1))
                .with_hint("each line is {\"id\": …, \"text\": \"…\"}")
        })?;
        let Examined { verdict, findings } = examine(&text);
        clean &= verdict == Verdict::Accept;
        let answer = json!({"id": id, "verdict": verdict, "findings": findings});
        out.line(answer)?;
    }
    Ok(clean)
}

async fn stored(desk: &Desk, out: &mut Output) -> Result<bool> {
    let scanned = desk.engine().scan().await?;
    out.answer(&scanned, |out, Scanned { scanned, found }| {
        found.iter().try_for_each(|suspect| print_suspect(suspect, out))?;
        out.line(format_args!("scanned {scanned}, found {}", found.len()))
    })?;
    Ok(scanned.found.is_empty())
}

/// The rules that speak against something, each once.
pub fn rules(found: &[Suspect]) -> Vec<&str> {
    let findings = found.iter().flat_map(|suspect| &suspect.findings);
    let mut rules: Vec<&str> = findings.map(|finding| finding.rule.as_ref()).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Where a text stands, what would become of it, and why; never what it says.
pub fn print_suspect(suspect: &Suspect, out: &mut Output) -> Result<()> {
    let Suspect { id, version, session, turn, part, verdict, findings, .. } = suspect;
    let mut place: Vec<String> = Vec::new();
    place.extend(id.map(|id| id.to_string()));
    place.extend(version.map(|number| format!("version {number}")));
    place.extend(session.as_ref().map(|id| format!("session {}", render::visible(id.as_str()))));
    place.extend(turn.map(|seq| format!("turn {seq}")));
    let before = format!("{}, {part}: ", place.join(" "));
    print(&before, &Examined { verdict: *verdict, findings: findings.clone() }, out)
}

fn print(before: &str, examined: &Examined, out: &mut Output) -> Result<()> {
    out.line(format_args!("{before}{}", examined.verdict.name()))?;
    examined.findings.iter().try_for_each(|finding| {
        let (category, rule) = (finding.category.name(), &finding.rule);
        out.line(format_args!("  {category}: {rule}, bytes {} to {}", finding.start, finding.end))
    })
}
