//! `nuthatch craft`.

use std::process::Stdio;
use std::sync::{Arc, Mutex, mpsc};

use nuthatch_testkit::scripted::{Answer, Asked, ScriptedServer};

use crate::agents::{agent, with_echo, with_model};
use crate::sandbox::{NUTHATCH, Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = with_echo();
    sandbox.write(".nuthatch/agents/fails.toml", "engine = { command = [\"false\"] }\n");
    let task = |id: &str, agent: &str, after: &str| {
        format!(
            "[[tasks]]\nid = \"{id}\"\nagent = \"{agent}\"\nprompt = \"go\"\ndepends_on = [{after}]\n"
        )
    };
    let good = [task("a", "echo", ""), task("b", "echo", "\"a\"")].concat();
    let bad = [task("a", "fails", ""), task("b", "echo", "\"a\""), task("c", "echo", "")].concat();
    sandbox.write(".nuthatch/plan/GOOD/plan.toml", &good);
    sandbox.write(".nuthatch/plan/BAD/plan.toml", &bad);
    let transcript = sandbox.transcript(&[
        "nuthatch craft --yes --at-once 1 GOOD 2>&1",
        "nuthatch craft --yes --at-once 1 GOOD 2>&1",
        "nuthatch craft --yes --at-once 1 BAD 2>&1",
        "nuthatch craft --yes --quiet --json BAD",
        "nuthatch plan show BAD",
    ]);
    assert_recorded("craft", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = with_echo();
    sandbox.line("craft REQ-1").fails(3, "there is no plan REQ-1");
    sandbox.line("craft --json ../x").fails_in_json(
        2,
        "invalid",
        "not a project or requirement id",
    );
    sandbox.write(".nuthatch/plan/EMPTY/plan.toml", "title = \"x\"\n");
    sandbox.line("craft EMPTY").fails(2, "has no tasks");
    let circle = "[[tasks]]\nid = \"a\"\nagent = \"echo\"\ndepends_on = [\"a\"]\n";
    sandbox.write(".nuthatch/plan/CIRCLE/plan.toml", circle);
    sandbox.line("craft CIRCLE").fails(2, "depends on itself");
}

const PLAN: &str = r#"
title = "Sign in"
status = "active"

[[tasks]]
id = "design"
agent = "architect[input:spec.md]"
prompt = "Design it."

[[tasks]]
id = "server"
agent = "coder"
prompt = "Write the server."
depends_on = ["design"]

[[tasks]]
id = "page"
agent = "painter"
prompt = "Write the page."
depends_on = ["design"]

[[tasks]]
id = "review"
agent = "reviewer[tail:50]"
prompt = "Review it."
depends_on = ["server", "page"]
"#;

fn answer(asked: &Asked) -> Answer {
    Answer::text(format!("said to: {}", asked.messages()[0].1))
}

/// Four agents, a file, an architecture, a memory, a lesson.
fn project(
    script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static,
) -> (Sandbox, ScriptedServer) {
    let (sandbox, server) = with_model(script);
    for id in ["architect", "coder", "painter", "reviewer"] {
        agent(&sandbox, id, &format!("You are the {id}."));
    }
    sandbox.write("spec.md", "People sign in with a key.\n");
    sandbox.write(".nuthatch/architecture.md", "One binary.\n");
    sandbox.write(".nuthatch/plan/REQ-069/plan.toml", PLAN);
    sandbox.line("remember --category convention errors are lower case").ok();
    sandbox.line("learn strategy write the test first").ok();
    (sandbox, server)
}

/// The parts a request must have, in order, and those it must not have.
fn assert_has(asked: &Asked, parts: &[&str], not: &[&str]) {
    let system = asked.system();
    let mut from = 0;
    for part in parts {
        let at = system[from..].find(part);
        let at = at.unwrap_or_else(|| panic!("{part:?} is missing or out of order in {system}"));
        from += at + part.len();
    }
    for part in not {
        assert!(!system.contains(part), "{part:?} is in {system}");
    }
}

fn of<'a>(asked: &'a [Asked], prompt: &str) -> &'a Asked {
    asked.iter().find(|one| one.messages()[0].1 == prompt).expect(prompt)
}

