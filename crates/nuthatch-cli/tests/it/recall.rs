//! `nuthatch recall`.

use crate::sandbox::{Sandbox, assert_recorded};

fn stocked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.line("remember the staging database listens on port 5433").ok();
    sandbox.line("remember --key editor --category preference uses tabs").ok();
    sandbox.line("remember --scope user works as a database administrator").ok();
    sandbox
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let transcript = stocked().transcript(&[
        "nuthatch recall 'which port is the database on?'",
        "nuthatch recall --explain tab",
        "nuthatch recall zeppelin",
        "nuthatch recall --json zeppelin",
        "nuthatch recall --color always --limit 1 databases port",
    ]);
    assert_recorded("recall", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("recall").fails(2, "required arguments");
    sandbox.line("recall --limit 0 x").fails(2, "1 to 1000 hits");
    sandbox.line("recall --json --since soon x").fails_in_json(2, "invalid", "not a time");
    sandbox.line("recall --mode vector x").fails(6, "no embedding model");
    sandbox.line("recall --mode moon x").fails(2, "invalid value 'moon'");
    sandbox.line("recall --min-score 2 x").fails(2, "between 0 and 1");
    sandbox.line("recall --scope project --all-projects x").fails(2, "cannot be used with");
    let vectors = Sandbox::new().with_env("NUTHATCH_RECALL_MODE", "vector");
    vectors.line("recall x").fails(6, "no embedding model");
    vectors.line("recall --json x").fails_in_json(6, "unavailable", "no embedding model");
}

#[test]
fn the_answer_is_hits_and_trace() {
    let answer = stocked().line("recall --json database port").ok().json();
    let hit = &answer["hits"][0];
    assert_eq!(hit["kind"], "memory");
    assert_eq!(hit["content"], "the staging database listens on port 5433");
    assert!(hit["score"].as_f64().unwrap() > 0.5);
    assert_eq!(hit["lanes"]["text"]["terms"], serde_json::json!(["databas", "port"]));
    assert_eq!(answer["trace"]["mode"], "hybrid");
    assert_eq!(answer["trace"]["found"], 2);
}

#[test]
fn nothing_found_is_an_answer() {
    let ran = stocked().line("recall zeppelin").ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "nothing found\n"));
    let ran = stocked().line("recall --json zeppelin").ok();
    assert_eq!(ran.json()["hits"], serde_json::json!([]));
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_query_is_never_syntax() {
    let sandbox = stocked();
    for query in [
        "\"port",
        "port OR",
        "port*",
        "NEAR(port)",
        "port) --",
        "content:port",
        "'; x",
        "^port -tabs",
    ] {
        let answer = sandbox.run(&["recall", "--json", "--", query]).ok().json();
        let port = query.contains("port");
        assert_eq!(answer["hits"].as_array().unwrap().is_empty(), !port, "{query:?}: {answer}");
    }
}

#[test]
fn a_star_means_the_newest() {
    let answer = stocked().run(&["recall", "--json", "--limit", "2", "*"]).ok().json();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 2);
    assert_eq!(answer["hits"][0]["scope"], "user");
    assert_eq!(answer["trace"]["lanes"], serde_json::json!(["recent"]));
}

#[test]
fn filters_narrow_by_category_time_and_limit() {
    let sandbox = stocked();
    let found = |line: &str| {
        let answer = sandbox.line(&format!("recall --json {line}")).ok().json();
        answer["hits"].as_array().unwrap().len()
    };
    assert_eq!(found("database tabs"), 3);
    assert_eq!(found("--category preference database tabs"), 1);
    assert_eq!(found("--category preference --category core database tabs"), 3);
    assert_eq!(found("--limit 1 database tabs"), 1);
    assert_eq!(found("--since 1h database tabs"), 3);
    assert_eq!(found("--until yesterday database tabs"), 0);
    assert_eq!(found("--since 2001-01-01 --until 2001-12-31 database tabs"), 0);
    assert_eq!(found("--scope user database tabs"), 1);
}

#[test]
fn replaced_memories_are_found_only_when_asked_for() {
    let sandbox = stocked();
    sandbox.line("remember --key new --supersedes editor uses spaces").ok();
    let found = |line: &str| {
        let answer = sandbox.line(&format!("recall --json {line}")).ok().json();
        answer["hits"].as_array().unwrap().len()
    };
    assert_eq!(found("tabs"), 0);
    assert_eq!(found("--superseded tabs"), 1);
}

#[test]
fn limit_and_mode_come_from_the_configuration() {
    let sandbox = stocked();
    sandbox.configure("[recall]\nlimit = 1\nmode = \"recent\"\n");
    let answer = sandbox.line("recall --json anything").ok().json();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    assert_eq!(answer["trace"]["mode"], "recent");
    let answer = sandbox.line("recall --json --mode text --limit 5 database").ok().json();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 2);
}
