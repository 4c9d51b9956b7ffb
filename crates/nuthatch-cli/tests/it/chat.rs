//! `nuthatch chat`, by a pipe and on a real terminal.

use std::sync::{Mutex, mpsc};

use nuthatch_testkit::scripted::Answer;
use serde_json::json;

use crate::agents::{agent, with_echo, with_model};
use crate::sandbox::assert_recorded;

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = with_echo().transcript(&[
        "echo hello | nuthatch chat --yes --session monday echo",
        "echo again | nuthatch chat --yes --session monday --json echo",
        "printf '/help\\n/memory add uses tabs\\n/memory\\n/memory search tabs\\n/nonsense\\n/quit\\nnever said\\n' | nuthatch chat --yes echo",
    ]);
    assert_recorded("chat", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = with_echo();
    sandbox.line("chat nobody").fails(3, "there is no agent nobody");
    sandbox.line("chat --json echo").fails_in_json(5, "denied", "nobody allowed that");
    sandbox.line("chat --yes --session ../x echo").fails(2, "not a session of a chat");
    let ran = sandbox.run_with_stdin(&["chat", "--yes", "echo"], b"\xFF\xFE\n");
    ran.fails(2, "not UTF-8");
}

#[test]
fn tools_remember_note_and_recall_and_a_session_goes_on() {
    let (sandbox, server) = with_model(|at, _| match at {
        0 => Answer::call("save_memory", json!({"content": "the port is 5433"})),
        1 => Answer::call("save_session_context", json!({"content": "the server is up"})),
        2 => Answer::call("recall", json!({"query": "port"})),
        3 => Answer::text("It is 5433."),
        _ => Answer::text("As I said."),
    });
    agent(&sandbox, "helper", "You help.");
    let ran = sandbox
        .run_with_stdin(&["chat", "--session", "s1", "helper"], b"which port?\nand the server?\n");
    assert_eq!(ran.ok().stdout, "It is 5433.\nAs I said.\n");
    let asked = server.asked();
    let tools = ["save_memory", "save_session_context", "recall", "ask_user", "shell"];
    assert_eq!(asked[0].tools(), tools);
    let recalled = asked[3].messages().last().unwrap().1.clone();
    assert!(recalled.contains("the port is 5433"), "{recalled}");
    let system = asked[4].system();
    assert!(system.ends_with("- [discovery] the server is up"), "{system}");
    let listed = sandbox.line("list --json").ok().json();
    assert_eq!(listed["memories"][0]["content"], "the port is 5433");
    assert_eq!(listed["memories"][0]["origin"], "agent");
    sandbox.run_with_stdin(&["chat", "--session", "s1", "helper"], b"hello again\n").ok();
    let system = server.asked()[5].system();
    assert!(system.contains("- Goal: which port?") && system.contains("Output: It is 5433."));
    assert!(!system.contains("the server is up"), "session context ends with the session");
}

#[test]
fn what_the_model_cannot_do_is_told_to_it_and_a_failure_does_not_end_the_talk() {
    let (sandbox, server) = with_model(|at, _| match at {
        0 => Answer::call("shell", json!({"command": "rm -rf /"})),
        1 => Answer::call("launch_rocket", json!({})),
        2 => Answer::call("shell", json!({"command": "ls #\u{202E}\r"})),
        3 => Answer::call("shell", json!({"command": "true\n".repeat(300)})),
        4 => Answer::Status(400, ""),
        _ => Answer::text("fine"),
    });
    agent(&sandbox, "helper", "You help.");
    let ran = sandbox.run_with_stdin(&["chat", "helper"], b"first\nsecond\n").ok();
    assert!(ran.stderr.contains("does not take the request") && ran.stdout.contains("fine"));
    let asked = server.asked();
    assert!(asked[1].messages().last().unwrap().1.contains("did not approve"));
    assert!(asked[2].messages().last().unwrap().1.contains("no such tool"));
    for unreadable in &asked[3..5] {
        let told = unreadable.messages().last().unwrap().1.clone();
        assert!(told.contains("cannot read that command"), "{told}");
    }
    assert_eq!(asked[5].messages(), [("user".to_owned(), "second".to_owned())]);
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_one_types_answers_approves_interrupts_and_goes_on() {
    let (reached, wait) = mpsc::channel();
    let reached = Mutex::new(reached);
    let (sandbox, server) = with_model(move |at, _| match at {
        0 => Answer::call("ask_user", json!({"question": "Which colour?"})),
        1 => Answer::text("Green it is."),
        2 => Answer::call("shell", json!({"command": "echo ran > ran.txt; echo printed"})),
        3 => Answer::text("It ran."),
        4 => {
            let _ = reached.lock().unwrap().send(());
            Answer::Silence
        }
        5 => Answer::call("shell", json!({"command": "touch begun; sleep 300; touch outlived"})),
        _ => Answer::text("Still here."),
    });
    agent(&sandbox, "helper", "You help.");
    let mut terminal = sandbox.terminal("nuthatch chat --session s1 helper");
    terminal.after("> ", "paint it\r");
    terminal.at("Which colour?", "? ", "green\r");
    terminal.at("Green it is.", "> ", "run it\r");
    terminal.at("[y/N]", "? ", "y\r");
    terminal.at("It ran.", "> ", "wait for it\r");
    // Only then nobody edits a line any more, and Ctrl-C stops the answer.
    wait.recv().unwrap();
    terminal.types("\u{3}");
    terminal.at("never said", "> ", "run it for long\r");
    terminal.at("[y/N]", "? ", "y\r");
    while !sandbox.work().join("begun").exists() {
        std::thread::yield_now();
    }
    terminal.types("\u{3}");
    terminal.at("never said", "> ", "are you there\r");
    terminal.at("Still here.", "> ", "\u{4}");
    let shown = terminal.end();
    assert!(shown.contains("session s1"), "{shown}");
    let asked = server.asked();
    assert!(asked[1].messages().last().unwrap().1.contains("green"));
    assert!(asked[3].messages().last().unwrap().1.contains("printed"), "{:?}", asked[3].messages());
    assert_eq!(std::fs::read_to_string(sandbox.work().join("ran.txt")).unwrap(), "ran\n");
    let said: Vec<String> = asked[6].messages().into_iter().map(|(_, text)| text).collect();
    assert!(!said.contains(&"wait for it".to_owned()), "{said:?}");
    let history = sandbox.line("history show s1 --json").ok().json();
    assert_eq!(history["interactions"].as_array().unwrap().len(), 3);
    let mut again = sandbox.terminal("nuthatch chat --session s1 helper");
    again.after("> ", "hello\r");
    again.at("Still here.", "> ", "\u{4}");
    again.end();
    assert!(server.asked()[7].system().contains("Goal: paint it"));
    assert!(!sandbox.work().join("outlived").exists());
}
