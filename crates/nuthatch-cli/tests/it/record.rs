//! `nuthatch record`, and embedding that follows behind it and is killed on the way.

use std::process::Child;

use serde_json::{Value, json};

use crate::canary::{assert_no_bytes, secret};
#[cfg(target_os = "linux")]
use crate::doors::Served;
use crate::sandbox::{NUTHATCH, Sandbox, assert_recorded};

fn line(session: &str, seq: usize, text: &str) -> String {
    let time = "2026-03-01T10:00:00Z";
    let role = if seq.is_multiple_of(2) { "user" } else { "assistant" };
    let line = json!({"session": session, "seq": seq, "time": time, "role": role, "text": text});
    format!("{line}\n")
}

/// A conversation in which every turn says something else.
fn talk(turns: usize) -> String {
    (0..turns).map(|n| line("long-talk", n, &format!("ship{n} sails to harbour{n}"))).collect()
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    sandbox.write("talk.jsonl", &(line("a", 0, "which port?") + &line("a", 1, "it is 5433")));
    sandbox.write("bad.jsonl", &(line("b", 0, "before") + "{\n" + &line("b", 2, "behind")));
    let transcript = sandbox.transcript(&[
        "nuthatch record talk.jsonl",
        "nuthatch record --json talk.jsonl",
        "nuthatch record bad.jsonl",
        "nuthatch record --skip-bad bad.jsonl",
        "nuthatch stats",
    ]);
    assert_recorded("record", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("record").fails(2, "required");
    sandbox.line("record nowhere.jsonl").fails(3, "nowhere.jsonl");
    sandbox.line("record .").fails(6, "it is a folder");
    sandbox.write("bad.jsonl", "{}\n");
    let ran = sandbox.line("record --json bad.jsonl");
    assert_eq!((ran.code, &ran.json()["error"]["kind"]), (2, &json!("invalid")));
    let ran = sandbox.run_with_stdin(&["record", "-"], b"\xff\xfe\n");
    ran.fails(2, "standard input, line 1: the line is not UTF-8 text");
}

#[test]
fn what_stands_before_a_bad_line_is_kept_and_the_mended_file_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.write("talk.jsonl", &(talk(5) + "nonsense\n"));
    sandbox.line("record talk.jsonl").fails(2, "talk.jsonl, line 6: not JSON");
    assert_eq!(stats(&sandbox)["turns"], 5);
    sandbox.write("talk.jsonl", &talk(7));
    let told = sandbox.line("record --json talk.jsonl").ok().json();
    assert_eq!((&told["turns"], &told["sessions"]), (&json!(7), &json!(1)));
    assert_eq!(stats(&sandbox)["turns"], 7);
}

#[test]
fn a_recording_in_a_project_is_the_projects() {
    let sandbox = Sandbox::new();
    let (here, there) = (sandbox.repository("here"), sandbox.repository("there"));
    let file = sandbox.write("talk.jsonl", &line("s", 0, "the lighthouse keeper"));
    let file = file.to_str().unwrap();
    sandbox.run_in(&here, &["record", "--agent", "codex", file]).ok();
    let hits = |folder| sandbox.run_in(folder, &["recall", "--json", "lighthouse"]).ok().json();
    assert_eq!(hits(&here)["hits"].as_array().unwrap().len(), 1);
    assert_eq!(hits(&there)["hits"].as_array().unwrap().len(), 0);
}

#[test]
fn a_secret_in_a_recording_is_struck_out_and_in_no_file() {
    for store in ["sqlite:memory.db", "markdown:notes", "json:memory.json"] {
        let sandbox = Sandbox::new().with_env("NUTHATCH_STORE", store);
        let text = line("s", 0, &format!("push with {} now", secret()));
        let ran = sandbox.run_with_stdin(&["record", "-"], text.as_bytes());
        assert!(!format!("{ran:?}").contains(&secret()[4..]));
        ran.ok();
        assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
        let hits = sandbox.line("recall --json push").ok().json();
        assert!(hits["hits"][0]["content"].as_str().unwrap().contains("[redacted:"), "{hits}");
        for option in ["--session", "--agent"] {
            let ran = sandbox.run_with_stdin(&["record", option, &secret(), "-"], b"");
            assert!(!format!("{ran:?}").contains(&secret()[4..]));
        }
    }
}

fn stats(sandbox: &Sandbox) -> Value {
    sandbox.line("stats --json").ok().json()
}

