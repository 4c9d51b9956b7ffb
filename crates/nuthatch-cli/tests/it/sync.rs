//! `nuthatch sync`.

use crate::sandbox::{Sandbox, assert_recorded};

/// A laptop and a team's store, each with something of its own.
fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember --store laptop.db --key editor uses tabs").ok();
    sandbox.line("remember --store laptop.db --scope user works as a gardener").ok();
    sandbox.line("remember --store team.db the build runs offline").ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch sync --store laptop.db --dry-run team.db",
        "nuthatch sync --store laptop.db --later team.db",
        "nuthatch sync --store laptop.db --later team.db",
        "nuthatch forget --store team.db editor --yes",
        "nuthatch sync --store laptop.db --later --json team.db",
        "nuthatch list --store laptop.db",
    ]);
    assert_recorded("sync", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("sync").fails(2, "<URL>");
    sandbox.line("sync --store laptop.db sqlite:./laptop.db").fails(2, "the same one");
    sandbox.line("sync --store laptop.db --scope nowhere team.db").fails(2, "not a scope");
    sandbox.line("sync --json --store laptop.db ftp://x/y").fails_in_json(2, "invalid", "ftp");
    sandbox.write("broken.json", "[{\"fact\": ");
    let ran = sandbox.line("sync --json --store laptop.db broken.json");
    assert_eq!((ran.code, &ran.json()["error"]["kind"]), (6, &"unavailable".into()));
}

#[test]
fn an_edit_on_both_sides_is_shown_and_the_other_is_in_the_history() {
    let sandbox = stocked();
    sandbox.line("sync --store laptop.db --later team.db").ok();
    sandbox.line("edit --store laptop.db editor uses spaces").ok();
    sandbox.line("edit --store team.db editor uses both").ok();
    let synced = sandbox.line("sync --store laptop.db --later --json team.db").ok().json();
    assert_eq!(synced["conflicts"][0]["kept"], "there", "{synced}");
    for store in ["laptop.db", "team.db"] {
        let line = format!("show --json editor --store {store}");
        let shown = sandbox.line(&line).ok().json();
        assert_eq!(shown["memory"]["content"], "uses both");
        assert_eq!(shown["versions"][1]["content"], "uses spaces");
    }
}

#[test]
fn only_what_is_named_is_shared_and_the_profile_when_asked_for() {
    let sandbox = stocked();
    let sync = |rest: &str| {
        let line = format!("sync --store laptop.db --later --json {rest} team.db");
        sandbox.line(&line).ok().json()
    };
    assert_eq!(sync("--scope user --dry-run")["there"]["new"], 1);
    assert_eq!(sync("")["there"]["new"], 1);
    assert_eq!(sync("--include-user")["there"]["new"], 1);
    let listed = sandbox.line("list --json --store team.db --scope user").ok().json();
    assert_eq!(listed["total"], 1);
}

#[test]
fn what_was_forgotten_is_not_imported_again() {
    let sandbox = stocked();
    sandbox.line("export --store laptop.db --output backup.jsonl").ok();
    sandbox.line("forget --store laptop.db editor --yes").ok();
    let imported = sandbox.line("import --store laptop.db --later --json backup.jsonl").ok().json();
    assert_eq!((&imported["forgotten"], &imported["taken"]["memories"]), (&1.into(), &0.into()));
    sandbox.line("migrate --from team.db --to laptop.db --yes").ok();
    sandbox.line("show --store laptop.db editor").fails(3, "editor");
}
