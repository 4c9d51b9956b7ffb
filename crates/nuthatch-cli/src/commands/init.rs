//! `nuthatch init`: gives a project its configuration file.
//!
//! A file that is there is never touched. What is written has passed the same reader that
//! will read it later, so a bad key or store is refused before anything exists. On a terminal,
//! where nothing is said, it asks: see `questions`.

mod connected;
mod earlier;
mod questions;
mod template;

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_stores::StoreUrl;
use serde::Serialize;

use self::questions::Wishes;
use crate::ask;
use crate::cli::Globals;
use crate::config::{self, ConfigFile, Flag, file, stores};
use crate::output::Output;
use crate::private;
use crate::wiring;

const AFTER_HELP: &str = "\
With --store the project gets a store of its own, inside it: `stores.project` in the file.
On a terminal and without options, three questions are asked.

Examples:
  $ nuthatch init --key my-project --store markdown:.nuthatch/memory
  $ nuthatch remember kept in the repository, reviewed like code
  $ nuthatch config get project.key
  $ mkdir ../other && nuthatch init --project ../other --learn";

/// Arguments of `init`. Here `--store` names a store of the project's own, inside it.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct InitArgs {
    /// A name for the project, instead of its git identity
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// Connect every agent that is found, for yourself; as `install --all`
    #[arg(long)]
    connect: bool,
    /// Learn from the sessions of agents in this project
    #[arg(long)]
    learn: bool,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    path: PathBuf,
}

/// Writes the file.
pub async fn run(args: &InitArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let root = wiring::find_root(globals)?.folder;
    check(args, globals, &root)?;
    let folder = root.join(".nuthatch");
    let path = folder.join("config.toml");
    let wishes = wishes(args, globals, &path)?;
    let bytes = template::text(args.key.as_deref(), globals.store.as_deref(), wishes).into_bytes();
    let file = ConfigFile { path: path.clone(), bytes };
    file::read(&file, file::Owner::Project)?;
    // Before the file is there, which gives the project another name.
    let hidden = if args.key.is_some() { earlier::hidden(globals).await } else { None };
    private::folder(&folder).map_err(|error| failed(&folder, &error))?;
    write_new(&file)?;
    out.answer(&Answer { path }, |out, answer| {
        out.say(format_args!("made {}", answer.path.display()))
    })?;
    if wishes.connect {
        connected::connect(globals, out)?;
    }
    hidden.map_or(Ok(()), |hidden| out.note(hidden))
}

/// What was said by options; where nothing was and somebody is there, they are asked.
fn wishes(args: &InitArgs, globals: &Globals, path: &Path) -> Result<Wishes> {
    let said = args.connect || args.learn || args.key.is_some() || globals.store.is_some();
    if said || args.yes || globals.json || path.exists() || !ask::can_ask() {
        return Ok(Wishes { in_repository: false, connect: args.connect, learn: args.learn });
    }
    questions::ask(&connected::waiting(globals))
}

/// Refuses a bad key or store in the words of the command line, as there is no file yet.
fn check(args: &InitArgs, globals: &Globals, root: &Path) -> Result<()> {
    if let Some(key) = &args.key {
        config::assignment(&Flag {
            key: "project.key".to_owned(),
            value: key.clone(),
            name: "--key".to_owned(),
        })?;
    }
    let Some(address) = &globals.store else { return Ok(()) };
    StoreUrl::parse(address, root)?;
    match stores::relative_path(address) {
        Some(_) => Ok(()),
        None => Err(stores::leads_out("--store names")),
    }
}

/// Writes a file that must not exist yet, which only the system can promise.
fn write_new(file: &ConfigFile) -> Result<()> {
    let opened = private::options().create_new(true).open(&file.path);
    let mut new = opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Error::conflict(format!("{} is there already", file.path.display()))
                .with_hint("it was not touched; change it with an editor")
        }
        _ => failed(&file.path, &error),
    })?;
    new.write_all(&file.bytes).map_err(|error| failed(&file.path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write {}: {error}", path.display()))
}
