//! `nuthatch record`: takes in conversations, a turn a line.
//!
//! Lines are read and stored in parts, so that a file of any size fits, and what is stored
//! stays. Embedding follows behind: see `following.rs`.

use std::path::PathBuf;

use clap::Args;
use nuthatch::error::Result;
use nuthatch::id::SessionId;
use nuthatch::record::{Habits, Lines};
use nuthatch::scope::Scope;
use serde::Serialize;

use crate::following::{self, Following};
use crate::output::Output;
use crate::progress::Progress;
use crate::source::Source;
use crate::wiring::{self, Desk};

/// Turns gathered before they are stored: several parts of a recording, and little memory.
const PART: usize = 16_000;

const EXAMPLES: &str = "\
Examples:
  $ printf '{\"time\": \"2026-03-01\", \"role\": \"user\", \"text\": \"port 5433\"}' > talk.jsonl
  $ nuthatch record --session s1 talk.jsonl
  $ nuthatch recall which port
  $ nuthatch record --session s1 --wait --json - < talk.jsonl";

/// Arguments of `record`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecordArgs {
    /// Lines of {"session", "seq"?, "time", "role", "text", "title"?}; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The conversation of lines that name none
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The product whose conversations these are
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Pass over lines that cannot be read, and count them
    #[arg(long)]
    skip_bad: bool,
    /// Embed everything that waits before ending, instead of in the background
    #[arg(long)]
    wait: bool,
    /// Leave embedding to a later `nuthatch reindex --missing`
    #[arg(long, conflicts_with = "wait")]
    later: bool,
}

#[derive(Debug, Default, Serialize)]
struct Answer {
    sessions: u64,
    turns: u64,
    skipped: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding: Option<Following>,
}

/// Records.
pub async fn run(args: RecordArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let mut source = Source::open(&args.file)?;
    let progress = Progress::new("recording", out);
    let recorded = record(&args, desk, &mut source, &progress).await;
    progress.finish();
    let mut answer = recorded?;
    answer.embedding = match (args.wait, args.later) {
        (true, _) => following::wait(desk, out).await?,
        (false, true) => None,
        (false, false) => following::begin(desk).await?,
    };
    out.answer(&answer, |out, Answer { sessions, turns, skipped, embedding }| {
        let (turns, sessions) = (counted(*turns, "turn"), counted(*sessions, "session"));
        out.say(format_args!("recorded {turns} of {sessions}"))?;
        if *skipped > 0 {
            let skipped = counted(*skipped, "line");
            out.warn(format_args!("passed over {skipped} that cannot be read"))?;
        }
        embedding.iter().try_for_each(|following| out.note(following))
    })
}

async fn record(
    args: &RecordArgs,
    desk: &Desk,
    source: &mut Source,
    progress: &Progress,
) -> Result<Answer> {
    let mut lines = Lines::new(Habits {
        session: args.session.clone().map(SessionId::new).transpose()?,
        project: match desk.home() {
            Scope::Project(project) => Some(project.clone()),
            _ => None,
        },
        agent: args.agent.clone(),
        now: wiring::now(),
    });
    let mut answer = Answer::default();
    loop {
        let mut bad = None;
        while lines.turns() < PART
            && let Some(line) = source.line()?
        {
            match line.and_then(|line| lines.take(line)) {
                Ok(()) => {}
                Err(_) if args.skip_bad => answer.skipped += 1,
                Err(error) => {
                    bad = Some(source.located(&error));
                    break;
                }
            }
        }
        if lines.turns() > 0 {
            let (before, share) = (answer.turns, source.share());
            let show = |done: u64, _| {
                let done = before + done;
                progress.show(done, share.map_or(done, |share| (done as f64 / share) as u64));
            };
            answer.turns += desk.engine().record(lines.request(), &show).await?.turns;
        } else if bad.is_none() {
            answer.sessions = lines.sessions() as u64;
            return Ok(answer);
        }
        // What stands before a bad line is stored: mended and run again, the file goes on.
        if let Some(error) = bad {
            return Err(error);
        }
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
