//! `nuthatch step`.

use nuthatch_testkit::scripted::Answer;

use crate::agents::{agent, with_echo, with_model};
use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = with_echo();
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", "title = \"One\"\n");
    let transcript = sandbox.transcript(&[
        "nuthatch step --yes echo say it again",
        "nuthatch step --yes --plan REQ-1 echo first",
        "nuthatch step --yes --plan REQ-1 --json 'echo[tail:1]' second | sed 's/text-[0-9a-f]*/text-M/g'",
        "nuthatch step echo nobody can be asked",
    ]);
    assert_recorded("step", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = with_echo();
    sandbox.line("step nobody").fails(3, "there is no agent nobody");
    sandbox.line("step --json nobody").fails_in_json(3, "not_found", "there is no agent");
    sandbox.line("step ../echo").fails(2, "not an agent id");
    sandbox.line("step echo hello").fails(5, "nobody allowed that");
    sandbox.write(".nuthatch/agents/model.toml", "prompt = \"You help.\"\n");
    sandbox.line("step model hello").fails(2, "no model is configured");
    sandbox.write(".nuthatch/agents/bad.toml", "engin = 1\n");
    sandbox.line("step bad").fails(2, "agent bad: unknown field");
    sandbox.write(".nuthatch/agents/fails.toml", "engine = { command = [\"false\"] }\n");
    sandbox.line("step --yes fails").fails(6, "`false` failed");
}

#[test]
fn a_model_gets_prompt_context_and_task_and_later_agents_see_what_it_said() {
    let (sandbox, server) = with_model(|at, _| Answer::text(format!("answer number {at}")));
    agent(&sandbox, "first", "You are first.");
    agent(&sandbox, "second", "You are second.");
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", "title = \"Sign in\"\n");
    let said = sandbox.line("step --plan REQ-1 first do this").ok().stdout;
    assert_eq!(said, "answer number 0\n");
    sandbox.line("step --plan REQ-1 second do that").ok();
    let asked = server.asked();
    assert!(
        asked[0].system().starts_with("You are first.\n\n# Context\n"),
        "{}",
        asked[0].system()
    );
    assert_eq!(asked[0].messages(), [("user".to_owned(), "do this".to_owned())]);
    assert!(!asked[0].system().contains("answer number"));
    assert!(asked[1].system().contains("### output of first"), "{}", asked[1].system());
    assert!(asked[1].system().contains("answer number 0"));
    let memory = sandbox.line("plan memory REQ-1 --json").ok().json();
    assert_eq!(memory[0]["agent_id"], "first");
    assert_eq!(memory[1]["output"], "answer number 1");
    let waiting = std::fs::read_dir(sandbox.work().join(".nuthatch/_internals/writeback")).unwrap();
    assert_eq!(waiting.count(), 2);
}

#[test]
fn a_program_of_a_repository_runs_only_while_its_file_is_trusted() {
    let sandbox = Sandbox::new();
    sandbox.write("tools/work.sh", "touch ran; echo worked\n");
    let agent = "engine = { command = [\"sh\", \"tools/work.sh\"] }\n";
    sandbox.write(".nuthatch/agents/worker.toml", agent);
    let ran = sandbox.work().join("ran");
    let denied = |what: &str| {
        sandbox.line("step worker go").fails(5, "sh tools/work.sh, and nobody allowed that");
        assert!(!ran.exists(), "{what}");
    };
    denied("nothing is trusted yet");
    assert_eq!(sandbox.line("step --yes worker go").ok().stdout, "worked\n");
    std::fs::remove_file(&ran).unwrap();
    denied("leave is for one run");
    sandbox.line("step --trust worker go").ok();
    sandbox.line("step worker go").ok();
    std::fs::remove_file(&ran).unwrap();
    sandbox.write(".nuthatch/agents/worker.toml", &format!("{agent}# changed\n"));
    denied("a changed file is another");
    sandbox.write(".nuthatch/agents/worker.toml", agent);
    sandbox.line("step worker go").ok();
    std::fs::remove_file(&ran).unwrap();
    sandbox.write("tools/work.sh", "touch ran; echo changed\n");
    denied("a changed script is another");
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_trust_in_an_agent_is_asked_for_once() {
    let sandbox = with_echo();
    let asked = sandbox.on_terminal("nuthatch step echo hello", "n\n");
    assert!(asked.stdout.contains("command = [\"cat\"]"), "{asked:#?}");
    assert!(asked.stdout.contains("Trust the agent echo as it stands?"), "{asked:#?}");
    assert_eq!(asked.code, 5, "{asked:#?}");
    sandbox.on_terminal("nuthatch step echo hello", "y\n").ok();
    sandbox.line("step echo hello").ok();
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_stops_a_step_stops_the_agents_program_with_it() {
    let sandbox = Sandbox::new();
    let agent =
        "engine = { command = [\"sh\", \"-c\", \"echo $$ > id; mv id pid; exec sleep 300\"] }";
    sandbox.write(".nuthatch/agents/slow.toml", agent);
    let mut command = sandbox.command(crate::sandbox::NUTHATCH);
    command.args(["step", "--yes", "slow"]).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let file = sandbox.work().join("pid");
    while !file.exists() {
        std::thread::yield_now();
    }
    let pid = std::fs::read_to_string(file).unwrap();
    let told = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(told.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(6), "{ended:?}");
    // It was told to end; a busy machine takes a moment over it.
    let stat = format!("/proc/{}/stat", pid.trim());
    while std::fs::read_to_string(&stat).is_ok_and(|state| !state.contains(") Z ")) {
        std::thread::yield_now();
    }
}

#[test]
fn a_paid_model_costs_nothing_before_a_budget_is_set() {
    let sandbox = Sandbox::new().with_env("PARROT_KEY", "not-a-real-key-at-all");
    sandbox.configure(
        "[models.default]\nprovider = \"anthropic\"\nmodel = \"parrot\"\n\
         api_key_env = \"PARROT_KEY\"\nbase_url = \"https://models.invalid\"\n",
    );
    agent(&sandbox, "a", "You help.");
    sandbox.line("step a hello").fails(5, "the budget of the run has 0 tokens left");
}

#[test]
fn a_secret_in_a_named_file_never_reaches_the_model() {
    let (sandbox, server) = with_model(|_, _| Answer::text("done"));
    agent(&sandbox, "a", "You help.");
    let tail: String = ('a'..='z').chain('A'..='J').collect();
    let token = format!("{}{}{tail}", "gh", "p_");
    sandbox.write("notes.md", &format!("push with {token}\n"));
    sandbox.line("step a[input:notes.md] go").ok();
    let system = server.asked()[0].system();
    assert!(!system.contains(&token) && system.contains("push with [redacted:"), "{system}");
}

#[test]
fn a_secret_that_an_agent_says_or_is_told_is_kept_nowhere() {
    let sandbox = with_echo();
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", "title = \"One\"\n");
    let tail: String = ('a'..='z').chain('A'..='J').collect();
    let token = format!("{}{}{tail}", "gh", "p_");
    sandbox.run(&["step", "--yes", "--plan", "REQ-1", "echo", &format!("use {token}")]).ok();
    let said = format!("use {token}\n");
    sandbox.run_with_stdin(&["chat", "--yes", "echo"], said.as_bytes()).ok();
    crate::canary::assert_no_bytes(&sandbox.root(), &token.as_bytes()[4..]);
}
