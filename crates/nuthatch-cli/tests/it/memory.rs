//! `nuthatch memory`: sessions where an agent leaves them, documents where they belong.

mod misbehaving;
mod servers;
pub(crate) mod talks;

use std::collections::BTreeMap;
use std::process::Stdio;

use nuthatch_testkit::scripted::Answer;
use serde_json::Value;

use crate::agents::with_model;
use crate::sandbox::{NUTHATCH, Ran, Sandbox, assert_recorded};
use talks::{DAY, HOUR, session};

/// A model that finds nothing more than the rules do.
const NOTHING: &str = "{\"memories\": [], \"synopsis\": \"\", \"entries\": []}";

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    session(&sandbox, 1, 2 * DAY, &["remember that the staging server uses port 8443"]);
    session(&sandbox, 2, HOUR, &["hello"]);
    let transcript = sandbox.transcript(&[
        "nuthatch memory status | grep -v '^documents'",
        "nuthatch memory run --dry-run",
        "nuthatch memory run | sed 's/of [0-9a-f]*:/of PROJECT:/'",
        "nuthatch memory run | sed 's/of [0-9a-f]*:/of PROJECT:/'",
        "nuthatch memory log | sed 's/[0-9-]* [0-9:]*  /TIME  /; s/[0-9]* characters/N characters/'",
        "nuthatch memory undo",
        "nuthatch memory spend",
        "nuthatch memory clear --yes",
        "nuthatch memory view",
    ]);
    assert_recorded("memory", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("memory nonsense").fails(2, "unrecognized subcommand");
    sandbox.line("memory undo").fails(3, "no documents yet");
    sandbox.line("memory undo --json").fails_in_json(3, "not_found", "no documents yet");
    sandbox.line("memory diff 4 5").fails(3, "there is no generation");
    sandbox.line("memory clear").fails(2, "nobody can be asked");
    sandbox.line("memory rebuild").fails(3, "nothing to make documents of");
    sandbox.configure("[models.default]\nprovider = \"openai\"\n");
    sandbox.line("memory run").fails(2, "has no name");
}

