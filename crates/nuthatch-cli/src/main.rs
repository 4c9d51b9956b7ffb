//! The `nuthatch` command: arguments, configuration, wiring and output around the library.
//!
//! What memory is and does is decided in the crate `nuthatch`; here requests are read and
//! answers are written. `cli` has the arguments, `commands` one file per command, `wiring`
//! the one place where store, project and configuration meet.

mod ask;
mod autonomy;
mod cli;
mod commands;
mod config;
mod connecting;
mod consent;
mod crowding;
mod editor;
mod embedder;
mod ending;
mod failure;
mod following;
mod greeting;
mod hooking;
mod input;
mod intake;
mod models;
mod opening;
mod output;
mod outside;
mod private;
mod progress;
mod project;
mod render;
mod select;
mod servers;
mod shelf;
mod signals;
mod source;
mod spend;
mod tenancy;
mod token;
mod unpacking;
mod walls;
mod wiring;
mod workbench;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use cli::{Cli, Preview};
use commands::Ending;
use nuthatch::error::{Error, Result};
use output::Output;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = walls::enter(&args) {
        return code;
    }
    let preview = Preview::of(&args);
    let args = cli::with_bare_options(cli::with_text_marked(&args));
    preview.colour.write_global();
    let cli = match Cli::waited_for(&args) {
        Some(cli) => cli,
        None => {
            let command = Cli::command().color(preview.clap_colour());
            let matches = command.try_get_matches_from(&args);
            match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
                Ok(cli) => cli,
                // Whoever runs a hook takes a failure for an objection.
                Err(error) if hooking::is_misspelt(&args, &error) => return ExitCode::SUCCESS,
                Err(error) => return failure::report_usage(&error, preview.format),
            }
        }
    };
    if let Some(cli::Command::Hook(args)) = &cli.command {
        return hooking::answer(args.agent.as_deref(), &cli.globals);
    }
    let mut out = Output::to_streams(cli.globals.format(), cli.globals.chatter());
    let ended = execute(cli, &mut out).and_then(|ending| out.flush().map(|()| ending));
    match ended {
        Ok(Ending::Well) => ExitCode::SUCCESS,
        Ok(Ending::Badly(kind)) => ExitCode::from(failure::exit_code(kind)),
        Err(error) => failure::report(&error, &mut out),
    }
}

fn execute(cli: Cli, out: &mut Output) -> Result<Ending> {
    // One thread: a command is one request, and starting more costs more than it saves. Only
    // what listens needs the system's events, and only what many speak to needs threads.
    let mut builder = match cli.command {
        Some(cli::Command::Serve(_)) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    if cli.command.as_ref().is_some_and(cli::Command::listens) {
        builder.enable_all();
    }
    let runtime = builder.build().map_err(|error| {
        Error::unavailable("cannot start: the system gives no resources").with_source(error)
    })?;
    runtime.block_on(commands::run(cli, out))
}
