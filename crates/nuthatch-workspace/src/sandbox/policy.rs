//! What a sandboxed command may see and touch.
//!
//! Values only; the walls are raised by `enter`, in a process of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Kind, Result};

use super::Bubble;

/// Whether a command may speak to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// No socket can be made.
    Closed,
    /// Sockets of the internet can be made.
    Open,
}

/// Variables and their values.
pub type Environment = Vec<(OsString, OsString)>;

/// What a command may see and touch.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Where it runs and may write.
    pub workspace: PathBuf,
    /// The user's home, of which nothing is seen unless it is named.
    pub home: Option<PathBuf>,
    /// Further files and folders that may be read and run.
    pub read: Vec<PathBuf>,
    /// Further files and folders that may be written.
    pub write: Vec<PathBuf>,
    /// Its whole environment; a home and a folder for temporary files are added.
    pub env: Environment,
    /// Whether it may speak to the network.
    pub network: Network,
    /// Whether bubblewrap is used where it works.
    pub bubble: Bubble,
}

/// Programs, libraries, and what programs look up about the system. No logs, no spools, no
/// keys: `/etc` is named file by file.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/run/current-system/sw",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls/certs",
    "/etc/profile",
    "/etc/protocols",
    "/etc/python3",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Devices that hold nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What a command needs of the user's environment, and nobody's secrets are kept in.
const HARMLESS: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TERM",
    "TZ",
    "USER",
    "LOGNAME",
    "NO_COLOR",
    "COLUMNS",
];

impl Policy {
    /// The usual policy: system and programs to read, the workspace to write, no network,
    /// and of the environment `env` only what is harmless.
    #[must_use]
    pub fn usual(workspace: PathBuf, home: Option<PathBuf>, env: &Environment) -> Self {
        let policy = Policy {
            workspace,
            home,
            read: Vec::new(),
            write: Vec::new(),
            env: Environment::new(),
            network: Network::Closed,
            bubble: Bubble::WherePresent,
        };
        policy.passing(HARMLESS, env)
    }

    /// Passes further variables of the environment `env` on.
    #[must_use]
    pub fn passing(mut self, names: &[impl AsRef<str>], env: &Environment) -> Self {
        let wanted = |name: &OsString| names.iter().any(|own| name == own.as_ref());
        self.env.extend(env.iter().filter(|(name, _)| wanted(name)).cloned());
        self
    }

    /// Whether the workspace can be opened to a command without opening the home with it.
    pub(super) fn check(&self) -> Result<()> {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let workspace = real(&self.workspace);
        let holds = |path: &Path| real(path).starts_with(&workspace);
        let home = self.home.as_deref();
        if workspace.parent().is_none() || home.is_some_and(holds) {
            let shown = workspace.display();
            let message = format!("{shown} holds your home, so no sandbox keeps that closed");
            return Err(Error::new(Kind::Denied, message)
                .with_hint("work in a project of its own: `nuthatch init` makes one"));
        }
        if !workspace.is_dir() {
            let shown = workspace.display();
            return Err(Error::not_found(format!("there is no folder {shown}")));
        }
        Ok(())
    }

    /// Everything that may be read and run.
    pub(super) fn readable(&self) -> Vec<PathBuf> {
        let system = SYSTEM.iter().map(PathBuf::from);
        system.chain(self.programs()).chain(self.read.iter().cloned()).collect()
    }

    /// Everything that may be written, the workspace first.
    pub(super) fn writable(&self, private: &Path) -> Vec<PathBuf> {
        let own = [self.workspace.clone(), private.to_owned()];
        own.into_iter().chain(self.write.iter().cloned()).collect()
    }

    /// Devices that may be read and written.
    pub(super) fn devices() -> impl Iterator<Item = PathBuf> {
        DEVICES.iter().map(PathBuf::from)
    }

    /// The folders that programs are looked for in, unless one of them holds the home.
    fn programs(&self) -> Vec<PathBuf> {
        let path = self.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let folders = path.into_iter().flat_map(std::env::split_paths);
        let closed = |folder: &PathBuf| {
            let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            let home = self.home.as_ref().and_then(|home| fs::canonicalize(home).ok());
            real.parent().is_none() || home.is_some_and(|home| home.starts_with(&real))
        };
        folders.filter(|folder| folder.is_absolute() && !closed(folder)).collect()
    }
}
