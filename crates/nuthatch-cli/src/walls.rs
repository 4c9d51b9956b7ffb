//! The sandbox of a place, its hooks, and what is trusted there.
//!
//! Everything that runs a command goes through here, so that one policy holds for all of
//! them: the configuration of the user alone, never that of a repository. The walls are raised
//! by a process of our own under a hidden name, because they have to stand before any thread
//! exists. Without walls nothing runs; a hook that is against it, crashes or is not trusted denies.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::error::{Error, Result};
use nuthatch_workspace::Workspace;
use nuthatch_workspace::hooks::{Event, Hooks, Moment, Watch};
use nuthatch_workspace::sandbox::{
    self, Ended, Environment, Network, Policy, RunLimits, Sandbox, Stop,
};
use nuthatch_workspace::trust::Trust;

use crate::wiring::Site;

/// The hidden name under which this program is the sandbox's helper.
const HELPER: &str = "__sandbox";

/// The file in the data folder that lists what is trusted.
const TRUSTED: &str = "trusted.json";

/// Becomes a walled-in command, if that is what this process was started for.
pub fn enter(args: &[OsString]) -> Option<ExitCode> {
    let is_helper = args.get(1).is_some_and(|first| first == HELPER);
    is_helper.then(|| sandbox::enter(args[2..].iter().cloned()))
}

/// The sandbox that commands of this place run in.
pub fn sandbox(site: &Site) -> Result<Sandbox> {
    let program = std::env::current_exe().map_err(|error| {
        Error::unavailable("this program does not know where it is").with_source(error)
    })?;
    let (settings, places) = (&site.config.settings().sandbox, site.config.places());
    let paths = |list: &[String]| -> Result<Vec<PathBuf>> {
        list.iter().map(|path| places.expand(path).map(PathBuf::from)).collect()
    };
    let env: Environment = std::env::vars_os().collect();
    let mut policy = Policy::usual(site.root.folder.clone(), places.home.clone(), &env)
        .passing(&settings.env, &env);
    policy.read = paths(&settings.read)?;
    policy.write = paths(&settings.write)?;
    if settings.network {
        policy.network = Network::Open;
    }
    Ok(Sandbox::new(vec![program.into(), OsString::from(HELPER)], policy))
}

/// The workspace of this place.
pub fn workspace(site: &Site) -> Workspace {
    Workspace::new(site.root.folder.clone())
}

/// What the user trusts.
pub fn trust(site: &Site) -> Trust {
    Trust::in_file(site.config.places().data_dir.join(TRUSTED))
}

/// The user's own folder: configuration, commands, hooks.
pub fn user_folder(site: &Site) -> Option<PathBuf> {
    site.config.places().config_file.parent().map(PathBuf::from)
}

/// The hooks that are asked here.
pub fn hooks(site: &Site) -> Result<Hooks> {
    let user = user_folder(site).map(|folder| folder.join("hooks.toml"));
    let file = workspace(site).hooks();
    Hooks::read(user.as_deref(), &site.root.folder, &file, &trust(site))
}

/// Sandbox and hooks together, for agents and what they run.
#[derive(Clone)]
pub struct Walls {
    inner: Arc<Inner>,
}

struct Inner {
    sandbox: Sandbox,
    hooks: Hooks,
    root: PathBuf,
}

impl Walls {
    /// Those of the project here.
    ///
    /// # Errors
    /// When a file of hooks is there and cannot be read, or our own program cannot be found.
    pub fn of(site: &Site) -> Result<Walls> {
        let root = site.root.folder.clone();
        let inner = Inner { sandbox: sandbox(site)?, hooks: hooks(site)?, root };
        Ok(Walls { inner: Arc::new(inner) })
    }

    /// Runs a line by the shell, and says what came of it. Whoever stops waiting ends it.
    ///
    /// # Errors
    /// `unavailable` where no walls can be had, `denied` where a hook is against it; nothing
    /// is run then.
    pub async fn shell(&self, line: &str) -> Result<String> {
        let (line, stop) = (line.to_owned(), Stop::default());
        let _leash = Leash(stop.clone());
        self.apart(move |walls| walls.shell(&line, &stop)).await?
    }

    /// Does something that waits for a program on a thread of its own.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || work(&inner))
            .await
            .map_err(|error| Error::internal("a command was not waited for").with_source(error))
    }
}

/// Ends what runs when nobody waits for it any more.
struct Leash(Stop);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.ask();
    }
}

impl Inner {
    fn shell(&self, line: &str, stop: &Stop) -> Result<String> {
        let lines = vec![line.to_owned()];
        let event = Event::before(Moment::BeforeCommand, "shell", lines, &self.root);
        self.hooks.ask(&event, &self.sandbox).into_result()?;
        let ran = self.sandbox.shell_until(line, RunLimits::default(), stop)?;
        let said = ran.transcript();
        let is_ok = ran.ended == Ended::Exited(0);
        let event = event.ended(Moment::AfterCommand, is_ok, said.clone());
        let troubles = self.hooks.tell(&event, &self.sandbox);
        Ok(troubles.into_iter().fold(said, |said, trouble| format!("{said}\n{trouble}")))
    }
}

#[async_trait]
impl Watch for Walls {
    async fn ask(&self, event: &Event) -> Result<()> {
        let event = event.clone();
        let asked = self.apart(move |walls| walls.hooks.ask(&event, &walls.sandbox)).await?;
        asked.into_result()
    }

    async fn tell(&self, event: &Event) -> Vec<String> {
        let event = event.clone();
        let told = self.apart(move |walls| walls.hooks.tell(&event, &walls.sandbox)).await;
        told.unwrap_or_else(|error| vec![error.to_string()])
    }
}
