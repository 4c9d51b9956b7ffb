//! `nuthatch tour`: shows what Nuthatch does, on a store that is thrown away.
//!
//! Each step is a command line as a user would type it, run by the same code, with its real
//! output. Neither configuration nor any existing memory is touched.

use clap::{Args, Parser as _};
use nuthatch::error::{Error, Result};
use serde::Serialize;

use crate::cli::{Cli, Command};
use crate::commands::run_verb;
use crate::output::Output;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch tour";

/// What is shown: a line of explanation, and the words typed after `nuthatch`.
const STEPS: &[(&str, &[&str])] = &[
    (
        "A memory is a short text. The project you stand in keeps it.",
        &["remember", "the staging database listens on port 5433"],
    ),
    (
        "A key names a memory, a category says what kind it is.",
        &["remember", "--key", "editor", "--category", "preference", "uses tabs for indentation"],
    ),
    (
        "Ask in your own words: what matches comes first, and only what matches.",
        &["recall", "which port is the database on?"],
    ),
    (
        "Things change. The old text is kept as a version.",
        &["edit", "editor", "uses spaces since the new formatter"],
    ),
    ("Everything known about one memory.", &["show", "editor"]),
    ("Forgetting removes a memory and everything it ever said.", &["forget", "editor"]),
    ("So it cannot be found any more.", &["recall", "tabs or spaces"]),
];

/// Arguments of `tour`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TourArgs {}

#[derive(Debug, Serialize)]
struct Answer {
    steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct Step {
    about: &'static str,
    command: String,
    output: String,
}

/// Walks through every step.
pub async fn run(_: &TourArgs, out: &mut Output) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("nuthatch-tour-").tempdir().map_err(|error| {
        Error::unavailable(format!("cannot make a folder for the tour: {error}"))
            .with_hint("set TMPDIR to a folder you can write to")
            .with_source(error)
    })?;
    let desk = Desk::throwaway(folder.path().to_owned()).await?;
    let mut steps = Vec::new();
    for (about, words) in STEPS {
        steps.push(walk(about, words, &desk).await?);
    }
    drop(desk);
    // Left to the system if it fails: temporary folders are its to clear.
    let _ = folder.close();
    out.answer(&Answer { steps }, |out, answer| {
        answer.steps.iter().try_for_each(|step| print(step, out))?;
        out.line("That was a throwaway store. Yours begins with your first `nuthatch remember`.")
    })
}

async fn walk(about: &'static str, words: &[&str], desk: &Desk) -> Result<Step> {
    let cli = Cli::try_parse_from(std::iter::once(&"nuthatch").chain(words))
        .map_err(|error| Error::internal("a step of the tour is wrong").with_source(error))?;
    let Some(Command::Verb(verb)) = cli.command else {
        return Err(Error::internal("a step of the tour is no verb"));
    };
    let mut kept = Output::kept();
    run_verb(verb, desk, &mut kept).await?;
    Ok(Step { about, command: typed(words), output: kept.into_text() })
}

/// The words as they are typed in a shell.
fn typed(words: &[&str]) -> String {
    let quoted = words.iter().map(|word| {
        if word.contains([' ', '?']) { format!("\"{word}\"") } else { (*word).to_owned() }
    });
    std::iter::once("nuthatch".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

fn print(step: &Step, out: &mut Output) -> Result<()> {
    out.line(format_args!("# {}", step.about))?;
    out.line(format_args!("$ {}", step.command))?;
    out.line(&step.output)
}
