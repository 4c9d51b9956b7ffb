//! `nuthatch export`.

use std::fs;

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember --key editor --category preference --pin uses tabs").ok();
    sandbox.line("edit editor uses spaces").ok();
    sandbox.line("remember --scope user works as a gardener").ok();
    sandbox.line("remember --origin tool seen on a page").ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch export --output backup.jsonl",
        "nuthatch export --output backup.jsonl --force --json",
        "nuthatch export --format markdown --output notes.md && grep -v exported notes.md",
        "nuthatch export --format mcp-memory --scope user --output m.jsonl --json",
    ]);
    assert_recorded("export", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("export --format letta").fails(2, "read, and not written");
    sandbox.line("export --format nonsense").fails(2, "unknown format");
    sandbox.line("export --json").fails_in_json(2, "invalid", "both be printed");
    sandbox.line("export --scope nowhere").fails(2, "not a scope");
    sandbox.write("there", "mine");
    sandbox.line("export --output there").fails(4, "there already");
    sandbox.line("export --output no/such/folder/x").fails(6, "cannot write");
    assert_eq!(fs::read_to_string(sandbox.work().join("there")).unwrap(), "mine");
}

#[test]
fn what_is_exported_comes_back_field_for_field() {
    let sandbox = stocked();
    let everything = |store: &str| {
        let line = format!("list --json --all-projects --superseded --store {store}");
        sandbox.line(&line).ok().json()
    };
    let home = sandbox.line("stats --json").ok().json();
    assert_eq!(home["memories"], 3, "{home}");
    sandbox.line("export --output backup.jsonl").ok();
    sandbox.line("import --store again.db backup.jsonl").ok();
    let before = sandbox.line("list --json --all-projects --superseded").ok().json();
    assert_eq!(everything("again.db"), before);
    let shown = sandbox.line("show --json editor --store again.db").ok().json();
    assert_eq!(shown["versions"][0]["content"], "uses tabs");
    let again = sandbox.line("import --json --store again.db backup.jsonl").ok().json();
    assert_eq!(
        (&again["taken"]["memories"], &again["already"]["memories"]),
        (&0.into(), &3.into())
    );
}

#[cfg(unix)]
#[test]
fn a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = stocked();
    sandbox.sh("umask 000 && nuthatch export --output backup.jsonl").ok();
    let mode = fs::metadata(sandbox.work().join("backup.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn nothing_quarantined_leaves_in_a_format_that_knows_no_trust() {
    let sandbox = stocked();
    for format in ["markdown", "mcp-memory", "mif"] {
        let ran = sandbox.line(&format!("export --format {format}")).ok();
        assert!(ran.stdout.contains("gardener") && !ran.stdout.contains("seen on a page"));
        assert!(ran.stderr.contains("quarantined"), "{ran:?}");
    }
    assert!(sandbox.line("export").ok().stdout.contains("seen on a page"));
}
