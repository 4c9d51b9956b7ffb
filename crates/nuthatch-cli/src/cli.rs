//! The arguments that every command shares, and the list of commands.
//!
//! Each command's own arguments stand in its file under `commands`. [`Preview`] looks at the
//! raw arguments before they are parsed, because a mistake in them must already be reported
//! in the right form and colour; [`with_text_marked`] tells quoted text that begins with a
//! dash from options.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, Parser, Subcommand, ValueEnum};
use nuthatch_agents::Agent;

use crate::commands;
use crate::input;
use crate::opening::Access;
use crate::output::{Chatter, Format};

/// The memory of AI agents
#[derive(Debug, Parser)]
#[command(
    name = "nuthatch",
    version,
    max_term_width = 100,
    after_help = "`nuthatch tour` shows it at work; `nuthatch COMMAND --help` has examples."
)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands that agents wait for.
#[derive(Debug, Parser)]
struct Waited {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: WaitedFor,
}

#[derive(Debug, Subcommand)]
enum WaitedFor {
    Mcp(commands::mcp::McpArgs),
    Hook(commands::hook::HookArgs),
}

impl Cli {
    /// Reads a command that somebody waits for, without making the list of all others.
    /// Nothing, where it is another; then, and for mistakes and questions, the whole list is
    /// asked.
    pub fn waited_for(args: &[OsString]) -> Option<Cli> {
        if !args.iter().any(|arg| arg == "mcp" || arg == "hook") {
            return None;
        }
        let Waited { globals, command } = Waited::try_parse_from(args).ok()?;
        let command = match command {
            WaitedFor::Mcp(args) => Command::Mcp(args),
            WaitedFor::Hook(args) => Command::Hook(args),
        };
        Some(Cli { globals, command: Some(command) })
    }
}

/// What can be said to every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Answer in JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Use this store for everything: sqlite:PATH, markdown:DIR, json:PATH, postgres://… or a path
    #[arg(long, global = true, value_name = "URL")]
    pub store: Option<String>,
    /// Work as if started in this folder
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Colour,
    /// Print results and errors only: no confirmations, notes or progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// What the command does with its stores; no option, the command itself decides.
    #[arg(skip)]
    pub access: Access,
}

impl Globals {
    /// How answers are written.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }

    /// The arguments that name a store and a place, as they were given.
    pub fn said(&self) -> Vec<OsString> {
        let store = self.store.iter().flat_map(|url| ["--store".into(), url.into()]);
        let project = self.project.iter().flat_map(|folder| ["--project".into(), folder.into()]);
        store.chain(project).collect()
    }

    /// How much is said besides.
    pub fn chatter(&self) -> Chatter {
        if self.quiet { Chatter::Quiet } else { Chatter::Usual }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    #[default]
    Auto,
    Always,
    Never,
}

/// Everything that can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what Nuthatch does, on a throwaway store
    Tour(commands::tour::TourArgs),
    #[command(flatten)]
    Verb(Verb),
    /// Print everything an agent should see, within a token budget
    Context(commands::context::ContextArgs),
    /// Run one agent with its context, and keep what it says
    Step(commands::step::StepArgs),
    /// Carry out a plan, going on where it stopped
    Craft(commands::craft::CraftArgs),
    /// Talk with an agent that remembers
    Chat(commands::chat::ChatArgs),
    /// Run a custom command, in a sandbox
    Run(commands::run::RunArgs),
    /// Show plans, how far they are, and what agents said
    Plan(commands::plan::PlanArgs),
    /// Show what was said in chats
    History(commands::history::HistoryArgs),
    /// List, show, take in and search the sessions of every agent
    Sessions(commands::sessions::SessionsArgs),
    /// Serve an agent by the Model Context Protocol, over standard input and output
    Mcp(commands::mcp::McpArgs),
    /// Serve many by HTTP: a page, REST, devices and MCP
    Serve(commands::serve::ServeArgs),
    /// Say who may come through a server, and as what
    Token(commands::token::TokenArgs),
    /// Open the page on which memory is looked at
    Ui(commands::ui::UiArgs),
    /// Answer an event of an agent: JSON on standard input
    Hook(commands::hook::HookArgs),
    /// Connect an agent: its memory server and its hooks
    Install(commands::install::InstallArgs),
    /// Disconnect an agent, to the byte
    Uninstall(commands::uninstall::UninstallArgs),
    /// Show memory as files in a folder
    #[cfg(all(feature = "mount", target_os = "linux"))]
    Mount(commands::mount::MountArgs),
    /// Check configuration, project and store
    Doctor(commands::doctor::DoctorArgs),
    /// Copy everything from one store to another
    Migrate(commands::migrate::MigrateArgs),
    /// Bring the store in use and another one into step
    Sync(commands::sync::SyncArgs),
    /// Add, list and show embedding models
    Model(commands::model::ModelArgs),
    /// Show the configuration and where each value comes from
    Config(commands::config::ConfigArgs),
    /// Give this project a configuration file
    Init(commands::init::InitArgs),
    /// Say what the gate makes of a text, a file or everything stored
    Scan(commands::scan::ScanArgs),
    /// Show who did what to which memory
    Audit(commands::audit::AuditArgs),
    /// Print a completion script for a shell
    Completions(commands::completions::CompletionsArgs),
    /// Write manual pages into a folder
    Man(commands::man::ManArgs),
}

