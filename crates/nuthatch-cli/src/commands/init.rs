//! `nuthatch init`: gives a project its configuration file.
//!
//! A file that is there is never touched. What is written has passed the same reader that
//! will read it later, so a bad key or store is refused before anything exists.

mod earlier;

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_stores::StoreUrl;
use serde::Serialize;

use crate::cli::Globals;
use crate::config::{self, ConfigFile, Flag, Value, file, stores};
use crate::output::Output;
use crate::private;
use crate::wiring;

const AFTER_HELP: &str = "\
With --store the project gets a store of its own, inside it: `stores.project` in the file.

Examples:
  $ nuthatch init --key my-project --store markdown:.nuthatch/memory
  $ nuthatch remember kept in the repository, reviewed like code
  $ nuthatch config get project.key";

/// What every project file begins with.
const HEAD: &str = "\
# Settings of this project for Nuthatch, shared with everyone who works on it.
# `nuthatch config keys` describes every key.
";

/// Arguments of `init`. Here `--store` names a store of the project's own, inside it.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct InitArgs {
    /// A name for the project, instead of its git identity
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
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
    let file = ConfigFile { path: path.clone(), bytes: template(args, globals).into_bytes() };
    file::read(&file, file::Owner::Project)?;
    // Before the file is there, which gives the project another name.
    let hidden = if args.key.is_some() { earlier::hidden(globals).await } else { None };
    private::folder(&folder).map_err(|error| failed(&folder, &error))?;
    write_new(&file)?;
    out.answer(&Answer { path }, |out, answer| {
        out.say(format_args!("made {}", answer.path.display()))
    })?;
    hidden.map_or(Ok(()), |hidden| out.note(hidden))
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

fn template(args: &InitArgs, globals: &Globals) -> String {
    let mut text = HEAD.to_owned();
    let mut section = |name: &str, key: &str, value: &Option<String>, example: &str| {
        let line = match value {
            Some(value) => format!("{key} = {}", Value::Text(value.trim().to_owned()).to_toml()),
            None => format!("# {key} = {example}"),
        };
        let _ = write!(text, "\n[{name}]\n{line}\n");
    };
    section("project", "key", &args.key, "\"my-project\"");
    section("stores", "project", &globals.store, "\"markdown:.nuthatch/memory\"");
    section("limits", "facts", &None, "200");
    section("recall", "limit", &None, "10");
    text
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
