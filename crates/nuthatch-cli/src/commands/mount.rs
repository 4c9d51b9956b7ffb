//! `nuthatch mount`: memory as files in a folder, until it is told to end or unmounted.
//!
//! Which files there are, and what is in them, is the server's.

use std::path::PathBuf;

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_server::mount::Mounted;
use serde::Serialize;

use crate::cli::Globals;
use crate::output::Output;
use crate::signals::told_to_end;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ mkdir files && timeout --preserve-status 2 nuthatch mount files

While it is mounted:
  echo '{\"action\": \"add\", \"content\": \"uses tabs\"}' > files/dev/memory/commit
  cat files/root/MEMORY.md";

/// Arguments of `mount`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct MountArgs {
    /// An empty folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Serialize)]
struct Answer {
    mounted: String,
}

/// Mounts, and waits for the end.
pub async fn run(args: &MountArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let folder = std::path::absolute(&args.folder)
        .map_err(|error| Error::invalid(format!("not a folder: {error}")))?;
    let is_empty = std::fs::read_dir(&folder).map(|mut entries| entries.next().is_none());
    match is_empty {
        Ok(true) => {}
        Ok(false) => {
            return Err(Error::invalid(format!("{} is not empty", folder.display()))
                .with_hint("what is in it could not be seen: name an empty folder"));
        }
        Err(error) => {
            return Err(Error::invalid(format!("cannot look into {}: {error}", folder.display()))
                .with_hint("name an empty folder"));
        }
    }
    let place = Desk::for_server(globals, "mount").await?;
    let end = told_to_end()?;
    let mut mounted = Mounted::at(&folder, place, tokio::runtime::Handle::current())?;
    let answer = Answer { mounted: folder.display().to_string() };
    out.answer(&answer, |out, answer| out.line(format_args!("mounted at {}", answer.mounted)))?;
    out.flush()?;
    tokio::select! {
        ended = mounted.ended() => ended,
        () = end => mounted.unmount(),
    }
}
