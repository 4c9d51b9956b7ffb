//! The sandbox and the hooks of a project: what stands around a command before it runs.
//!
//! The walls are raised by a process of our own under a hidden name ([`HELPER`]), because they
//! have to stand before any thread exists. Without walls nothing runs; a hook that is against
//! it, crashes or is not trusted denies.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use nuthatch::error::{Error, Result};
use nuthatch_workspace::Workspace;
use nuthatch_workspace::hooks::{Event, Hooks, Moment};
use nuthatch_workspace::sandbox::{self, Ended, Environment, Policy, Ran, RunLimits, Sandbox};
use nuthatch_workspace::trust::Trust;

use crate::wiring::Site;

/// The first argument of a process that walls itself in.
const HELPER: &str = "__sandbox";
/// The file of the data folder with what the user trusts.
const TRUSTED: &str = "trusted.json";
/// The user's own hooks, beside the configuration file.
const HOOKS: &str = "hooks.toml";

/// Becomes a walled-in command, if that is what this process was started for.
pub fn enter(args: &[OsString]) -> Option<ExitCode> {
    let is_helper = args.get(1).is_some_and(|first| first == HELPER);
    is_helper.then(|| sandbox::enter(args[2..].iter().cloned()))
}

/// What stands around commands of a project.
pub struct Walls {
    sandbox: Sandbox,
    hooks: Hooks,
    root: PathBuf,
}

impl Walls {
    /// Those of the project here.
    ///
    /// # Errors
    /// When a file of hooks is there and cannot be read, or our own program cannot be found.
    pub fn of(site: &Site, workspace: &Workspace) -> Result<Walls> {
        let places = site.config.places();
        let program = std::env::current_exe().map_err(|error| {
            Error::unavailable("cannot find the program that raises the walls").with_source(error)
        })?;
        let environment: Environment = std::env::vars_os().collect();
        let root = workspace.root().to_owned();
        let policy = Policy::usual(root.clone(), places.home.clone(), &environment);
        let sandbox = Sandbox::new(vec![program.into(), HELPER.into()], policy);
        let trust = Trust::in_file(places.data_dir.join(TRUSTED));
        let own = places.config_file.with_file_name(HOOKS);
        let hooks = Hooks::read(Some(&own), &root, &workspace.hooks(), &trust)?;
        Ok(Walls { sandbox, hooks, root })
    }

    /// Asks the hooks about something that is about to run.
    ///
    /// # Errors
    /// `denied`, when one is against it.
    pub fn ask(&self, moment: Moment, name: &str, lines: Vec<String>) -> Result<()> {
        let root = &self.root;
        let event = Event { moment, name, lines, root, ok: None, output: None };
        self.hooks.ask(&event, &self.sandbox).into_result()
    }

    /// Runs a line by the shell, and says what came of it.
    ///
    /// # Errors
    /// `unavailable` where no walls can be had, `denied` where a hook is against it; nothing
    /// is run then.
    pub fn shell(&self, line: &str) -> Result<String> {
        self.ask(Moment::BeforeCommand, "shell", vec![line.to_owned()])?;
        let ran = self.sandbox.shell(line, RunLimits::default())?;
        let said = told(&ran);
        let event = Event {
            moment: Moment::AfterCommand,
            name: "shell",
            lines: vec![line.to_owned()],
            root: &self.root,
            ok: Some(ran.ended == Ended::Exited(0)),
            output: Some(&said),
        };
        let troubles = self.hooks.tell(&event, &self.sandbox);
        Ok(troubles.into_iter().fold(said, |said, trouble| format!("{said}\n{trouble}")))
    }
}

fn told(ran: &Ran) -> String {
    let how = match ran.ended {
        Ended::Exited(0) => String::new(),
        Ended::Exited(code) => format!("\nexit code {code}"),
        Ended::Killed(signal) => format!("\nended by signal {signal}"),
        Ended::TimedOut => "\nit took too long and was ended".to_owned(),
    };
    let cut = if ran.cut { "\n[… cut]" } else { "" };
    let [out, err] = [&ran.stdout, &ran.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}{cut}{how}")
}
