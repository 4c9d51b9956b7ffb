//! `nuthatch sessions`: sessions of other agents, listed, taken in, followed and forgotten.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::canary::{assert_no_bytes, secret};
use crate::sandbox::{Sandbox, assert_recorded};

const ID: &str = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";

fn line(seq: usize, kind: &str, folder: &str, content: &Value) -> String {
    let parent = seq.checked_sub(1).map(|before| format!("u{before}"));
    let time = format!("2026-03-01T10:00:{seq:02}.000Z");
    let line = json!({
        "type": kind, "uuid": format!("u{seq}"), "parentUuid": parent, "sessionId": ID,
        "cwd": folder, "timestamp": time, "message": {"content": content},
    });
    format!("{line}\n")
}

fn talk(folder: &str, from: usize, to: usize) -> String {
    let said = |seq: usize| match seq % 2 {
        0 => line(seq, "user", folder, &json!(format!("ship{seq} sails to harbour{seq}?"))),
        _ => line(
            seq,
            "assistant",
            folder,
            &json!([{"type": "text", "text": format!("yes, {seq}")}]),
        ),
    };
    (from..to).map(said).collect()
}

/// A session of Claude Code in the home folder.
fn put(sandbox: &Sandbox, id: &str, text: &str) -> PathBuf {
    let folder = sandbox.home().join(".claude/projects/-work");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{id}.jsonl"));
    fs::write(&path, text).unwrap();
    path
}

fn import(sandbox: &Sandbox) -> Value {
    sandbox.line("sessions import --all --later --json").ok().json()
}

fn states(sandbox: &Sandbox) -> Vec<(String, String, u64)> {
    let listed = sandbox.line("sessions list --all --json").ok().json();
    let row = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("id"), text("state"), row["turns"].as_u64().unwrap())
    };
    listed["sessions"].as_array().unwrap().iter().map(row).collect()
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.write("s.jsonl", &(talk("/nowhere", 0, 3) + "nonsense\n"));
    let transcript = sandbox.transcript(&[
        "nuthatch sessions list",
        "nuthatch sessions import --later s.jsonl",
        "nuthatch sessions import --later --json s.jsonl",
        "nuthatch sessions show s --at 1",
        "nuthatch sessions show s#2 --json --limit 1",
        "nuthatch sessions search --quiet nothing of the kind",
    ]);
    assert_recorded("sessions", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("sessions show").fails(2, "required");
    sandbox.line("sessions list nowhere.jsonl").fails(3, "there is no nowhere.jsonl");
    sandbox.line("sessions list --agent clippy").fails(2, "no agent is called \"clippy\"");
    sandbox.write("notes.jsonl", "{}\n");
    sandbox.line("sessions import notes.jsonl").fails(2, "no agent's session is in notes.jsonl");
    sandbox.line("sessions show --json nothing").fails_in_json(
        3,
        "not_found",
        "no session nothing",
    );
}

#[test]
fn a_live_session_is_followed_and_an_unchanged_one_is_not_read_again() {
    let sandbox = Sandbox::new();
    let work = sandbox.work().display().to_string();
    let path = put(&sandbox, ID, &talk(&work, 0, 4));
    assert_eq!(states(&sandbox), [(ID.to_owned(), "new".to_owned(), 4)]);
    let first = import(&sandbox);
    assert_eq!((&first["turns"], &first["unchanged"]), (&json!(4), &json!(0)));
    assert_eq!(
        (&import(&sandbox)["turns"], &import(&sandbox)["unchanged"]),
        (&json!(0), &json!(1))
    );
    fs::write(&path, talk(&work, 0, 6)).unwrap();
    assert_eq!(states(&sandbox)[0].1, "changed");
    assert_eq!(import(&sandbox)["turns"], 2);
    assert_eq!(states(&sandbox), [(ID.to_owned(), "imported".to_owned(), 6)]);
    let shown = sandbox.line(&format!("sessions show {ID} --json")).ok().json();
    assert_eq!(shown["turns"].as_array().unwrap().len(), 6);
    fs::remove_file(&path).unwrap();
    assert_eq!(states(&sandbox)[0].1, "gone");
}

