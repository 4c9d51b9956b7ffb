//! Doors decide nothing: the same requests by library, command, MCP and HTTP get the same
//! answers, each on a fresh store, ids and times aside.
//!
//! `VERBS` is the one list: a verb with a name at a door is asked for there, or the test fails.

mod command;
mod http;
mod library;
mod mcp;

use std::collections::BTreeMap;

use nuthatch_server::http::routes;
use nuthatch_server::mcp::tools;
use nuthatch_server::verbs::{VERBS, Verb};
use serde_json::{Value, json};

use crate::coverage::commands;
use crate::sandbox::Sandbox;

/// Verbs that one of the doors does not have, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("note", "a command ends at once, and session context with it"),
    ("learn", "a model saves a lesson as a memory of the category mistake or strategy"),
    ("lessons", "the best of them are in the context of every model"),
    ("rate", "how a lesson turned out is not for the one who followed it to say"),
    ("record", "a model does not write down what it said itself"),
    ("review", "what a person decides is no business of a model"),
    ("examine", "what a person decides is no business of a model"),
    ("approve", "what a person decides is no business of a model"),
    ("reject", "what a person decides is no business of a model"),
    ("scan", "what a person decides is no business of a model"),
    ("scanText", "what a person decides is no business of a model"),
    ("stats", "what is in the store is no business of a model"),
    ("remind", "an agent is reminded by its hooks, and asks for memory_context itself"),
    ("growth", "what is in the store is no business of a model"),
    ("health", "repairing a store is no business of a model"),
    ("reindex", "repairing a store is no business of a model"),
];

/// What is asked for, in this order, each with its verb.
const STEPS: &[(&str, &str)] = &[
    ("remember", "remember"),
    ("again", "remember"),
    ("recall", "recall"),
    ("show", "show"),
    ("edit", "edit"),
    ("list", "list"),
    ("count", "count"),
    ("preamble", "preamble"),
    ("remind", "remind"),
    ("missing", "show"),
    ("refused", "remember"),
    ("note", "note"),
    ("learn", "learn"),
    ("learn again", "learn"),
    ("mistake without fix", "learn"),
    ("lessons", "lessons"),
    ("rate", "rate"),
    ("seen", "remember"),
    ("review", "review"),
    ("examine", "examine"),
    ("scan", "scan"),
    ("scan a text", "scanText"),
    ("approve", "approve"),
    ("reject", "reject"),
    ("stats", "stats"),
    ("growth", "growth"),
    ("health", "health"),
    ("reindex", "reindex"),
    ("record", "record"),
    ("forget", "forget"),
    ("gone", "show"),
];

/// One door: does a step, and gives back the answer or the kind of failure; nothing, where
/// it has no such verb.
type Door = Box<dyn FnMut(&str) -> Option<Value>>;

/// What a verb is called at a door.
type Word = fn(&Verb) -> &'static str;

fn verb(name: &str) -> &'static Verb {
    VERBS.iter().find(|verb| verb.name == name).expect("every step has a verb of the list")
}

/// What a door may not tell anybody, made of parts so that it stands in no file.
fn secret() -> String {
    format!("{}{}", "gh", "p_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ")
}

#[test]
fn every_verb_is_found_at_every_door() {
    let commands = commands();
    for verb in VERBS {
        let excused = ELSEWHERE.iter().any(|(name, _)| *name == verb.name);
        let command = verb.command.split(' ').next().unwrap_or_default();
        assert!(commands.iter().any(|known| known == command) || excused, "{verb:?}");
        assert!(tools::all().iter().any(|tool| tool.name == verb.tool) || excused, "{verb:?}");
        let served = routes::all().into_iter().any(|endpoint| {
            format!("{} {}", endpoint.method, endpoint.path) == verb.route
                && endpoint.operation == verb.name
        });
        assert!(served, "{verb:?}");
    }
    for tool in tools::all() {
        assert!(VERBS.iter().any(|verb| verb.tool == tool.name), "{} is no verb", tool.name);
    }
}

/// What a check looked at and how it found it; where the store is differs.
fn names_of(findings: &Value) -> Value {
    let one = |found: &Value| json!({"name": found["name"], "severity": found["severity"]});
    findings.as_array().expect("findings are a list").iter().map(one).collect()
}

/// What every door says of a store.
fn counts_of(stats: &Value) -> Value {
    json!({"memories": stats["memories"], "versions": stats["versions"]})
}

/// How a store grew; who said it, and so how far it is trusted, differs.
fn growth_of(growth: &Value) -> Value {
    let mut growth = growth.clone();
    let fields = growth.as_object_mut().expect("growth has fields");
    assert!(fields.remove("origins").is_some() && fields.remove("trust").is_some());
    growth
}

