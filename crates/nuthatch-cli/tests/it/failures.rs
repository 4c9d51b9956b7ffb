//! What all commands share when something goes wrong, and when nobody listens.

use std::process::Stdio;

use crate::sandbox::{NUTHATCH, Sandbox};

#[test]
fn an_unknown_command_is_invalid_in_both_forms() {
    let sandbox = Sandbox::new();
    sandbox.line("remeber x").fails(2, "'remember'");
    sandbox.line("remeber x --json").fails_in_json(2, "invalid", "'remeber'");
    sandbox.line("--json recall --nonsense x").fails_in_json(2, "invalid", "'--nonsense'");
}

#[test]
fn an_error_is_a_line_with_its_hint_below() {
    let ran = Sandbox::new().line("remember --category Bad x");
    let expected = "error: not a category: \"Bad\"\n\
                    hint: a category is snake_case, for example preference, core or release_notes\n";
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", expected));
    let ran = Sandbox::new().line("remember --json --category Bad x");
    assert!(ran.json()["error"]["hint"].as_str().unwrap().contains("snake_case"));
}

#[test]
fn no_arguments_say_how_it_stands_and_where_help_is() {
    let ran = Sandbox::new().run::<&str>(&[]).ok();
    assert!(ran.stdout.contains("nothing is remembered yet"), "{ran:?}");
    assert!(ran.stderr.contains("`nuthatch --help`"), "{ran:?}");
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let sandbox = Sandbox::new();
    let styled = |sandbox: &Sandbox, line: &str| sandbox.line(line).stderr.contains('\u{1B}');
    assert!(!styled(&sandbox, "show nothing"));
    assert!(styled(&sandbox, "show nothing --color always"));
    assert!(styled(&sandbox, "--color=always nonsense"));
    let forced = Sandbox::new().with_env("CLICOLOR_FORCE", "1");
    assert!(styled(&forced, "show nothing"));
    assert!(!styled(&forced, "show nothing --color never"));
    let plain = Sandbox::new().with_env("NO_COLOR", "1");
    assert!(!styled(&plain, "show nothing"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    for line in ["list", "list --json", "config keys", "completions bash", "recall --help"] {
        let mut command = sandbox.command(NUTHATCH);
        command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let ran = Sandbox::new().sh("nuthatch config keys > /dev/full");
    ran.fails(6, "cannot write the answer");
}

#[test]
fn quiet_says_nothing_but_results() {
    let sandbox = Sandbox::new();
    for line in ["remember --quiet x", "edit -q x", "recall -q zeppelin", "list -q --key none"] {
        let line = line.replace("edit -q x", "profile -q add y");
        let ran = sandbox.line(&line).ok();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""), "{line}");
    }
    assert!(sandbox.line("list -q").ok().stdout.contains('x'));
}

#[test]
fn what_a_foreign_file_hides_does_not_reach_the_terminal() {
    let sandbox = Sandbox::new();
    let fact =
        r#"[{"fact": "red \u001b[31m \u202Ealert\u200B", "key": "k\u2066", "category": "core"}]"#;
    sandbox.write("facts.json", fact);
    let id =
        sandbox.line("list --json --store facts.json").ok().json()["memories"][0]["id"].clone();
    for line in ["list", "recall alert", &format!("show {}", id.as_str().unwrap())] {
        let ran = sandbox.line(&format!("{line} --store facts.json --color always")).ok();
        assert!(ran.stdout.contains("alert"), "{ran:?}");
        for hidden in ["\u{1B}[31m", "\u{202E}", "\u{200B}", "\u{2066}"] {
            assert!(!ran.stdout.contains(hidden), "{hidden:?}: {ran:?}");
        }
    }
}

#[test]
fn quoted_text_may_begin_with_a_dash() {
    let sandbox = Sandbox::new();
    let said = |args: &[&str]| -> String {
        let answer = sandbox.run(&[args, &["--json"]].concat()).ok().json();
        answer["memory"]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(said(&["remember", "- uses tabs", "--key", "editor"]), "uses tabs");
    assert_eq!(said(&["remember", "--note", "- one\n- two"]), "- one\n- two");
    assert_eq!(said(&["remember", "it is", "-5 degrees outside"]), "it is -5 degrees outside");
    assert_eq!(said(&["edit", "editor", "--force is never used"]), "force is never used");
    let found = sandbox.run(&["recall", "--json", "-5 degrees"]).ok().json();
    assert_eq!(found["hits"][0]["content"], "it is -5 degrees outside");
    sandbox.run(&["remember", "--key", "- my key", "keyed"]).ok();
    assert_eq!(said(&["show", "- my key"]), "keyed");
    sandbox.run(&["forget", "- my key"]).ok();
}

#[test]
fn a_mistyped_option_is_still_an_error() {
    let sandbox = Sandbox::new();
    sandbox.line("remember some text --catgory x").fails(2, "'--catgory'");
    sandbox.run(&["remember", "text", "--catgory=a b"]).fails(2, "'--catgory'");
    sandbox.run(&["recall", "-5"]).fails(2, "'-5'");
    let stored = sandbox.run(&["remember", "some text", "--meta=why=a b", "--json"]).ok().json();
    assert_eq!(stored["memory"]["metadata"]["why"], "a b");
}
