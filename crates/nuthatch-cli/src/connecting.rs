//! Which agents are meant, where their files lie on this machine, and how changes are shown.
//!
//! What `install` and `uninstall` share. The crate `nuthatch-agents` does the work; here it
//! meets the environment, the project and the user who is asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_agents::{Agent, Change, Homes, Installer, Program, Reach, Target, targets};
use serde::Serialize;

use crate::ask::{self, Reply};
use crate::cli::Globals;
use crate::config::Places;
use crate::output::{Format, Output};
use crate::wiring;

/// The folder of the data folder with what files said before.
const CONNECTED: &str = "connected";
/// Variables by which agents are moved.
const MOVED_BY: [&str; 4] =
    ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "GOOSE_PATH_ROOT"];

/// Which agents, and how much is asked.
#[derive(Debug, Args)]
pub struct WhichArgs {
    /// Which agents: claude-code, codex, gemini-cli, opencode, cursor, vscode, goose
    #[arg(value_name = "AGENT", required_unless_present = "all")]
    agents: Vec<Agent>,
    /// Every agent that is found on this machine
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// For everyone who works on this project, in files of the repository; `--project` alone
    /// means the same
    #[arg(long)]
    shared: bool,
    /// For yourself, in every project (the default)
    #[arg(long, conflicts_with = "shared")]
    user: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// The program that agents start, if it is not this one
    #[arg(long, value_name = "PATH")]
    program: Option<String>,
}

impl WhichArgs {
    /// Every agent that is found, for the user, without a question.
    pub fn everything() -> WhichArgs {
        WhichArgs {
            agents: Vec::new(),
            all: true,
            shared: false,
            user: true,
            yes: true,
            dry_run: false,
            program: None,
        }
    }
}

/// What came of it, or would.
#[derive(Debug, Serialize)]
pub struct Answer {
    agents: Vec<Connected>,
    done: bool,
}

#[derive(Debug, Serialize)]
struct Connected {
    agent: Agent,
    files: Vec<Changed>,
}

#[derive(Debug, Serialize)]
struct Changed {
    file: PathBuf,
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// Everything that is needed to connect agents.
pub struct Bench {
    pub installer: Installer,
    pub agents: Vec<(Agent, Vec<Target>)>,
}

impl Bench {
    /// Finds the agents that are meant, and their files.
    pub fn of(args: &WhichArgs, globals: &Globals) -> Result<Bench> {
        let places = Places::from_machine()?;
        let homes = homes(&places, globals)?;
        let reach = if args.shared { Reach::Project } else { Reach::User };
        let chosen: Vec<Agent> = match args.all {
            true => found(&homes),
            false => args.agents.clone(),
        };
        if chosen.is_empty() {
            let names = Agent::ALL.map(Agent::name).join(", ");
            return Err(Error::not_found("none of the agents is found on this machine")
                .with_hint(format!("name one: {names}")));
        }
        let program = program(args.program.as_deref(), reach)?;
        let agents =
            chosen.into_iter().map(|agent| (agent, targets(agent, reach, &homes, &program)));
        let installer = Installer::at(places.data_dir.join(CONNECTED));
        Ok(Bench { installer, agents: agents.collect() })
    }
}

/// Where agents keep their files on this machine.
pub fn homes(places: &Places, globals: &Globals) -> Result<Homes> {
    let home = places.home.clone().ok_or_else(|| {
        Error::unavailable("there is no home folder, where agents keep their configuration")
            .with_hint("set HOME")
    })?;
    let variables: BTreeMap<String, String> = MOVED_BY
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect();
    Ok(Homes { home, project: wiring::find_root(globals)?.folder, variables })
}

/// The agents that seem to be used on this machine.
pub fn found(homes: &Homes) -> Vec<Agent> {
    Agent::ALL.into_iter().filter(|agent| homes.has(*agent)).collect()
}

/// The program as it is registered. In a repository its name alone, because others have it
/// elsewhere; for the user by the path under which the shell finds it, which survives updates
/// better than the file that a link leads to.
fn program(named: Option<&str>, reach: Reach) -> Result<Program> {
    if let Some(named) = named {
        return Ok(Program(named.to_owned()));
    }
    if reach == Reach::Project {
        return Ok(Program("nuthatch".to_owned()));
    }
    let own = std::env::current_exe().map_err(|error| {
        Error::unavailable("cannot tell where this program lies").with_source(error)
    })?;
    let real = own.canonicalize().unwrap_or_else(|_| own.clone());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = own.file_name().unwrap_or_default();
    let by_path = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|found| found.canonicalize().is_ok_and(|found| found == real));
    let chosen = by_path.unwrap_or(own);
    chosen.to_str().map(|path| Program(path.to_owned())).ok_or_else(|| {
        Error::invalid("the path of this program is not UTF-8 text")
            .with_hint("name another with --program")
    })
}

/// Shows what changes, asks, and carries it out.
pub fn carry_out(
    plans: &[(Agent, Vec<Change>)],
    bench: &Bench,
    args: &WhichArgs,
    out: &mut Output,
) -> Result<bool> {
    let nothing = plans.iter().all(|(_, changes)| changes.iter().all(Change::is_nothing));
    let human = out.format() == Format::Human;
    if human && (args.dry_run || !args.yes) {
        for change in plans.iter().flat_map(|(_, changes)| changes).filter(|c| !c.is_nothing()) {
            out.text(&change.diff())?;
        }
    }
    if !args.dry_run && !nothing && !args.yes {
        if !ask::can_ask() || !human {
            return Err(Error::invalid("files of other programs are only changed when you say so")
                .with_hint("--yes changes them, --dry-run shows how"));
        }
        if ask::confirm("Change these files?")? == Reply::No {
            out.note("nothing was changed")?;
            return Ok(false);
        }
    }
    let done = !args.dry_run;
    if done {
        for (_, changes) in plans {
            bench.installer.commit(changes)?;
        }
    }
    out.answer(&told(plans, bench, done), |out, answer| print(answer, args.dry_run, out))?;
    Ok(done)
}

fn told(plans: &[(Agent, Vec<Change>)], bench: &Bench, done: bool) -> Answer {
    let changed = |change: &Change| Changed {
        file: change.file.clone(),
        change: change.verb(),
        backup: Some(bench.installer.backup(change)).filter(|path| done && path.exists()),
        diff: (!change.is_nothing()).then(|| change.diff()),
    };
    let connected = |(agent, changes): &(Agent, Vec<Change>)| Connected {
        agent: *agent,
        files: changes.iter().map(changed).collect(),
    };
    Answer { agents: plans.iter().map(connected).collect(), done }
}

fn print(answer: &Answer, dry_run: bool, out: &mut Output) -> Result<()> {
    for connected in &answer.agents {
        for file in &connected.files {
            let would = if dry_run && file.change != "unchanged" { "would be " } else { "" };
            out.line(format_args!(
                "{}: {} {would}{}",
                connected.agent,
                shown(&file.file),
                file.change
            ))?;
            if let Some(backup) = &file.backup
                && file.change == "changed"
            {
                out.note(format_args!("  what it said before is in {}", backup.display()))?;
            }
        }
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
