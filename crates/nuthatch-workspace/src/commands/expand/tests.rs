//! Templates are expanded once, and arguments stay arguments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::process::Command;

use proptest::prelude::*;

use super::super::{perform, quote};
use super::*;
use crate::sandbox::{Ended, Ran};

fn args(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn expanded(template: &str, words: &[&str]) -> Result<Expanded> {
    expand(&Template::parse(template)?, &args(words))
}

fn line(template: &str, words: &[&str]) -> String {
    let expanded = expanded(template, words).unwrap();
    let line = expanded.lines().next().unwrap().to_vec();
    String::from_utf8(line).unwrap()
}

#[test]
fn arguments_are_plain_in_text_and_quoted_in_commands() {
    let expanded = expanded("see {{arg1}}: !{ls {{args}}}", &["a b", "c'd"]).unwrap();
    let pieces = [
        Piece::Text(b"see ".to_vec()),
        Piece::Text(b"a b".to_vec()),
        Piece::Text(b": ".to_vec()),
        Piece::Shell(b"ls 'a b' 'c'\\''d'".to_vec()),
    ];
    assert_eq!(expanded.pieces, pieces);
}

#[test]
fn quotes_around_an_argument_are_ended_and_begun_again() {
    assert_eq!(line("!{echo \"x {{arg1}} y\"}", &["$(id)"]), "echo \"x \"'$(id)'\" y\"");
    assert_eq!(line("!{echo 'x {{arg1}} y'}", &["$(id)"]), "echo 'x ''$(id)'' y'");
    assert_eq!(line("!{echo \"{{args}}\"}", &["a", "b"]), "echo \"\"'a b'\"\"");
    assert_eq!(line("!{echo \"${HOME}/{{arg1}}\"}", &["a"]), "echo \"${HOME}/\"'a'\"\"");
}

#[test]
fn braces_and_quotes_of_the_shell_stay_in_pairs() {
    for command in [
        "f() { echo {a,b}; }; f",
        "echo '}' \"}\" \\}",
        "docker ps --format '{{.Names}}'",
        "awk '{print $1}' x",
        "echo ${HOME} ${x:-y} $(echo ')') $((1+(2)))",
        "echo a # it's a comment",
        "case x in x) echo y;; esac",
    ] {
        assert_eq!(line(&format!("a !{{{command}}} b"), &[]), command);
    }
}

#[test]
fn places_where_quotes_would_not_hold_are_refused() {
    for (command, why) in [
        ("echo \\{{arg1}}", "backslash"),
        ("echo ${{arg1}}", "dollar"),
        ("echo \"$(ls {{arg1}})\"", "substitution"),
        ("echo \"$(ls) {{arg1}}\"", "substitution"),
        ("echo \"`ls` {{arg1}}\"", "substitution"),
        ("echo `ls {{arg1}}`", "backticks"),
        ("echo ${x:-{{arg1}}}", "${…}"),
        ("echo ${x:-y} {{arg1}}", "${…}"),
        ("echo $(({{arg1}}))", "$((…))"),
        ("echo a # {{arg1}}", "comment"),
        ("cat <<E\n{{arg1}}\nE\n", "here-document"),
        ("echo $'x' {{arg1}}", "$'…'"),
    ] {
        let error = expanded(&format!("!{{{command}}}"), &["x"]).expect_err(command);
        assert!(error.to_string().contains(why), "{command}: {error}");
    }
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (template, words) in [
        ("a\n  !{ls", "line 2, column 3: this shell command is not closed"),
        ("!{echo 'x}", "line 1, column 1: this shell command is not closed"),
        ("!{ }", "this shell command is empty"),
        ("@{a", "this file is not closed"),
        ("@{}", "this file has no name"),
        ("x {{arg0}}", "column 3: `{{arg0` is no place"),
        ("{{name}}", "`{{name` is no place"),
        ("{{", "is no place"),
    ] {
        let error = Template::parse(template).expect_err(template);
        assert!(error.to_string().contains(words), "{template}: {error}");
    }
}

#[test]
fn a_backslash_makes_a_marker_plain() {
    let expanded = expanded("\\{{args}} \\!{x} \\@{y} \\n", &[]).unwrap();
    assert_eq!(expanded.pieces, [Piece::Text(b"{{args}} !{x} @{y} \\n".to_vec())]);
}

#[test]
fn too_few_and_too_many_arguments_are_mistakes() {
    for (template, words, why) in [
        ("{{arg2}}", &["a"][..], "needs 2 arguments and got 1 argument"),
        ("text", &["a"][..], "takes 0 arguments and got 1 argument"),
        ("{{arg1}}", &["a", "b"][..], "takes 1 argument and got 2 arguments"),
    ] {
        let error = expanded(template, words).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    assert!(expanded("{{arg1}} {{args}}", &["a", "b"]).is_ok());
}

/// Everything that a template reacts to, and some of what a shell does.
const MARKERS: &[&str] = &[
    "{{args}}",
    "{{arg1}}",
    "!{touch hit}",
    "@{secret}",
    "!{",
    "@{",
    "{{",
    "}}",
    "}",
    "\\",
    "$(id)",
    "`id`",
    "'",
    "\"",
    ";",
    "\n",
    " ",
    "a",
    "é",
];

fn hostile() -> impl Strategy<Value = String> {
    let word = prop::sample::select(MARKERS);
    prop::collection::vec(word, 0..8).prop_map(|words| words.concat())
}

fn said(stdout: &str) -> Ran {
    let stdout = stdout.as_bytes().to_vec();
    Ran { ended: Ended::Exited(0), stdout, stderr: Vec::new(), cut: false }
}

proptest! {
    #[test]
    fn nothing_is_expanded_twice(arg in hostile(), file in hostile(), output in hostile()) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("f"), &file).unwrap();
        std::fs::write(root.path().join("secret"), "the secret").unwrap();
        let template = Template::parse("<{{arg1}}|!{run {{args}}}|@{f}>").unwrap();
        let expanded = expand(&template, &args(&[&arg])).unwrap();
        let mut lines = Vec::new();
        let performed = perform(&expanded, root.path(), |line| {
            lines.push(line.into_encoded_bytes());
            Ok(said(&output))
        }).unwrap();
        let kept = output.trim_end_matches(['\r', '\n']);
        prop_assert_eq!(performed.text, format!("<{arg}|{kept}|{file}>"));
        let line = [b"run ".as_slice(), &quote(arg.as_bytes())].concat();
        prop_assert_eq!(lines, vec![line]);
    }

    #[test]
    fn any_template_is_taken_apart_or_refused(text in hostile(), arg in hostile()) {
        if let Ok(template) = Template::parse(&text) {
            let _ = expand(&template, &args(&[&arg]));
        }
    }
}

