//! `nuthatch run`: a custom command, shown, approved, and run in the sandbox.
//!
//! Its text goes to standard output. A command of a repository needs the user's trust once,
//! as it stands; every command line is shown before it runs, unless `--yes` says not to.

mod consent;
mod list;

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use nuthatch::error::{Error, Kind, Result};
use nuthatch_workspace::commands::{Catalogue, Definition, Expanded, Performed, expand, perform};
use nuthatch_workspace::hooks::{Event, Moment};
use nuthatch_workspace::sandbox::RunLimits;

use super::Ending;
use crate::cli::Globals;
use crate::output::Output;
use crate::wiring::Site;
use crate::{input, render, walls};

const EXAMPLES: &str = "\
Examples:
  $ d=.nuthatch/commands; mkdir -p $d; echo 'template = \"Explain {{args}}.\"' > $d/explain.toml
  $ nuthatch run --list
  $ nuthatch run --trust explain lifetimes to a beginner
  $ nuthatch --json run explain closures";

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// List the commands there are
    #[arg(long)]
    list: bool,
    /// Run without asking
    #[arg(long, short)]
    yes: bool,
    /// Trust the command, and the project's hooks, as they stand now
    #[arg(long)]
    trust: bool,
    /// Show the command lines that would run, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// End each command line after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The command and its arguments; everything behind its name belongs to it
    #[arg(value_name = "NAME [ARGS]", trailing_var_arg = true)]
    words: Vec<OsString>,
}

/// Runs, or lists.
pub fn run(args: &RunArgs, globals: &Globals, out: &mut Output) -> Result<Ending> {
    let site = Site::find(globals)?;
    let user = walls::user_folder(&site).map(|folder| folder.join("commands"));
    let catalogue = Catalogue::read(user.as_deref(), &walls::workspace(&site).commands());
    let Some((name, rest)) = args.words.split_first().filter(|_| !args.list) else {
        list::print(&catalogue, &walls::trust(&site), &site.root.folder, out)?;
        return Ok(Ending::Well);
    };
    let name = name.to_str().ok_or_else(|| Error::invalid("a command's name is text"))?;
    let definition = catalogue.find(name)?;
    let rest: Vec<OsString> = rest.iter().map(input::typed).collect();
    let expanded = expand(&definition.template, &rest)?;
    if args.dry_run {
        let lines: Vec<String> = lines(&expanded);
        out.answer(&lines, |out, lines| {
            lines.iter().try_for_each(|line| out.line(render::visible(line)))
        })?;
        if lines.is_empty() {
            out.note("it runs no command line")?;
        }
        return Ok(Ending::Well);
    }
    consent::ask(args, definition, &expanded, &site)?;
    let performed = go(args, definition, &expanded, &site, out)?;
    out.answer(&performed, print)?;
    Ok(if performed.ok { Ending::Well } else { Ending::Badly(Kind::Internal) })
}

/// Asks the hooks, runs, and tells the hooks. Without command lines there is nothing to ask.
fn go(
    args: &RunArgs,
    definition: &Definition,
    expanded: &Expanded,
    site: &Site,
    out: &mut Output,
) -> Result<Performed> {
    let root = &site.root.folder;
    let (sandbox, hooks) = (walls::sandbox(site)?, walls::hooks(site)?);
    let limits = RunLimits { time: Duration::from_secs(args.timeout), ..RunLimits::default() };
    let lines = lines(expanded);
    let runs = !lines.is_empty();
    let before = Event::before(Moment::BeforeCommand, &definition.name, lines, root);
    if runs {
        hooks.ask(&before, &sandbox).into_result()?;
    }
    let performed = perform(expanded, root, |line| sandbox.shell(line, limits))?;
    if runs {
        let after = before.ended(Moment::AfterCommand, performed.ok, performed.text.clone());
        for note in hooks.tell(&after, &sandbox) {
            out.warn(note)?;
        }
    }
    Ok(performed)
}

fn lines(expanded: &Expanded) -> Vec<String> {
    expanded.lines().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

fn print(out: &mut Output, performed: &Performed) -> Result<()> {
    out.foreign(&performed.text)?;
    if !performed.text.is_empty() && !performed.text.ends_with('\n') {
        out.text("\n")?;
    }
    for command in &performed.commands {
        let said = render::visible(command.stderr.trim_end());
        if !said.is_empty() {
            out.note(said)?;
        }
        let line = render::visible(&command.line);
        match command.code {
            Some(0) => {}
            Some(code) => out.warn(format_args!("`{line}` ended with exit code {code}"))?,
            None if command.timed_out => out.warn(format_args!("`{line}` took too long"))?,
            None => out.warn(format_args!("`{line}` was ended by a signal"))?,
        }
        if command.cut {
            out.warn(format_args!("`{line}` said more than is kept"))?;
        }
    }
    Ok(())
}