fn with_model() -> Sandbox {
    Sandbox::new().with_env("NUTHATCH_EMBEDDINGS_PROVIDER", "builtin")
}

/// How many wait for the model; all of them while it was never asked.
fn waiting(sandbox: &Sandbox, all: u64) -> u64 {
    stats(sandbox)["vectors"][0]["pending"].as_u64().unwrap_or(all)
}

fn begun(sandbox: &Sandbox, args: &[&str]) -> Child {
    sandbox.command(NUTHATCH).args(args).spawn().unwrap()
}

fn killed(mut child: Child) {
    // It may have ended by itself: then there is nothing to kill.
    let _ = child.kill();
    child.wait().unwrap();
}

fn is_whole(sandbox: &Sandbox, turns: u64) {
    let stats = stats(sandbox);
    let vectors = &stats["vectors"][0];
    assert_eq!((&vectors["pending"], &vectors["documents"]), (&json!(0), &json!(turns)), "{stats}");
    assert_eq!(vectors["passages"], turns);
    let doctor = sandbox.line("doctor --json").ok().json();
    assert_eq!(doctor["ok"], true, "{doctor}");
}

#[test]
fn embedding_that_is_killed_leaves_the_rest_waiting_and_the_next_goes_on() {
    const TURNS: u64 = 700;
    let sandbox = with_model();
    sandbox.write("talk.jsonl", &talk(TURNS as usize));
    sandbox.line("record --later talk.jsonl").ok();
    assert_eq!(waiting(&sandbox, TURNS), TURNS);
    for _ in 0..3 {
        let before = waiting(&sandbox, TURNS);
        let child = begun(&sandbox, &["--quiet", "reindex", "--missing"]);
        while before > 0 && waiting(&sandbox, TURNS) == before {}
        killed(child);
        let hits = sandbox.line("recall --json --mode text harbour77").ok().json();
        assert_eq!(hits["hits"][0]["seq"], 77, "{hits}");
    }
    let doctor = sandbox.line("doctor --json").ok().stdout;
    assert!(waiting(&sandbox, TURNS) == 0 || doctor.contains("wait for"), "{doctor}");
    sandbox.line("reindex --missing").ok();
    is_whole(&sandbox, TURNS);
}

#[test]
fn a_reindex_that_is_killed_loses_nothing_and_missing_ends_it() {
    const TURNS: u64 = 300;
    let sandbox = with_model();
    sandbox.write("talk.jsonl", &talk(TURNS as usize));
    sandbox.line("record --wait talk.jsonl").ok();
    is_whole(&sandbox, TURNS);
    for looks in 0..4 {
        let child = begun(&sandbox, &["--quiet", "reindex"]);
        for _ in 0..looks {
            let hits = sandbox.line("recall --json --mode text harbour77").ok().json();
            assert_eq!(hits["hits"][0]["seq"], 77, "{hits}");
        }
        killed(child);
    }
    sandbox.line("reindex --missing").ok();
    is_whole(&sandbox, TURNS);
}

#[test]
fn embedding_follows_in_the_background() {
    const TURNS: u64 = 80;
    let sandbox = with_model();
    sandbox.write("talk.jsonl", &talk(TURNS as usize));
    let told = sandbox.line("record --json talk.jsonl").ok().json();
    assert_eq!(told["embedding"]["waiting"], TURNS, "{told}");
    while waiting(&sandbox, TURNS) > 0 {}
    is_whole(&sandbox, TURNS);
}

/// Megabytes of a process in memory.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
#[cfg(target_os = "linux")]
fn who_recalls_by_words_alone_does_not_pay_for_the_model() {
    let sandbox = with_model();
    sandbox.write("talk.jsonl", &talk(20));
    sandbox.line("record --later talk.jsonl").ok();
    let served = Served::start(&sandbox);
    let ask = |mode: &str| {
        let request = json!({"query": "harbour7", "mode": mode});
        let (status, told) = served.ask("POST /v1/recall", &request);
        assert_eq!((status, &told["hits"][0]["seq"]), (200, &json!(7)), "{told}");
        resident(served.pid())
    };
    ask("text");
    let (words, both) = (ask("text"), ask("hybrid"));
    // The layers of the model are eleven megabytes, and every one is read for a query.
    assert!(both >= words + 8, "{words} MB by words, {both} MB with the model");
}
