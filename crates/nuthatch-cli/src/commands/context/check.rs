//! `nuthatch context check`: asks every source and says what it got.
//!
//! Nothing that was kept is believed here. The exit code is 0 when everything could be had.

use clap::Args;
use nuthatch::clock::Clock as _;
use nuthatch::error::{Kind, Result};
use nuthatch_sources::files::{ContextFiles, Product};
use nuthatch_sources::source::{Address, Freshness, Gathered, Had};
use nuthatch_stores::SystemClock;
use serde::Serialize;

use super::files::line;
use crate::cli::Globals;
use crate::commands::Ending;
use crate::output::Output;
use crate::wiring::Site;
use crate::{outside, render};

/// Arguments of `context check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Further sources: a path, https://…, jira:KEY, braingrid:ID
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Checked {
    sources: Vec<Gathered>,
    /// What is wrong with the configuration of trackers, or noted about context files.
    notes: Vec<String>,
}

/// Asks them all.
pub fn run(args: &CheckArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    let site = Site::find(globals)?;
    let mut addresses = outside::addresses(&site)?;
    for text in &args.sources {
        addresses.push(Address::parse(text)?);
    }
    let (sources, wrong) = outside::sources(&site);
    let now = SystemClock.now();
    let ask = |address: &Address| sources.gather(address, Freshness::Anew, now);
    let gathered: Vec<Gathered> = addresses.iter().map(ask).collect();
    let request = outside::files(&site, Product::Nuthatch, &site.root.folder)?;
    let loaded = ContextFiles::default().load(&request)?;
    let notes = wrong.iter().map(ToString::to_string).chain(loaded.notes.iter().map(line));
    let checked = Checked { sources: gathered, notes: notes.collect() };
    let failed = checked.sources.iter().any(|one| one.had != Had::Fresh);
    out.answer(&checked, print)?;
    let well = !failed && wrong.is_empty();
    Ok(if well { Ending::Well } else { Ending::Badly(Kind::Unavailable) })
}

fn print(out: &mut Output, checked: &Checked) -> Result<()> {
    for one in &checked.sources {
        let hint = one.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let note = one.note.as_deref().map(|note| format!(": {note}{hint}")).unwrap_or_default();
        let source = render::visible(&one.source);
        let note = render::visible(&note);
        match (&one.text, one.had) {
            (Some(text), Had::Fresh) => {
                let length = text.chars().count();
                out.line(format_args!("ok: {source}, {length} characters{note}"))?;
            }
            (Some(_), _) => out.line(format_args!("stale: {source}{note}"))?,
            (None, _) => out.line(format_args!("missing: {source}{note}"))?,
        }
    }
    if checked.sources.is_empty() {
        out.note("no sources are configured; `context.sources` lists them")?;
    }
    checked.notes.iter().try_for_each(|note| out.line(format_args!("note: {note}")))
}
