//! `nuthatch run`: what can be shown without a sandbox. What runs is in `tests/walls`.

use crate::sandbox::{Sandbox, assert_recorded};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let commands = [
        ("explain.toml", "description = \"one line\"\ntemplate = \"Explain {{args}}.\"\n"),
        (
            "git/undo.toml",
            "[command]\nname = \"undo\"\ndescription = \"take back\"\n\
             template = \"!{git reset {{arg1}}} then !{echo \\\"{{arg2}}\\\"}\"\n",
        ),
        ("notes.toml", "template = \"Read: @{notes/{{arg1}}.md}\"\n"),
        ("broken.toml", "template = \"!{echo\"\n"),
        ("flat.toml", "templat = \"x\"\n"),
    ];
    for (path, text) in commands {
        sandbox.write(&format!(".nuthatch/commands/{path}"), text);
    }
    sandbox.write("notes/a.md", "{{args}} !{touch hit}\n");
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = sandbox().transcript(&[
        "nuthatch run",
        "nuthatch run --trust explain lifetimes --json",
        "nuthatch run --list",
        "nuthatch run --list --json",
        "nuthatch run --dry-run git:undo 'HEAD; rm -rf /' '$(id)'",
        "nuthatch run --trust notes a",
        "nuthatch --json run notes a",
    ]);
    assert_recorded("run", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = sandbox();
    sandbox.line("run nothing").fails(3, "there is no command `nothing`");
    sandbox.line("run broken").fails(2, "column 1: this shell command is not closed");
    sandbox.line("run flat").fails(2, "cannot be used");
    sandbox.line("run git:undo").fails(2, "needs 2 arguments and got 0 arguments");
    sandbox.line("run explain x").fails(5, "needs your leave");
    sandbox.line("run --trust notes ../../secret").fails(3, "there is no such file");
    sandbox.line("--json run explain x").fails_in_json(5, "denied", "needs your leave");
}

#[test]
fn trust_ends_when_the_command_changes() {
    let sandbox = sandbox();
    sandbox.line("run --trust explain x").ok();
    sandbox.line("run explain x").ok();
    sandbox.write(".nuthatch/commands/explain.toml", "template = \"Explain {{args}}!\"\n");
    sandbox.line("run explain x").fails(5, "needs your leave");
}

#[test]
fn commands_of_the_user_need_no_trust() {
    let sandbox = sandbox();
    sandbox.configure("");
    let folder = sandbox.home().join(".config/nuthatch/commands");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.toml"), "template = \"mine: {{args}}\"\n").unwrap();
    assert_eq!(sandbox.line("run mine a b").ok().stdout, "mine: a b\n");
    assert_eq!(sandbox.run(&["run", "mine", "- a b"]).ok().stdout, "mine: - a b\n");
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_trust_is_asked_for_and_a_no_runs_nothing() {
    let sandbox = sandbox();
    let asked = sandbox.on_terminal("nuthatch run explain x", "n\n");
    assert!(asked.stdout.contains("template = \"Explain {{args}}.\""), "{asked:#?}");
    assert!(asked.stdout.contains("Trust the command explain as it stands?"), "{asked:#?}");
    assert!(asked.stdout.contains("nothing was run"), "{asked:#?}");
    let told = sandbox.on_terminal("nuthatch run explain x", "y\n");
    assert!(told.stdout.contains("Explain x."), "{told:#?}");
    sandbox.line("run explain again").ok();
}
