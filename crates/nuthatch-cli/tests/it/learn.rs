//! `nuthatch learn`.

use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = Sandbox::new().transcript(&[
        "nuthatch learn list",
        "nuthatch learn mistake ran the migration twice --fix 'check schema_version first'",
        "nuthatch learn strategy bisect with the smallest failing test",
        "nuthatch learn strategy bisect with the very smallest failing test",
        "nuthatch learn list",
        "nuthatch learn preference --json answers in short sentences",
    ]);
    assert_recorded("learn", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("learn mistake it broke").fails(2, "needs what mends it");
    sandbox.line("learn helpful nothing").fails(3, "no memory has the id or key");
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox.line("learn helpful editor").fails(2, "is no lesson");
    sandbox.line("learn --json harmful editor").fails_in_json(2, "invalid", "is no lesson");
}

#[test]
fn what_helped_comes_first_and_what_harmed_is_left_out() {
    let sandbox = Sandbox::new();
    let ids: Vec<String> = ["cache the token", "write tests first", "deploy on fridays"]
        .iter()
        .map(|text| {
            let learned = sandbox.run(&["learn", "strategy", "--json", text]).ok().json();
            learned["memory"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    sandbox.run(&["learn", "helpful", &ids[1]]).ok();
    sandbox.run(&["learn", "harmful", &ids[2]]).ok();
    let listed = sandbox.line("learn list --json").ok().json();
    let texts: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["write tests first", "cache the token"]);
    let context = sandbox.line("context a").ok().stdout;
    assert!(context.contains("## Learned before") && !context.contains("fridays"), "{context}");
    assert_eq!(context.matches("write tests first").count(), 1, "{context}");
}

#[test]
fn a_secret_is_not_learnt() {
    let tail: String = ('a'..='z').chain('A'..='J').collect();
    let token = format!("{}{}{tail}", "gh", "p_");
    let sandbox = Sandbox::new();
    let text = format!("push with {token}");
    sandbox.run(&["learn", "strategy", &text]).fails(5, "holds a secret");
    sandbox.run(&["learn", "mistake", "it broke", "--fix", &text]).fails(5, "holds a secret");
    crate::canary::assert_no_bytes(&sandbox.root(), &token.as_bytes()[4..]);
}
