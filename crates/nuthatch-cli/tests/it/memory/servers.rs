//! Autonomous memory in servers: they work by themselves where it is switched on, and answer
//! by HTTP as the command does.

use serde_json::{Value, json};

use super::talks::{DAY, session};
use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

/// A project with one session to learn from.
fn place(settings: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.configure(settings);
    session(&sandbox, 1, 2 * DAY, &["remember that the staging server uses port 8443"]);
    sandbox
}

/// Whether it was learnt, as another process sees it.
fn is_learnt(sandbox: &Sandbox) -> bool {
    let listed = sandbox.line("list --json --scope project").ok().json();
    listed["total"] == 1
}

const ENABLED: &str = "[memories]\nenabled = true\n";

#[test]
fn a_server_and_an_agent_learn_by_themselves_beside_their_work() {
    let sandbox = place(ENABLED);
    let served = Served::start(&sandbox);
    while !is_learnt(&sandbox) {
        assert_eq!(served.ask("GET /healthz", &Value::Null).0, 200);
    }
    drop(served);

    let sandbox = place(ENABLED);
    let mut agent = Agent::start(&sandbox);
    while !is_learnt(&sandbox) {
        agent.done("memory_list", &json!({}));
    }
    // The documents follow what was learnt.
    let address = json!({"uri": "memory://root/MEMORY.md"});
    let says = |read: Value| read["contents"][0]["text"].as_str().map(|text| text.contains("8443"));
    while says(agent.request("resources/read", &address)) != Some(true) {}
    assert_eq!(agent.hang_up(), Some(0));
}

#[test]
fn a_server_that_ends_gives_its_jobs_back() {
    let sandbox = place(ENABLED);
    drop(Served::start(&sandbox));
    assert_eq!(Agent::start(&sandbox).hang_up(), Some(0));
    let ran = sandbox.line("memory run --json").ok().json();
    let stored = ran["sessions"].as_array().map_or(0, Vec::len);
    assert!(stored == 1 || is_learnt(&sandbox), "{ran}");
}

/// What is asked for, by command and by HTTP.
const STEPS: &[(&str, &str, &str)] = &[
    ("status", "GET /v1/memory/status", "null"),
    ("run --dry-run", "POST /v1/memory/run", "{\"dry_run\": true}"),
    ("run", "POST /v1/memory/run", "{}"),
    ("status", "GET /v1/memory/status", "null"),
    ("view", "GET /v1/memory/view", "null"),
    ("log", "GET /v1/memory/log", "null"),
    ("diff", "GET /v1/memory/diff", "null"),
    ("enqueue", "POST /v1/memory/enqueue", "{}"),
    ("rebuild", "POST /v1/memory/rebuild", "{}"),
    ("undo", "POST /v1/memory/undo", "{}"),
    ("undo 7", "POST /v1/memory/undo", "{\"to\": 7}"),
    ("spend", "GET /v1/memory/spend", "null"),
    ("clear --yes", "POST /v1/memory/clear", "{}"),
    ("rebuild", "POST /v1/memory/rebuild", "{}"),
];

/// An answer without what differs from place to place.
fn comparable(sandbox: &Sandbox, answer: &Value) -> Value {
    if let Some(error) = answer.get("error").filter(|error| error.is_object()) {
        return json!({"kind": error["kind"]});
    }
    let told = answer.get("generations").unwrap_or(answer);
    let text = told.to_string().replace(&*sandbox.root().to_string_lossy(), "ROOT");
    let mut words: Vec<String> = Vec::new();
    for word in text.split('"') {
        let is_id = word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let is_time = word.parse::<jiff::Timestamp>().is_ok();
        let is_block = word.contains("<memory-") || word.contains("memory://");
        let own = is_time || is_block || (is_id && !word.starts_with("00000000"));
        words.push(if own { "OWN".to_owned() } else { word.to_owned() });
    }
    let text = words.join("\"");
    let parsed = serde_json::from_str(&text).unwrap_or(Value::String(text));
    without(parsed)
}

/// Without watermarks and marks, which name files by their times, and what has ids in its words.
fn without(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without).collect(),
        Value::Object(fields) => {
            let own =
                ["watermark", "done_watermark", "marks", "chars", "diff", "changes", "documents"];
            let kept = fields.into_iter().filter(|(name, _)| !own.contains(&name.as_str()));
            Value::Object(kept.map(|(name, one)| (name, without(one))).collect())
        }
        other => other,
    }
}

#[test]
fn by_http_it_answers_as_by_command() {
    let (one, other) = (place(""), place(""));
    let served = Served::start(&other);
    for (line, route, body) in STEPS {
        let by_command = one.line(&format!("memory {line} --json")).json();
        let (_, by_http) = served.ask(route, &serde_json::from_str(body).unwrap());
        let (by_command, by_http) = (comparable(&one, &by_command), comparable(&other, &by_http));
        assert_eq!(by_command, by_http, "{line}");
    }
}
