//! `nuthatch import`: takes in what other tools, or an earlier self, wrote out.
//!
//! One thread reads while the store writes what was read before, so a file of any size fits.
//! What can be read is taken in, even where something else in it cannot.

use std::path::PathBuf;

use clap::Args;
use nuthatch::Scope;
use nuthatch::error::{Error, Result};
use nuthatch::import::{ImportRequest, Imported, Whose};
use nuthatch::interchange::Format;
use serde::Serialize;

use super::Ending;
use crate::crowding;
use crate::following::{self, Following};
use crate::output::Output;
use crate::progress::Progress;
use crate::unpacking::{self, Read};
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ printf '[{\"fact\": \"uses tabs\", \"category\": \"preference\"}]' > memory.json
  $ nuthatch import --dry-run memory.json
  $ nuthatch import memory.json
  $ nuthatch export --output backup.jsonl
  $ nuthatch import --format jsonl --json - < backup.jsonl";

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// A file, a folder, a zip or a database; `-` reads standard input
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// What it is: jsonl, markdown, mcp-memory, mif, facts, notes, plan-memory, letta, chatgpt,
    /// claude or sqlite; told by how it begins if not said
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: String,
    /// Where memories go that name no scope: global, user or project
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
    /// An export of somebody else: trust it no more than what an agent says
    #[arg(long)]
    untrusted: bool,
    /// Say what would become of it, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Embed everything that waits before ending, instead of in the background
    #[arg(long)]
    wait: bool,
    /// Leave embedding to a later `nuthatch reindex --missing`
    #[arg(long, conflicts_with = "wait")]
    later: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    format: String,
    dry_run: bool,
    #[serde(flatten)]
    imported: Imported,
    /// Why not all of it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Following>,
}

/// Takes in.
pub async fn run(args: &ImportArgs, desk: &Desk, out: &mut Output) -> Result<Ending> {
    let format: Option<Format> = match args.format.as_str() {
        "auto" => None,
        name => Some(name.parse()?),
    };
    let request = request(args, desk)?;
    let progress = Progress::new("importing", out);
    let read = unpacking::take(&args.path, format, desk.engine().importer(request), &progress);
    let read = read.await;
    progress.finish();
    let Read { format, imported, broken } = read?;
    let nothing = imported.taken.all() + imported.already.all() == 0 && imported.refused.is_empty();
    let broken = match broken {
        Some(error) if nothing => return Err(error),
        broken => broken,
    };
    let stored = !args.dry_run && imported.taken.all() > 0;
    let embedding = match (args.wait, args.later || !stored) {
        (_, true) => None,
        (true, false) => following::wait(desk, out).await?,
        (false, false) => following::begin(desk).await?,
    };
    let kind = broken.as_ref().map(Error::kind);
    let broken = broken.map(|error| error.to_string());
    let answer = Answer { format, dry_run: args.dry_run, imported, broken, embedding };
    out.answer(&answer, |out, answer| tell(answer, &args.path, out))?;
    if stored {
        crowding::warn(desk.engine().store(), |scope| desk.engine().limits_of(scope), out).await?;
    }
    Ok(kind.map_or(Ending::Well, Ending::Badly))
}

fn request(args: &ImportArgs, desk: &Desk) -> Result<ImportRequest> {
    let home = args.scope.as_ref().map_or_else(|| Ok(desk.home().clone()), |s| desk.scope(s))?;
    let project = match desk.project() {
        Scope::Project(project) => Some(project.clone()),
        _ => None,
    };
    // Names of files may hold anything; what cannot be seen in them names nothing.
    let source: String =
        args.path.display().to_string().chars().filter(|c| !c.is_control()).collect();
    let source = if source == "-" { "standard input".to_owned() } else { source };
    let whose = if args.untrusted { Whose::Others } else { Whose::Own };
    Ok(ImportRequest { source, home, project, whose, dry_run: args.dry_run })
}

fn tell(answer: &Answer, path: &std::path::Path, out: &mut Output) -> Result<()> {
    let Answer { format, dry_run, imported, broken, embedding } = answer;
    let Imported { taken, already, quarantined, redacted, forgotten, refused, skipped } = imported;
    let done = if *dry_run { "would import" } else { "imported" };
    let counts = unpacking::counted(taken);
    out.say(format_args!("{done} {counts} from {} ({format})", path.display()))?;
    if already.all() > 0 {
        out.note(format_args!("already there: {}", unpacking::counted(already)))?;
    }
    if *quarantined > 0 {
        out.note(format_args!("quarantined: {quarantined}; `nuthatch review` shows them"))?;
    }
    if *redacted > 0 {
        out.note(format_args!("secrets were struck out of {redacted} turns"))?;
    }
    if *forgotten > 0 {
        out.note(format_args!("forgotten here before, and left so: {forgotten}"))?;
    }
    for (reason, count) in refused {
        out.warn(format_args!("refused {count}: {reason}"))?;
    }
    for (kind, count) in skipped {
        out.note(format_args!("passed over {count}: {kind}"))?;
    }
    if let Some(broken) = broken {
        out.warn(format_args!("not all of it could be read: {broken}"))?;
    }
    embedding.iter().try_for_each(|following| out.note(following))
}
