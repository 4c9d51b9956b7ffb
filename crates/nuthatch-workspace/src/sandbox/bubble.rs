//! Bubblewrap around the helper, where it is installed and works.
//!
//! It adds what Landlock cannot hold: a read-only view of everything outside the workspace,
//! modes and owners included, processes and a network of its own, and a protected
//! `.git/hooks`, which others run later. It never replaces the walls inside.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::policy::{Network, Policy};

/// Whether bubblewrap is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bubble {
    /// Where it is installed and works.
    WherePresent,
    /// Not at all.
    Never,
}

/// Places that only an administrator writes to: one on the path could be anybody's.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The program, if it is to be used, is there and can do its work here. Containers and some
/// systems do not let it.
pub(super) fn find(wish: Bubble) -> Option<PathBuf> {
    if wish == Bubble::Never {
        return None;
    }
    let program = PLACES.iter().map(PathBuf::from).find(|path| path.is_file())?;
    let mut command = Command::new(&program);
    command.args(ALWAYS).args(VIEW).args(["--", "/bin/true"]).env_clear();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success()).then_some(program)
}

const ALWAYS: &[&str] = &["--unshare-all", "--die-with-parent", "--new-session"];

const VIEW: &[&str] = &["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/// The words that run `inner` inside.
pub(super) fn around(
    program: &Path,
    policy: &Policy,
    private: &Path,
    inner: Vec<OsString>,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![program.into()];
    words.extend(ALWAYS.iter().map(OsString::from));
    if policy.network == Network::Open {
        words.push("--share-net".into());
    }
    words.extend(VIEW.iter().map(OsString::from));
    let mut bind = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    for path in policy.writable(private) {
        bind("--bind-try", &path);
    }
    let hooks = policy.workspace.join(".git/hooks");
    if hooks.is_dir() && !hooks.is_symlink() {
        bind("--ro-bind", &hooks);
    }
    words.extend(["--chdir".into(), policy.workspace.clone().into(), "--".into()]);
    words.extend(inner);
    words
}