impl Command {
    /// Whether it waits for others to say something, or for time to pass.
    pub fn listens(&self) -> bool {
        match self {
            Command::Mcp(_) | Command::Serve(_) | Command::Ui(_) => true,
            Command::Chat(_) | Command::Step(_) | Command::Craft(_) => true,
            Command::Verb(Verb::Memory(_)) => true,
            #[cfg(all(feature = "mount", target_os = "linux"))]
            Command::Mount(_) => true,
            _ => false,
        }
    }
}

/// What works on the opened store.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Store a memory
    Remember(commands::remember::RememberArgs),
    /// Find memories again, best first
    Recall(commands::recall::RecallArgs),
    /// Take in conversations, a turn a line
    Record(commands::record::RecordArgs),
    /// List memories, newest first
    List(commands::list::ListArgs),
    /// Show one memory with everything it said before
    Show(commands::show::ShowArgs),
    /// Change a memory, keeping what it said
    Edit(commands::edit::EditArgs),
    /// Remove memories and everything they ever said
    Forget(commands::forget::ForgetArgs),
    /// Decide about memories that are kept out of prompts
    Review(commands::review::ReviewArgs),
    /// Read and write the profile of the user
    Profile(commands::profile::ProfileArgs),
    /// Print the block of memory for a prompt
    Preamble(commands::preamble::PreambleArgs),
    /// Keep what work taught: mistakes, strategies, preferences
    Learn(commands::learn::LearnArgs),
    /// Learn from sessions of agents, and see what came of it
    Memory(commands::memory::MemoryArgs),
    /// Print what an address such as memory://root names
    Read(commands::read::ReadArgs),
    /// Speak JSON to a device such as /dev/memory/commit
    Dev(commands::dev::DevArgs),
    /// Write out what the store holds, in a format that others read
    Export(commands::export::ExportArgs),
    /// Take in what other tools, or an earlier export, wrote out
    Import(commands::import::ImportArgs),
    /// Say what is in the store
    Stats(commands::stats::StatsArgs),
    /// Build everything derived anew
    Reindex(commands::reindex::ReindexArgs),
}

impl Verb {
    /// What it does with a store. Only what can begin a store makes one that is not there.
    pub fn access(&self) -> Access {
        match self {
            Verb::Remember(_) | Verb::Record(_) | Verb::Profile(_) => Access::Write,
            Verb::Dev(_) | Verb::Import(_) => Access::Write,
            Verb::Learn(args) if args.reads() => Access::Read,
            Verb::Learn(_) => Access::Write,
            Verb::Memory(args) => args.access(),
            Verb::Read(_) | Verb::Export(_) => Access::Read,
            Verb::Recall(_) | Verb::List(_) | Verb::Show(_) | Verb::Stats(_) => Access::Read,
            Verb::Edit(_) | Verb::Forget(_) | Verb::Review(_) => Access::Read,
            Verb::Preamble(_) | Verb::Reindex(_) => Access::Read,
        }
    }
}

/// Marks every argument of a command that is text although it begins with a dash, so that
/// no option is seen in it. Text has a space in it, and is not the value of `--option=`.
pub fn with_text_marked(args: &[OsString]) -> Vec<OsString> {
    // The first is the program, and what stands before the command are options at best.
    let start = args.iter().skip(1).position(|arg| !begins_with_dash(arg));
    let start = start.map_or(args.len(), |at| at + 2);
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let marked = |(at, arg): (usize, &OsString)| match arg.to_str() {
        Some(text) if (start..end).contains(&at) && is_dashed_text(text) => {
            OsString::from(input::mark(text))
        }
        _ => arg.clone(),
    };
    args.iter().enumerate().map(marked).collect()
}

/// `scan --store` without an address means the store in use, and `install --project` without
/// a folder the project here: what the options have everywhere else is only asked for where
/// it follows.
pub fn with_bare_options(args: Vec<OsString>) -> Vec<OsString> {
    let (option, instead) = match command_word(&args).and_then(|word| word.to_str()) {
        Some("scan") => ("--store", "--stored"),
        Some("install" | "uninstall") => ("--project", "--shared"),
        _ => return args,
    };
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let is_agent = |arg: &OsStr| arg.to_str().is_some_and(|arg| arg.parse::<Agent>().is_ok());
    let is_bare = |at: usize| {
        let next = args.get(at + 1).filter(|_| at + 1 < end);
        let stands_alone = next.is_none_or(|next| begins_with_dash(next) || is_agent(next));
        at < end && args[at] == option && stands_alone
    };
    let bare: Vec<bool> = (0..args.len()).map(is_bare).collect();
    let plain = |(arg, bare): (OsString, bool)| if bare { instead.into() } else { arg };
    args.into_iter().zip(bare).map(plain).collect()
}

