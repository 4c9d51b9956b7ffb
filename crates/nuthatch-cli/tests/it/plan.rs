//! `nuthatch plan`.

use crate::agents::with_echo;
use crate::sandbox::{Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = with_echo();
    let plan = "title = \"Sign in\"\nstatus = \"active\"\n[[tasks]]\nid = \"a\"\nagent = \"echo\"\nprompt = \"go\"\n";
    let transcript_start = "nuthatch plan list";
    let before = sandbox.transcript(&[transcript_start]);
    sandbox.write(".nuthatch/plan/REQ-069/plan.toml", plan);
    let after = sandbox.transcript(&[
        "nuthatch plan list",
        "nuthatch plan memory REQ-069",
        "nuthatch craft --yes --quiet REQ-069",
        "nuthatch plan list --json",
        "nuthatch plan show REQ-069",
        "nuthatch plan memory REQ-069 | tail -1",
    ]);
    assert_recorded("plan", &(before + &after));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_that_a_repository_writes_steers_the_terminal() {
    let sandbox = Sandbox::new();
    let steer = "\\u001b]0;x\\u0007\\u001b[2J";
    let plan = format!(
        "title = \"{steer}\"\nstatus = \"{steer}\"\n[[tasks]]\nid = \"a\"\n\
         agent = \"echo[input:{steer}.md]\"\nprompt = \"{steer}\"\n"
    );
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", &plan);
    sandbox.write(".nuthatch/agents/echo.toml", crate::agents::ECHO);
    sandbox.write("AGENTS.md", "\u{1B}]0;x\u{7}\u{1B}[2J\u{202E}be kind\n");
    let history = format!("{{\"session_id\":\"s\",\"agent_id\":\"{steer}\",\"interactions\":[]}}");
    sandbox.write(".nuthatch/_internals/sessions/s/history.json", &history);
    for line in [
        "plan list",
        "plan show REQ-1",
        "craft --yes REQ-1",
        "history list",
        "context echo --plan REQ-1",
        "context echo --plan REQ-1 --explain",
        "context files",
    ] {
        let ran = sandbox.on_terminal(&format!("nuthatch --color never {line}"), "");
        assert!(!ran.stdout.contains(['\u{1B}', '\u{7}', '\u{202E}']), "{line}: {ran:?}");
    }
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = with_echo();
    sandbox.line("plan show REQ-1").fails(3, "there is no plan REQ-1");
    sandbox.line("plan show --json ..").fails_in_json(
        2,
        "invalid",
        "not a project or requirement id",
    );
    sandbox.line("plan memory REQ-1 echo").fails(3, "echo has said nothing in REQ-1");
    sandbox.write(".nuthatch/plan/REQ-1/plan.toml", "title = \n");
    sandbox.line("plan show REQ-1").fails(2, "plan REQ-1: ");
    sandbox.write(".nuthatch/plan/REQ-2/plan.toml", "title = \"x\"\n");
    let listed = sandbox.line("plan list").ok();
    assert!(listed.stdout.starts_with("REQ-2") && listed.stderr.contains("REQ-1"), "{listed:?}");
}