#[test]
fn each_agent_gets_what_it_must_in_order_and_nothing_else() {
    let (sandbox, server) = project(|_, asked| answer(asked));
    let crafted = sandbox.line("craft --json --quiet REQ-069").ok().json();
    assert!(crafted["tasks"].as_array().unwrap().iter().all(|task| task["result"] == "done"));
    let asked = server.asked();
    assert_eq!(asked.len(), 4);
    let always = ["## Plan", "Requirement: REQ-069", "## Architecture", "One binary.", "## Memory"];
    let lessons = ["errors are lower case", "## Learned before", "write the test first"];
    let whole = |before: &[&'static str], after: &[&'static str]| -> Vec<&'static str> {
        [&always[..], before, &lessons[..], after].concat()
    };
    let design = of(&asked, "Design it.");
    assert_has(
        design,
        &whole(&[], &["## Named files and outputs", "### spec.md", "People sign in with a key."]),
        &["said to:", "output of", "last 50 lines"],
    );
    for prompt in ["Write the server.", "Write the page."] {
        assert_has(
            of(&asked, prompt),
            &whole(&["### output of architect", "said to: Design it."], &[]),
            &["said to: Write", "spec.md\n", "People sign in", "## Named files"],
        );
    }
    assert_has(
        of(&asked, "Review it."),
        &whole(&["output of architect", "output of"], &[]),
        &["People sign in", "output of reviewer"],
    );
    let review = of(&asked, "Review it.").system();
    assert!(
        review.contains("said to: Write the server.")
            && review.contains("said to: Write the page.")
    );
    assert!(asked.iter().all(|one| one.tools().is_empty() && one.messages().len() == 1));
}

#[test]
fn a_second_round_puts_in_the_tail_of_the_first() {
    let (sandbox, server) = project(|at, asked| match at {
        3 => Answer::text((0..80).map(|n| format!("finding {n}\n")).collect::<String>()),
        _ => answer(asked),
    });
    sandbox.line("craft --quiet REQ-069").ok();
    let changed = PLAN.replace("Review it.", "Review it again.");
    sandbox.write(".nuthatch/plan/REQ-069/plan.toml", &changed);
    sandbox.line("craft --quiet REQ-069").ok();
    let asked = server.asked();
    assert_eq!(asked.len(), 5, "only what changed is done again");
    assert_has(
        &asked[4],
        &["### last 50 lines of reviewer", "finding 30", "finding 79"],
        &["finding 29\n"],
    );
}

#[test]
fn two_independent_tasks_are_worked_on_at_the_same_time() {
    // Each of the two waits for the other, so one after the other would never end.
    let meeting = Arc::new(std::sync::Barrier::new(2));
    let (sandbox, server) = project(move |_, asked| {
        if asked.messages()[0].1.starts_with("Write") {
            meeting.wait();
        }
        answer(asked)
    });
    sandbox.line("craft --quiet REQ-069").ok();
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn killed_in_the_middle_it_goes_on_without_repeating_what_is_done() {
    let (reached, wait) = mpsc::channel();
    let (reached, first) = (Mutex::new(reached), Mutex::new(true));
    let (sandbox, server) = project(move |_, asked| {
        let is_page = asked.messages()[0].1 == "Write the page.";
        if is_page && std::mem::take(&mut *first.lock().unwrap()) {
            reached.lock().unwrap().send(()).unwrap();
            return Answer::Silence;
        }
        answer(asked)
    });
    let mut command = sandbox.command(NUTHATCH);
    command.args(["craft", "--quiet", "--at-once", "1", "REQ-069"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let before: Vec<String> =
        server.asked().iter().map(|one| one.messages()[0].1.clone()).collect();
    assert_eq!(before, ["Design it.", "Write the server.", "Write the page."]);
    let crafted = sandbox.line("craft --json --quiet REQ-069").ok().json();
    let results: Vec<&str> = crafted["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["result"].as_str().unwrap())
        .collect();
    assert_eq!(results, ["known", "known", "done", "done"]);
    let asked = server.asked();
    let after: Vec<String> = asked[3..].iter().map(|one| one.messages()[0].1.clone()).collect();
    assert_eq!(after, ["Write the page.", "Review it."]);
    assert_eq!(asked[3].system(), asked[2].system(), "the same question is asked again");
}

#[test]
fn only_one_process_carries_out_a_plan() {
    let (reached, wait) = mpsc::channel();
    let reached = Mutex::new(reached);
    let (sandbox, _server) = project(move |_, _| {
        let _ = reached.lock().unwrap().send(());
        Answer::Silence
    });
    let mut command = sandbox.command(NUTHATCH);
    command.args(["craft", "--quiet", "REQ-069"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait.recv().unwrap();
    sandbox.line("craft REQ-069").fails(4, "is being carried out by another process");
    child.kill().unwrap();
    child.wait().unwrap();
}
