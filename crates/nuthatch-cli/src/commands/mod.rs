//! One file per command: arguments to request, answer to text or JSON. None decides anything.
//!
//! [`run`] hands a command what it needs: nothing, the configuration, or an open desk.

pub mod audit;
pub mod chat;
pub mod completions;
pub mod config;
pub mod context;
pub mod craft;
pub mod dev;
pub mod doctor;
pub mod edit;
pub mod export;
pub mod forget;
pub mod history;
pub mod hook;
pub mod import;
pub mod init;
pub mod install;
pub mod learn;
pub mod list;
pub mod man;
pub mod mcp;
pub mod memory;
pub mod migrate;
pub mod model;
#[cfg(all(feature = "mount", target_os = "linux"))]
pub mod mount;
pub mod plan;
pub mod preamble;
pub mod profile;
pub mod read;
pub mod recall;
pub mod record;
pub mod reindex;
pub mod remember;
pub mod review;
pub mod run;
pub mod scan;
pub mod serve;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod step;
pub mod sync;
pub mod token;
pub mod tour;
pub mod ui;
pub mod uninstall;

use nuthatch::error::Result;

use crate::cli::{Cli, Command, Verb};
pub use crate::ending::Ending;
use crate::output::Output;
use crate::wiring::Desk;
use crate::{greeting, opening};

/// Runs what was asked for.
pub async fn run(cli: Cli, out: &mut Output) -> Result<Ending> {
    let mut globals = cli.globals;
    let Some(command) = cli.command else {
        greeting::greet(&globals, out).await?;
        return Ok(Ending::Well);
    };
    if let Command::Verb(verb) = &command {
        globals.access = verb.access();
    }
    let globals = &globals;
    match command {
        // A device answers in its own shape even when there is no store to speak to.
        Command::Verb(Verb::Dev(args)) => {
            return match Desk::open(globals).await {
                Ok(desk) => run_and_tell(Verb::Dev(args), &desk, out).await,
                Err(error) => dev::run(&args, Err(error), out).await,
            };
        }
        Command::Verb(verb) => {
            let desk = Desk::open(globals).await?;
            opening::note_absence(globals, out)?;
            return run_and_tell(verb, &desk, out).await;
        }
        Command::Doctor(args) => return doctor::run(&args, globals, out).await,
        Command::Mcp(args) => mcp::run(&args, globals).await?,
        Command::Hook(_) => {}
        Command::Install(args) => return install::run(&args, globals, out),
        Command::Uninstall(args) => uninstall::run(&args, globals, out)?,
        Command::Serve(args) => serve::run(&args, globals, out).await?,
        Command::Ui(args) => ui::run(&args, globals, out).await?,
        Command::Token(args) => token::run(&args, globals, out).await?,
        #[cfg(all(feature = "mount", target_os = "linux"))]
        Command::Mount(args) => mount::run(&args, globals, out).await?,
        Command::Tour(args) => tour::run(&args, out).await?,
        Command::Migrate(args) => migrate::run(&args, globals, out).await?,
        Command::Sync(args) => sync::run(&args, globals, out).await?,
        Command::Model(args) => model::run(&args, globals, out).await?,
        Command::Config(args) => config::run(&args, globals, out)?,
        Command::Init(args) => init::run(&args, globals, out).await?,
        Command::Scan(args) => return scan::run(&args, globals, out).await,
        Command::Audit(args) => audit::run(&args, globals, out)?,
        Command::Context(args) => return context::run(&args, globals, out).await,
        Command::Run(args) => return run::run(&args, globals, out),
        Command::Step(args) => step::run(&args, globals, out).await?,
        Command::Craft(args) => return craft::run(&args, globals, out).await,
        Command::Chat(args) => chat::run(&args, globals, out).await?,
        Command::Plan(args) => plan::run(&args, globals, out)?,
        Command::History(args) => history::run(&args, globals, out)?,
        Command::Sessions(args) => sessions::run(&args, globals, out).await?,
        Command::Completions(args) => completions::run(&args, out)?,
        Command::Man(args) => man::run(&args, out)?,
    }
    Ok(Ending::Well)
}

/// Runs a verb, and says if it was not recorded: that costs nobody their memory.
async fn run_and_tell(verb: Verb, desk: &Desk, out: &mut Output) -> Result<Ending> {
    let ended = run_verb(verb, desk, out).await;
    if let Some(error) = desk.engine().audit_trouble() {
        out.warn(format_args!("it was done, but not recorded: {error}"))?;
    }
    ended
}

/// Runs a verb on an open store.
pub async fn run_verb(verb: Verb, desk: &Desk, out: &mut Output) -> Result<Ending> {
    match verb {
        Verb::Remember(args) => remember::run(args, desk, out).await?,
        Verb::Recall(args) => recall::run(args, desk, out).await?,
        Verb::Record(args) => record::run(args, desk, out).await?,
        Verb::List(args) => list::run(args, desk, out).await?,
        Verb::Show(args) => show::run(&args, desk, out).await?,
        Verb::Edit(args) => edit::run(args, desk, out).await?,
        Verb::Forget(args) => forget::run(args, desk, out).await?,
        Verb::Review(args) => review::run(args, desk, out).await?,
        Verb::Profile(args) => profile::run(args, desk, out).await?,
        Verb::Preamble(args) => preamble::run(args, desk, out).await?,
        Verb::Learn(args) => learn::run(args, desk, out).await?,
        Verb::Memory(args) => memory::run(args, desk, out).await?,
        Verb::Read(args) => read::run(&args, desk, out).await?,
        Verb::Export(args) => export::run(&args, desk, out).await?,
        Verb::Import(args) => return import::run(&args, desk, out).await,
        Verb::Stats(args) => stats::run(&args, desk, out).await?,
        Verb::Reindex(args) => reindex::run(&args, desk, out).await?,
        Verb::Dev(args) => return dev::run(&args, Ok(desk), out).await,
    }
    Ok(Ending::Well)
}
