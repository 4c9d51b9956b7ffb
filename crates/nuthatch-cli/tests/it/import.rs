//! `nuthatch import`.

use crate::canary::{assert_no_bytes, secret};
use crate::sandbox::{Sandbox, assert_recorded};

const FACTS: &str =
    r#"[{"fact": "uses tabs", "category": "preference"}, {"fact": "likes tea"}, {}]"#;
const TALK: &str = r#"[{"uuid": "u", "name": "Tea", "created_at": "2026-03-01T10:00:00Z",
    "chat_messages": [{"sender": "human", "text": "which tea grows here"}]}]"#;

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("memory.json", FACTS);
    sandbox.write("export/conversations.json", TALK);
    sandbox.write("notes.md", "## user\n\n- [preference] **editor**: uses tabs\n");
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch import --dry-run memory.json",
        "nuthatch import --later memory.json",
        "nuthatch import --later --json memory.json",
        "nuthatch import --later export",
        "nuthatch list --json --limit 1",
    ]);
    assert_recorded("import", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = stocked();
    sandbox.line("import none.json").fails(3, "cannot read");
    sandbox.line("import --format nonsense memory.json").fails(2, "unknown format");
    sandbox.line("import --format mif memory.json").fails(2, "MIF");
    sandbox.line("import --format jsonl memory.json").fails(2, "export of nuthatch");
    sandbox.line("import --json --scope nowhere x").fails_in_json(2, "invalid", "not a scope");
    sandbox.write("blob", "\0\0\0");
    sandbox.line("import blob").fails(2, "no format that is known");
    sandbox.line("remember uses tabs --store own.db").ok();
    sandbox.line("import own.db").fails(2, "a store of nuthatch");
    assert_eq!(sandbox.line("stats --json").ok().json()["memories"], 0);
}

#[test]
fn what_comes_in_names_where_it_is_from_and_comes_once() {
    let sandbox = stocked();
    for (path, memories) in [("memory.json", 2), ("notes.md", 1)] {
        let first = sandbox.run(&["import", "--json", "--later", path]).ok().json();
        assert_eq!(first["taken"]["memories"], memories, "{first}");
        let again = sandbox.run(&["import", "--json", "--later", path]).ok().json();
        assert_eq!(again["taken"]["memories"], 0, "{again}");
        assert_eq!(again["already"]["memories"], memories, "{again}");
    }
    let memory = sandbox.line("show --json editor").ok().json()["memory"].clone();
    assert_eq!((&memory["origin"], &memory["scope"]), (&"imported".into(), &"user".into()));
    assert_eq!(
        (&memory["source"]["place"], &memory["trust"]),
        (&"notes.md".into(), &"observed".into())
    );
    let piped = sandbox.run_with_stdin(&["import", "--json", "--later", "-"], FACTS.as_bytes());
    assert_eq!(piped.ok().json()["already"]["memories"], 2);
}

#[test]
fn a_dry_run_stores_nothing() {
    let sandbox = stocked();
    for path in ["memory.json", "export", "notes.md"] {
        let told = sandbox.run(&["import", "--dry-run", "--json", path]).ok().json();
        assert_eq!(told["dry_run"], true, "{told}");
    }
    let stats = sandbox.line("stats --json").ok().json();
    assert_eq!((&stats["memories"], &stats["sessions"]), (&0.into(), &0.into()));
}

#[test]
fn secrets_are_refused_or_struck_out_and_never_repeated() {
    let sandbox = stocked();
    let facts = format!("[{{\"fact\": \"the token is {}\"}}, \"fine\"]", secret());
    let talk = TALK.replace("which tea", &format!("the token is {} and", secret()));
    let run =
        |text: &str| sandbox.run_with_stdin(&["import", "--json", "--later", "-"], text.as_bytes());
    let ran = run(&facts).ok();
    assert!(!ran.stdout.contains(&secret()[4..]), "{ran:?}");
    let refused = ran.json()["refused"].as_object().unwrap().clone();
    assert_eq!(refused.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), 1);
    assert_eq!(run(&talk).ok().json()["redacted"], 1);
    assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
}

#[test]
fn an_export_of_somebody_else_is_trusted_no_more_than_an_agent() {
    let sandbox = stocked();
    sandbox.line("remember --key editor --pin uses tabs").ok();
    sandbox.line("export --output theirs.jsonl").ok();
    sandbox.line("import --untrusted --later --store mine.db theirs.jsonl").ok();
    let memory = sandbox.line("show --json editor --store mine.db").ok().json()["memory"].clone();
    assert_eq!((&memory["origin"], &memory["trust"]), (&"imported".into(), &"observed".into()));
    assert_eq!(
        (&memory["pinned"], &memory["source"]["place"]),
        (&false.into(), &"theirs.jsonl".into())
    );
}

#[test]
fn half_a_file_is_taken_in_and_said_to_be_half() {
    let sandbox = stocked();
    sandbox.line("remember uses tabs").ok();
    sandbox.line("remember likes tea").ok();
    sandbox.line("export --output whole.jsonl").ok();
    let whole = std::fs::read_to_string(sandbox.work().join("whole.jsonl")).unwrap();
    let half: Vec<&str> = whole.lines().take(2).collect();
    sandbox.write("half.jsonl", &(half.join("\n") + "\n{\"memo"));
    let ran = sandbox.line("import --json --later --store new.db half.jsonl");
    assert_eq!((ran.code, &ran.json()["taken"]["memories"]), (2, &1.into()), "{ran:?}");
    assert!(ran.json()["broken"].as_str().unwrap().contains("breaks off"));
}
