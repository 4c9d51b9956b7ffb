//! A workspace, a home beside it, and a sandbox.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nuthatch_workspace::sandbox::{Bubble, Ended, Network, Policy, Ran, RunLimits, Sandbox};

pub struct Place {
    dir: tempfile::TempDir,
    bubble: Bubble,
}

impl Place {
    pub fn new(bubble: Bubble) -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap(), bubble };
        for folder in ["workspace", "home/.ssh", "elsewhere"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        fs::write(place.at("home/.ssh/id"), "the key").unwrap();
        fs::write(place.at("elsewhere/file"), "as it was").unwrap();
        place
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    pub fn policy(&self) -> Policy {
        let env = std::env::vars_os().collect();
        let mut policy = Policy::usual(self.at("workspace"), Some(self.at("home")), &env);
        policy.bubble = self.bubble;
        // The binary that tries to get out must be there to be run.
        policy.read.push(own_program().parent().unwrap().to_owned());
        policy
    }

    pub fn sandbox(&self) -> Sandbox {
        Sandbox::new(helper(), self.policy())
    }

    pub fn open_sandbox(&self) -> Sandbox {
        Sandbox::new(helper(), Policy { network: Network::Open, ..self.policy() })
    }

    /// Runs a line in the usual sandbox.
    pub fn sh(&self, line: &str) -> Ran {
        self.sandbox().shell(line, limits()).unwrap()
    }

    /// Asserts that a line fails, and that nothing outside has changed.
    #[track_caller]
    pub fn fails(&self, line: &str) {
        let ran = self.sh(line);
        assert!(ran.ended != Ended::Exited(0), "{line}: {ran:?}");
        assert!(!said(&ran).contains("the key"), "{line}: {ran:?}");
        assert_eq!(fs::read_to_string(self.at("elsewhere/file")).unwrap(), "as it was", "{line}");
        assert_eq!(fs::read_dir(self.at("elsewhere")).unwrap().count(), 1, "{line}");
        assert_eq!(fs::read_to_string(self.at("home/.ssh/id")).unwrap(), "the key", "{line}");
    }
}

pub fn helper() -> Vec<OsString> {
    vec![own_program().into(), "__sandbox".into()]
}

pub fn own_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

pub fn limits() -> RunLimits {
    RunLimits { time: Duration::from_secs(60), bytes: 4096 }
}

pub fn said(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Whether the kernel has as much of Landlock as is required.
pub fn has_landlock() -> bool {
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    };
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V2));
    rules.and_then(Ruleset::create).is_ok()
}

/// Whether bubblewrap can do its work here.
pub fn has_bubble() -> bool {
    let program = Path::new("/usr/bin/bwrap");
    let mut command = std::process::Command::new(program);
    command.args(["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    command.arg("/bin/true").stderr(std::process::Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
