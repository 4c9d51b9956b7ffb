//! `nuthatch man`: writes a manual page for every command.
//!
//! Made from the definition of the arguments, as completions are; touches neither
//! configuration nor store.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_mangen::Man;
use nuthatch::error::{Error, Result};
use serde::Serialize;

use crate::cli::Cli;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch man man1
  $ nuthatch man --json man1";

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ManArgs {
    /// The folder to write into
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Debug, Serialize)]
struct Answer {
    pages: Vec<PathBuf>,
}

/// Writes them.
pub fn run(args: &ManArgs, out: &mut Output) -> Result<()> {
    let failed = |what: &PathBuf, error: std::io::Error| {
        Error::unavailable(format!("cannot write {}: {error}", what.display()))
            .with_hint("name a folder that you can write to")
            .with_source(error)
    };
    std::fs::create_dir_all(&args.folder).map_err(|error| failed(&args.folder, error))?;
    let mut all = Cli::command();
    all.build();
    let mut commands = vec![("nuthatch".to_owned(), all.clone())];
    let visible = all.get_subcommands().filter(|command| command.get_name() != "help");
    for command in visible {
        let name = format!("nuthatch-{}", command.get_name());
        commands.push((name.clone(), command.clone().display_name(name)));
    }
    let mut pages = Vec::new();
    for (name, command) in commands {
        let path = args.folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        Man::new(command)
            .render(&mut page)
            .and_then(|()| std::fs::write(&path, page))
            .map_err(|error| failed(&path, error))?;
        pages.push(path);
    }
    let folder = args.folder.display();
    out.answer(&Answer { pages }, |out, answer| {
        out.say(format_args!("wrote {} pages into {folder}", answer.pages.len()))
    })
}
