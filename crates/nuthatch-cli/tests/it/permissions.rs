//! Whatever the umask, what we make is its owner's alone.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::sandbox::Sandbox;

/// Everything below a folder that others may look at.
fn open_to_others(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        if mode & !expected != 0 {
            found.push(format!("{mode:o} {}", path.display()));
        }
        if path.is_dir() {
            open_to_others(&path, found);
        }
    }
}

const LINES: &[&str] = &[
    "nuthatch remember --key editor uses tabs",
    "nuthatch remember --category daily --scope project deployed",
    "nuthatch edit editor uses spaces",
    "nuthatch profile add is a gardener",
    "nuthatch remember --key odd --origin tool the mirror moved",
    "nuthatch review approve odd",
    "nuthatch forget odd",
    "nuthatch reindex",
    "nuthatch scan --store",
    "nuthatch doctor",
    "nuthatch stats",
    "nuthatch audit",
];

fn everything_is_private(umask: &str) {
    for store in ["", "sqlite:~/made/memory.db", "markdown:~/made/notes", "json:~/made/memory.json"]
    {
        let mut sandbox = Sandbox::new();
        if !store.is_empty() {
            sandbox = sandbox.with_env("NUTHATCH_STORE", store);
        }
        for line in LINES {
            sandbox.sh(&format!("umask {umask} && {line}")).ok();
        }
        let to = "json:~/copies/memory.json";
        let from =
            if store.is_empty() { "sqlite:~/.local/share/nuthatch/memory.db" } else { store };
        sandbox
            .sh(&format!("umask {umask} && nuthatch migrate --yes --from {from} --to {to}"))
            .ok();
        let mut found = Vec::new();
        for made in [".local/share/nuthatch", "made", "copies"] {
            let folder = sandbox.home().join(made);
            if folder.exists() {
                let mode = fs::metadata(&folder).unwrap().permissions().mode() & 0o777;
                assert_eq!(mode, 0o700, "{}", folder.display());
                open_to_others(&folder, &mut found);
            }
        }
        assert_eq!(found, Vec::<String>::new(), "umask {umask}, {store}");
    }
}

#[test]
fn files_are_private_under_a_umask_of_nothing() {
    everything_is_private("000");
}

#[test]
fn files_are_private_under_the_usual_umask() {
    everything_is_private("022");
}

#[test]
fn a_configuration_file_that_we_write_is_private() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("alpha");
    sandbox.sh_in(&repository, "umask 000 && nuthatch init").ok();
    let folder = repository.join(".nuthatch");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let mut found = Vec::new();
    open_to_others(&folder, &mut found);
    assert_eq!(found, Vec::<String>::new());
}