/// A lesson as every door has it; who taught it differs.
fn lesson_of(memory: &Value) -> Value {
    json!({"content": memory["content"], "category": memory["category"],
           "helpful": memory["metadata"]["helpful"], "seen": memory["metadata"]["seen"]})
}

fn lessons_of(memories: &Value) -> Value {
    memories.as_array().expect("lessons are a list").iter().map(lesson_of).collect()
}

/// Ids by the order in which they appear, times all alike.
fn comparable(value: &Value, ids: &mut BTreeMap<String, usize>) -> Value {
    match value {
        Value::String(text) if text.parse::<nuthatch::id::MemoryId>().is_ok() => {
            let next = ids.len();
            json!(format!("id {}", ids.entry(text.clone()).or_insert(next)))
        }
        Value::String(text) if text.parse::<jiff::Timestamp>().is_ok() => json!("a time"),
        Value::String(text) => {
            let mut text = text.clone();
            for (id, number) in ids.iter() {
                text = text.replace(id, &format!("id {number}"));
            }
            json!(without_marker(&text))
        }
        Value::Array(items) => items.iter().map(|item| comparable(item, ids)).collect(),
        Value::Object(object) => {
            let fields = object.iter().map(|(name, one)| (name.clone(), comparable(one, ids)));
            Value::Object(fields.collect())
        }
        // What is a moment newer stands a trace higher.
        Value::Number(number) if number.is_f64() => {
            json!((number.as_f64().unwrap_or_default() * 1e6).round() / 1e6)
        }
        other => other.clone(),
    }
}

/// The block of a prompt has a marker that nobody can know, and that differs every time.
fn without_marker(text: &str) -> String {
    let after = |tag: &str| text.split(tag).nth(1).and_then(|rest| rest.split('>').next());
    let marker = after("<memory-").or_else(|| after("</memory-"));
    marker.map_or_else(|| text.to_owned(), |marker| text.replace(marker, "marker"))
}

fn transcript(mut door: Door) -> Vec<Option<Value>> {
    let mut ids = BTreeMap::new();
    let answers = STEPS.iter().map(|(step, _)| door(step));
    answers.map(|answer| Some(comparable(&answer?, &mut ids))).collect()
}

#[test]
fn every_verb_is_asked_for() {
    for verb in VERBS {
        assert!(STEPS.iter().any(|(_, name)| *name == verb.name), "{verb:?} has no step");
    }
}

#[test]
fn every_verb_answers_the_same_at_every_door() {
    same_at_every_door(|| ("memory.db".to_owned(), Sandbox::new()));
}

#[test]
#[ignore = "needs a server: scripts/postgres start, its address in NUTHATCH_TEST_POSTGRES; CI runs it"]
fn on_postgres_every_verb_answers_the_same_at_every_door() {
    let server = std::env::var("NUTHATCH_TEST_POSTGRES").expect("the address of a server");
    let count = std::cell::Cell::new(0);
    same_at_every_door(|| {
        count.set(count.get() + 1);
        let own = format!("parity-{}-{}", std::process::id(), count.get());
        let join = if server.contains('?') { '&' } else { '?' };
        let store = format!("{server}{join}tenant={own}");
        (store.clone(), Sandbox::new().with_env("NUTHATCH_STORE", &store))
    });
}

/// Each door gets a store of its own that nothing is in, and a machine that is set up for it.
fn same_at_every_door(fresh: impl Fn() -> (String, Sandbox)) {
    let expected = transcript(library::door(&fresh().0));
    let sandbox = || fresh().1;
    let at = |step: &str| STEPS.iter().position(|(name, _)| *name == step).unwrap();
    assert_eq!(expected[at("count")], Some(json!(1)), "something was stored");
    assert_eq!(expected[at("missing")], Some(json!({"kind": "not_found"})));
    assert_eq!(expected[at("refused")], Some(json!({"kind": "denied"})));
    let doors: [(&str, Door, Word); 3] = [
        ("command", command::door(sandbox()), |verb| verb.command),
        ("mcp", mcp::door(sandbox()), |verb| verb.tool),
        ("http", http::door(sandbox()), |verb| verb.route),
    ];
    for (name, door, word) in doors {
        let told = transcript(door);
        for (((step, of), told), expected) in STEPS.iter().zip(&told).zip(&expected) {
            assert_eq!(told.is_some(), !word(verb(of)).is_empty(), "{step} by {name}");
            if told.is_some() {
                assert_eq!(told, expected, "{step} by {name}");
            }
        }
    }
}