fn counted(skipped: &Value) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for one in skipped.as_array().unwrap() {
        *reasons.entry(one["reason"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    reasons
}

/// A place with 70 sessions, one of them done and unchanged, one of them done and changed.
fn seventy() -> (Sandbox, nuthatch_testkit::scripted::ScriptedServer) {
    let (sandbox, server) = with_model(|_, _| Answer::text(NOTHING));
    let port = |n: u64| format!("remember that the staging server uses port {}", 8000 + n);
    session(&sandbox, 1, 3 * DAY, &[&port(1)]);
    session(&sandbox, 2, 3 * DAY, &[&port(2)]);
    let first = sandbox.line("memory run --json").ok().json();
    assert_eq!(first["sessions"].as_array().unwrap().len(), 2, "{first}");
    session(&sandbox, 2, 2 * DAY, &[&port(2), &port(102)]);
    session(&sandbox, 3, 31 * DAY, &[&port(3)]);
    session(&sandbox, 4, 2 * HOUR, &[&port(4)]);
    session(&sandbox, 5, 0, &[&port(5)]);
    for n in 6..=70 {
        session(&sandbox, n, 2 * DAY + n * HOUR, &[&port(n)]);
    }
    (sandbox, server)
}

#[test]
fn seventy_sessions_give_exactly_the_expected_jobs_and_reasons() {
    let (sandbox, server) = seventy();
    let before = server.asked().len();
    let looked = sandbox.line("memory run --dry-run --json").ok().json();
    assert_eq!(looked["sessions"].as_array().unwrap().len(), 64);
    assert_eq!(server.asked().len(), before, "looking asks nobody");
    let ran = sandbox.line("memory run --json").ok().json();
    assert_eq!(ran["sessions"].as_array().unwrap().len(), 64, "64 means 64");
    let failed: Vec<&Value> =
        ran["sessions"].as_array().unwrap().iter().filter(|one| one["error"].is_string()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let expected = [("done", 1), ("over_cap", 2), ("running", 1), ("too_fresh", 1), ("too_old", 1)];
    let expected = expected.map(|(reason, count)| (reason.to_owned(), count));
    assert_eq!(counted(&ran["skipped"]), BTreeMap::from(expected));
    let status = sandbox.line("memory status --json").ok().json();
    let done = status["jobs"].as_array().unwrap().iter().filter(|job| job["state"] == "done");
    assert_eq!(done.count(), 65 + 1, "1 and 2, 63 more, and the documents");
    let next = sandbox.line("memory run --json").ok().json();
    assert_eq!(next["sessions"].as_array().unwrap().len(), 2, "what was over the cap comes next");
    let asked = server.asked().len();
    let quiet = sandbox.line("memory run --json").ok().json();
    assert_eq!((quiet["tokens"].as_u64(), server.asked().len()), (Some(0), asked));
    let memories = sandbox.line("list --json --limit 500 --scope project").ok().json();
    assert_eq!(memories["total"], 68, "66 sessions, one of them with two, and the first");
}

fn begin(sandbox: &Sandbox) -> std::process::Child {
    let mut command = sandbox.command(NUTHATCH);
    command.args(["memory", "run", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn processes_at_the_same_time_do_nothing_twice() {
    let (sandbox, server) = with_model(|_, asked| {
        let is_extraction = asked.system().contains("session");
        Answer::text(if is_extraction { NOTHING } else { "{\"entries\": []}" })
    });
    for n in 1..=12 {
        let text = format!("remember that the staging server uses port {}", 8000 + n);
        session(&sandbox, n, 2 * DAY + n * HOUR, &[&text]);
    }
    let running: Vec<_> = (0..3).map(|_| begin(&sandbox)).collect();
    let mut done = 0;
    for child in running {
        let answer = Ran::of(child.wait_with_output().unwrap()).ok().json();
        done += answer["sessions"].as_array().unwrap().len();
    }
    assert_eq!(done, 12);
    let read: Vec<String> = server
        .asked()
        .iter()
        .flat_map(|asked| asked.messages())
        .filter(|(_, text)| text.contains("uses port") && text.contains("\"seq\""))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(read.len(), 12, "each session was sent once");
    let memories = sandbox.line("list --json --limit 500 --scope project").ok().json();
    assert_eq!(memories["total"], 12);
}

#[test]
fn what_was_learnt_is_put_in_read_and_recalled() {
    let sandbox = Sandbox::new();
    session(&sandbox, 1, 2 * DAY, &["remember that the staging server uses port 8443"]);
    sandbox.line("memory run").ok();
    let view = sandbox.line("memory view").ok().stdout;
    assert!(view.contains("8443") && view.contains("<memory-"), "{view}");
    for address in ["memory://root", "memory://root/MEMORY.md"] {
        assert!(sandbox.run(&["read", address]).ok().stdout.contains("8443"), "{address}");
    }
    assert!(sandbox.line("recall staging port").ok().stdout.contains("8443"));
    let id = sandbox.line("list --json --scope project").ok().json()["memories"][0]["id"].clone();
    let read = sandbox.run(&["read", &format!("memory://{}", id.as_str().unwrap())]).ok().stdout;
    assert!(read.contains("8443"));
    sandbox.run(&["forget", id.as_str().unwrap()]).ok();
    crate::canary::assert_no_bytes(&sandbox.data().join("memories"), b"8443");
    sandbox.line("memory run").ok();
    assert_eq!(sandbox.line("list --json --scope project").ok().json()["total"], 0);
    // What was said is still there, until its session is forgotten.
    let session = "00000000-0000-4000-8000-000000000001";
    let listed = sandbox.line("sessions list --json").ok().json();
    assert_eq!(listed["sessions"][0]["state"], "imported", "{listed}");
    sandbox.run(&["forget", "--session", session, "--yes"]).ok();
    crate::canary::assert_no_bytes(&sandbox.data(), b"8443");
    sandbox.line("memory run").ok();
    let listed = sandbox.line("sessions list --json").ok().json();
    assert_eq!(listed["sessions"][0]["state"], "forgotten", "{listed}");
    crate::canary::assert_no_bytes(&sandbox.data(), b"8443");
}

#[test]
fn what_steps_and_crafts_completed_is_a_job_and_leaves_the_queue() {
    let said = "I found that the deploy needs a clean tree.";
    let (sandbox, _server) = with_model(move |_, asked| {
        let is_agent = asked.system().starts_with("You help.");
        Answer::text(if is_agent { said } else { NOTHING })
    });
    crate::agents::agent(&sandbox, "helper", "You help.");
    let task = "[[tasks]]\nid = \"a\"\nagent = \"helper\"\nprompt = \"Look.\"\n";
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", &format!("title = \"One\"\n{task}"));
    sandbox.line("step helper look around").ok();
    sandbox.line("craft --quiet REQ-1").ok();
    let queue = sandbox.work().join(".nuthatch/_internals/writeback");
    let waiting = std::fs::read_dir(&queue).unwrap().count();
    assert!(waiting >= 2, "{waiting}");
    let ran = sandbox.line("memory run --json").ok().json();
    let sessions = ran["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), waiting, "{ran}");
    assert!(sessions.iter().all(|one| one["agent"] == "nuthatch" && one["error"].is_null()));
    assert_eq!(std::fs::read_dir(&queue).unwrap().count(), 0);
    let status = sandbox.line("memory status --json").ok().json();
    let jobs = status["jobs"].as_array().unwrap().iter();
    let done = jobs.filter(|job| job["kind"] == "writeback" && job["state"] == "done");
    assert_eq!(done.count(), waiting, "{status}");
    let memories = sandbox.line("list --json --scope project").ok().json();
    assert_eq!(memories["total"], 0, "what an agent says is nobody's own words: {memories}");
}

#[test]
fn a_chat_that_ended_is_learnt_from_and_leaves_the_queue() {
    let (sandbox, _server) = with_model(|_, _| Answer::text(NOTHING));
    crate::agents::agent(&sandbox, "helper", "You help.");
    let said = b"remember that the staging server uses port 8443\n";
    sandbox.run_with_stdin(&["chat", "helper"], said).ok();
    let queue = sandbox.work().join(".nuthatch/_internals/writeback");
    assert!(std::fs::read_dir(&queue).unwrap().count() > 0);
    let ran = sandbox.line("memory run --json").ok().json();
    assert_eq!(ran["sessions"][0]["agent"], "nuthatch", "{ran}");
    assert_eq!(std::fs::read_dir(&queue).unwrap().count(), 0);
    assert!(sandbox.line("recall staging port --json").ok().stdout.contains("8443"));
}
