//! `nuthatch export`: writes out what the store holds, in a format that others read.
//!
//! To a file it is written whole or not at all, for its owner's eyes alone.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch::export::{ExportRequest, Exported, Outlet};
use nuthatch::filter::Scopes;
use nuthatch::interchange::Format;
use nuthatch::interchange::jsonl::Amount;

use crate::output::{Format as Manner, Output};
use crate::progress::Progress;
use crate::render;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch export --output backup.jsonl
  $ nuthatch export --format markdown --scope global
  $ nuthatch export --format mif --output memories.json --json";

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// jsonl carries everything; markdown, mcp-memory and mif what holds now
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only this scope: global, user, project, or one such as session:ID (repeatable)
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

/// Writes out.
pub async fn run(args: &ExportArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let scopes = match args.scopes.as_slice() {
        [] => Scopes::All,
        named => Scopes::These(named.iter().map(|name| desk.scope(name)).collect::<Result<_>>()?),
    };
    let request = ExportRequest { format: args.format, scopes };
    let Some(path) = &args.output else {
        if out.format() == Manner::Json {
            return Err(Error::invalid("the answer and what is exported cannot both be printed")
                .with_hint("name a file with --output"));
        }
        let mut stdout = Piped(io::stdout());
        let outlet = Outlet { out: &mut stdout, progress: &|_, _| () };
        let exported = desk.engine().export(&request, outlet).await?;
        return left_out(&exported, out);
    };
    if path.exists() && !args.force {
        return Err(Error::conflict(format!("{} is there already", path.display()))
            .with_hint("--force replaces it"));
    }
    let progress = Progress::new("exporting", out);
    let exported = to_file(path, desk, &request, &progress).await;
    progress.finish();
    out.answer(&exported?, |out, exported| {
        let Exported { format, amount, .. } = exported;
        let Amount { memories, versions, sessions, turns } = amount;
        let memories = render::memories(*memories);
        out.say(format_args!("exported {memories} to {} as {format}", path.display()))?;
        out.note(format_args!("versions: {versions}, sessions: {sessions}, turns: {turns}"))?;
        left_out(exported, out)
    })
}

fn left_out(exported: &Exported, out: &mut Output) -> Result<()> {
    exported.left_out.iter().try_for_each(|(kind, count)| {
        out.note(format_args!("left out {count}: {kind} (only jsonl of everything has them)"))
    })
}

async fn to_file(
    path: &Path,
    desk: &Desk,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<Exported> {
    let failed = |error: io::Error| {
        Error::unavailable(format!("cannot write {}: {error}", path.display())).with_source(error)
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // A file of its own, for nobody else, that takes the name once it is whole.
    let mut file =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
    let mut buffered = io::BufWriter::new(file.as_file_mut());
    let outlet = Outlet { out: &mut buffered, progress: &|done, all| progress.show(done, all) };
    let exported = desk.engine().export(request, outlet).await?;
    drop(buffered);
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(exported)
}

/// Standard output; a reader that closes it early has had enough, and that is no failure.
struct Piped(io::Stdout);

impl Write for Piped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