/// What the shell makes of a line, as the words that a program gets.
fn words_of(script: &[u8]) -> Vec<u8> {
    let script = OsString::from_vec(script.to_vec());
    let run = Command::new("/bin/sh").arg("-c").arg(script).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    run.stdout
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn quoting_holds_for_every_string_of_bytes(
        words in prop::collection::vec(prop::collection::vec(1..=255u8, 0..24), 1..5),
    ) {
        for (template, between) in [
            ("!{printf '%s\\0' {{args}}}", None),
            ("!{printf '%s\\0' \"<{{args}}>\"}", Some(())),
            ("!{printf '%s\\0' '<{{args}}>'}", Some(())),
            ("!{printf '%s\\0' $(printf %s {{args}} >/dev/null)x}", Some(())),
        ] {
            let own: Vec<OsString> = words.iter().cloned().map(OsString::from_vec).collect();
            let expanded = expand(&Template::parse(template).unwrap(), &own).unwrap();
            let got = words_of(expanded.lines().next().unwrap());
            let expected = match (between, template.contains("/dev/null")) {
                (None, _) => words.iter().flat_map(|word| [word.as_slice(), b"\0"].concat()).collect(),
                (Some(()), false) => [b"<".as_slice(), &words.join(&b' '), b">\0"].concat(),
                (Some(()), true) => b"x\0".to_vec(),
            };
            prop_assert_eq!(got, expected, "{}", template);
        }
    }
}