#[test]
fn what_was_said_is_found_with_its_session_and_place() {
    let sandbox = Sandbox::new();
    put(&sandbox, ID, &talk(&sandbox.work().display().to_string(), 0, 4));
    sandbox.line("sessions import --later").ok();
    let found = sandbox.line("sessions search --json ship2 harbour2").ok().json();
    let hit = &found["hits"][0];
    assert_eq!((&hit["session_id"], &hit["seq"]), (&json!(ID), &json!(2)));
    assert_eq!(hit["created_at"], "2026-03-01T10:00:02Z");
    let also = sandbox.line("recall --json --include sessions ship2 harbour2").ok().json();
    assert_eq!(also["hits"][0]["seq"], 2);
}

#[test]
fn a_session_of_another_project_is_not_taken_in_unasked() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.repository("one"), sandbox.repository("two"));
    put(&sandbox, ID, &talk(&one.display().to_string(), 0, 2));
    let there = sandbox.sh_in(&two, "nuthatch sessions import --later --json").ok().json();
    assert_eq!(there["turns"], 0);
    let here = sandbox.sh_in(&one, "nuthatch sessions import --later --json").ok().json();
    assert_eq!(here["turns"], 2);
    let find = "nuthatch sessions search --json ship0 harbour0";
    assert_eq!(sandbox.sh_in(&two, find).ok().json()["hits"], json!([]));
    assert_eq!(sandbox.sh_in(&one, find).ok().json()["hits"][0]["seq"], 0);
}

#[test]
fn a_forgotten_session_does_not_come_back_while_its_file_exists() {
    let sandbox = Sandbox::new();
    put(&sandbox, ID, &talk(&sandbox.work().display().to_string(), 0, 2));
    assert_eq!(import(&sandbox)["turns"], 2);
    sandbox.line(&format!("forget --session {ID} --yes")).ok();
    assert_eq!(states(&sandbox)[0].1, "forgotten");
    let again = import(&sandbox);
    assert_eq!((&again["turns"], &again["forgotten"]), (&json!(0), &json!(1)));
    let ledger = fs::read_to_string(sandbox.data().join("imported-sessions")).unwrap();
    assert!(!ledger.contains("0a1b2c3d") && ledger.lines().count() == 1, "{ledger}");
    let anyway = sandbox.line("sessions import --all --later --again --json").ok().json();
    assert_eq!(anyway["turns"], 2);
}

#[test]
fn secrets_in_a_session_are_struck_out_and_an_unreadable_one_holds_nobody_up() {
    let sandbox = Sandbox::new();
    let work = sandbox.work().display().to_string();
    let token = secret();
    let leak = line(0, "user", &work, &json!(format!("use the token {token} for the harbour")));
    let path = put(&sandbox, ID, &leak);
    let other = "11111111-1111-4111-8111-111111111111";
    let folder = put(&sandbox, other, "{}\n");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let shown = sandbox.line(&format!("sessions show {ID}")).ok();
    assert!(!shown.stdout.contains(&token), "{}", shown.stdout);
    assert_eq!(import(&sandbox)["turns"], 1);
    fs::remove_file(path).unwrap();
    assert_no_bytes(&sandbox.home(), token.as_bytes());
}

#[test]
fn all_stores_keep_the_watermark() {
    for store in ["sqlite:m.db", "markdown:notes", "json:m.json"] {
        let sandbox = Sandbox::new();
        put(&sandbox, ID, &talk(&sandbox.work().display().to_string(), 0, 3));
        let import = format!("sessions import --all --later --json --store {store}");
        assert_eq!(sandbox.line(&import).ok().json()["turns"], 3, "{store}");
        assert_eq!(sandbox.line(&import).ok().json()["unchanged"], 1, "{store}");
    }
}