/// The word that names the command, where there is one.
pub fn command_word(args: &[OsString]) -> Option<&OsString> {
    let mut before = OsStr::new("");
    for arg in args.iter().skip(1) {
        let is_value = ["--store", "--project", "--color"].iter().any(|name| before == *name);
        if !begins_with_dash(arg) && !is_value {
            return Some(arg);
        }
        before = arg;
    }
    None
}

fn begins_with_dash(arg: &OsStr) -> bool {
    arg.as_encoded_bytes().starts_with(b"-")
}

fn is_dashed_text(arg: &str) -> bool {
    let first = arg.split(char::is_whitespace).next().unwrap_or(arg);
    arg.starts_with('-') && first != arg && !(first.starts_with("--") && first.contains('='))
}

/// What must be known of the arguments before they are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// How a mistake in them is reported.
    pub format: Format,
    /// In which colour.
    pub colour: ColorChoice,
}

impl Preview {
    /// Looks at raw arguments; what stands behind `--` is text.
    pub fn of(args: &[OsString]) -> Preview {
        let mut preview = Preview { format: Format::Human, colour: ColorChoice::Auto };
        let mut before = "";
        for arg in args.iter().skip(1).map(|arg| arg.to_str().unwrap_or_default()) {
            let colour = match before {
                "--color" => Some(arg),
                _ => arg.strip_prefix("--color="),
            };
            match colour {
                Some("always") => preview.colour = ColorChoice::Always,
                Some("never") => preview.colour = ColorChoice::Never,
                _ if arg == "--json" => preview.format = Format::Json,
                _ if arg == "--" => break,
                _ => {}
            }
            before = arg;
        }
        preview
    }

    /// The colour as clap wants it.
    pub fn clap_colour(self) -> clap::ColorChoice {
        match self.colour {
            ColorChoice::Auto => clap::ColorChoice::Auto,
            ColorChoice::Never => clap::ColorChoice::Never,
            ColorChoice::Always | ColorChoice::AlwaysAnsi => clap::ColorChoice::Always,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn preview(args: &[&str]) -> (Format, ColorChoice) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let Preview { format, colour } = Preview::of(&args);
        (format, colour)
    }

    #[test]
    fn the_definition_of_the_arguments_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn quoted_text_that_begins_with_a_dash_is_no_option() {
        let marked = |args: &[&str]| -> Vec<bool> {
            let given: Vec<OsString> = args.iter().map(OsString::from).collect();
            let seen = with_text_marked(&given);
            seen.iter().zip(&given).map(|(seen, given)| seen != given).collect()
        };
        let only_last = [false, false, true];
        for text in ["- uses tabs", "-5 degrees", "--force is banned", "-\ttab", "- a\n- b"] {
            assert_eq!(marked(&["n", "remember", text]), only_last, "{text}");
        }
        for other in ["--catgory", "-5", "-", "--meta=why=a b", "tabs - spaces"] {
            assert!(!marked(&["n", "remember", other]).contains(&true), "{other}");
        }
        assert!(!marked(&["n", "- no command"]).contains(&true));
        assert!(!marked(&["n", "recall", "--", "- as it is"]).contains(&true));
    }

    #[test]
    fn a_bare_store_means_the_one_in_use_for_scan_alone() {
        let seen = |line: &str| -> String {
            let args = line.split(' ').map(OsString::from).collect();
            with_bare_options(args).join(OsStr::new(" ")).into_string().unwrap_or_default()
        };
        for (line, expected) in [
            ("n scan --store", "n scan --stored"),
            ("n scan --store --json", "n scan --stored --json"),
            ("n --project p scan --store", "n --project p scan --stored"),
            ("n scan --store sqlite:x.db", "n scan --store sqlite:x.db"),
            ("n scan -- --store", "n scan -- --store"),
            ("n list --store", "n list --store"),
            ("n --store scan list --store", "n --store scan list --store"),
        ] {
            assert_eq!(seen(line), expected);
        }
    }

    #[test]
    fn json_and_colour_are_seen_before_parsing_but_not_in_text() {
        let (json, never) = (Format::Json, ColorChoice::Never);
        assert_eq!(preview(&["n", "recall", "--json", "--color", "never"]), (json, never));
        assert_eq!(preview(&["n", "--color=never", "x"]), (Format::Human, never));
        assert_eq!(preview(&["n", "--", "--json"]), (Format::Human, ColorChoice::Auto));
    }
}
