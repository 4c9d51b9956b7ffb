//! `nuthatch context files`: what the context files say at a place.
//!
//! By our own rules, or by those of another agent, to see what it would load.

use std::path::PathBuf;

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_sources::files::{ContextFiles, Loaded, Note, Product};

use crate::cli::Globals;
use crate::output::Output;
use crate::wiring::Site;
use crate::{outside, render};

/// Arguments of `context files`.
#[derive(Debug, Args)]
pub struct FilesArgs {
    /// By the rules of another agent: claude-code, codex, gemini-cli or opencode
    #[arg(long = "as", value_name = "AGENT", default_value = "nuthatch", value_parser = product)]
    product: Product,
    /// The file or folder that is worked on
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

fn product(name: &str) -> Result<Product> {
    Product::named(name).ok_or_else(|| {
        let names: Vec<&str> = Product::ALL.iter().map(|product| product.name()).collect();
        Error::invalid(format!("expected one of {}", names.join(", ")))
    })
}

/// Prints them as one text.
pub fn run(args: &FilesArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let usual = globals.project.clone().unwrap_or_else(|| PathBuf::from("."));
    let target = args.path.clone().unwrap_or(usual);
    let request = outside::files(&site, args.product, &target)?;
    let loaded = ContextFiles::default().load(&request)?;
    out.answer(loaded.as_ref(), |out, loaded| print(args.product, loaded, out))
}

fn print(product: Product, loaded: &Loaded, out: &mut Output) -> Result<()> {
    let text = loaded.text(product);
    if text.is_empty() {
        out.note("there are no context files here")?;
    } else {
        out.foreign(&text)?;
        out.line("")?;
    }
    for file in loaded.files.iter().filter(|file| !file.twins.is_empty()) {
        let twins = render::visible(&file.twins.join(", "));
        out.note(format_args!("{}: {twins} says the same", render::visible(&file.name)))?;
    }
    loaded.notes.iter().try_for_each(|note| out.note(line(note)))
}

/// A note on one line.
pub fn line(note: &Note) -> String {
    let place = note.line.map(|line| format!(", line {line}")).unwrap_or_default();
    render::visible(&format!("{}{place}: {}", note.file, note.text))
}
