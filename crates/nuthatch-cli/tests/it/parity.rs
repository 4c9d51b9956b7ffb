//! Doors decide nothing: the same requests by library, command, MCP and HTTP get the same
//! answers, each on a fresh store, ids and times aside.

use std::collections::BTreeMap;
use std::sync::Arc;

use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::ProjectId;
use nuthatch::preamble::PreambleRequest;
use nuthatch::recall::{Mode, RecallRequest};
use nuthatch::remember::RememberRequest;
use nuthatch::trust::Origin;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_server::http::routes;
use nuthatch_server::mcp::tools;
use nuthatch_server::verbs::VERBS;
use nuthatch_stores::{InMemoryStore, SystemClock, SystemIds};
use serde_json::{Value, json};

use crate::coverage::commands;
use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

/// Verbs that two of the doors do not have, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("note", "a command ends at once, and session context with it"),
    ("stats", "what is in the store is no business of a model"),
    ("health", "repairing a store is no business of a model"),
    ("reindex", "repairing a store is no business of a model"),
];

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
            json!(text)
        }
        Value::Array(items) => items.iter().map(|item| comparable(item, ids)).collect(),
        Value::Object(object) => {
            let fields = object.iter().map(|(name, one)| (name.clone(), comparable(one, ids)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// One door: does a step, and gives back the answer or the kind of failure.
type Door = Box<dyn FnMut(&str) -> Value>;

const STEPS: [&str; 9] =
    ["remember", "again", "recall", "show", "edit", "list", "count", "preamble", "missing"];

fn transcript(mut door: Door) -> Vec<Value> {
    let mut ids = BTreeMap::new();
    STEPS.iter().chain(&["forget", "gone"]).map(|step| comparable(&door(step), &mut ids)).collect()
}

fn library() -> Door {
    let engine = Engine::new(
        Arc::new(InMemoryStore::default()),
        Arc::new(SystemClock),
        Arc::<SystemIds>::default(),
        Rules::default(),
    );
    let project = Scope::Project(ProjectId::new("p").unwrap());
    let place = Place::new(engine, project, Scope::Global, jiff::tz::TimeZone::UTC);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    Box::new(move |step| {
        let answer = runtime.block_on(by_library(&place, step));
        answer.unwrap_or_else(|error| json!({"kind": error.kind().name()}))
    })
}

async fn by_library(place: &Place, step: &str) -> nuthatch::Result<Value> {
    let engine = place.engine();
    let editor = || async { place.find("editor", place.visible()).await.map(|found| found.id) };
    let visible = || Filter::scoped(Scopes::These(place.visible()));
    Ok(match step {
        "remember" | "again" => json!(
            engine
                .remember(RememberRequest {
                    key: Some("editor".to_owned()),
                    category: Some(Category::new("preference")?),
                    origin: Origin::Agent,
                    ..RememberRequest::new("uses tabs", Scope::Global)
                })
                .await?
        ),
        "recall" => {
            let request =
                RecallRequest { mode: Mode::Text, ..RecallRequest::new("which tabs", visible()) };
            json!(engine.recall(&request).await?)
        }
        "show" => json!(engine.show(editor().await?).await?),
        "edit" => {
            let mut request = EditRequest::new(editor().await?);
            request.content = Some("uses spaces".to_owned());
            json!(engine.edit(request).await?)
        }
        "list" => json!(engine.list(&visible(), Page::first(50)).await?),
        "count" => json!(engine.count(&visible()).await?),
        "preamble" => {
            let request = PreambleRequest {
                scopes: Scopes::These(place.visible()),
                thread: None,
                query: Some("spaces".to_owned()),
                budget_tokens: 500,
            };
            json!(engine.preamble(&request).await?)
        }
        "forget" => json!(engine.forget(&[editor().await?]).await?),
        _ => json!(engine.show(editor_or_missing(place, step).await?).await?),
    })
}

async fn editor_or_missing(place: &Place, step: &str) -> nuthatch::Result<nuthatch::id::MemoryId> {
    let key = if step == "gone" { "editor" } else { "nowhere" };
    place.find(key, place.visible()).await.map(|found| found.id)
}

fn command(sandbox: Sandbox) -> Door {
    Box::new(move |step| {
        let line = match step {
            "remember" | "again" => {
                "remember --origin agent --key editor --category preference uses tabs"
            }
            "recall" => "recall --mode text which tabs",
            "show" | "gone" => "show editor",
            "edit" => "edit editor uses spaces",
            "list" => "list",
            "count" => "list --limit 0",
            "preamble" => "preamble --budget 500 spaces",
            "forget" => "forget --yes editor",
            _ => "show nowhere",
        };
        let ran = sandbox.line(&format!("{line} --json"));
        let answer = ran.json();
        match (step, answer.get("error")) {
            (_, Some(error)) => json!({"kind": error["kind"]}),
            ("count", None) => answer["total"].clone(),
            (_, None) => answer,
        }
    })
}

fn arguments(step: &str) -> Value {
    match step {
        "remember" | "again" => {
            json!({"content": "uses tabs", "key": "editor", "category": "preference"})
        }
        "recall" => json!({"query": "which tabs", "mode": "text"}),
        "show" | "gone" => json!({"id": "editor"}),
        "edit" => json!({"id": "editor", "content": "uses spaces"}),
        "list" => json!({"limit": 50}),
        "count" => json!({"limit": 0}),
        "preamble" => json!({"query": "spaces", "budget_tokens": 500}),
        "forget" => json!({"ids": ["editor"]}),
        _ => json!({"id": "nowhere"}),
    }
}

fn mcp(sandbox: Sandbox) -> Door {
    let mut agent = Agent::start(&sandbox);
    Box::new(move |step| {
        let _alive = &sandbox;
        let tool = match step {
            "remember" | "again" => "memory_save",
            "recall" => "memory_search",
            "edit" => "memory_update",
            "list" | "count" => "memory_list",
            "preamble" => "memory_context",
            "forget" => "memory_forget",
            _ => "memory_get",
        };
        let result = agent.call(tool, &arguments(step));
        let answer = result["structuredContent"].clone();
        if result["isError"] == true {
            let told = result["content"][0]["text"].as_str().unwrap();
            let kind = told.rsplit_once('(').and_then(|(_, kind)| kind.split(')').next());
            return json!({"kind": kind});
        }
        if step == "count" { answer["total"].clone() } else { answer }
    })
}

fn http(sandbox: Sandbox) -> Door {
    let served = Served::start(&sandbox);
    Box::new(move |step| {
        let _alive = &sandbox;
        let mut body = arguments(step);
        let route = match step {
            "remember" | "again" => "POST /v1/memories",
            "recall" => "POST /v1/recall",
            "show" | "gone" => "GET /v1/memories/editor",
            "edit" => "PATCH /v1/memories/editor",
            "list" => "GET /v1/memories?limit=50",
            "count" => "GET /v1/count",
            "preamble" => "GET /v1/preamble?query=spaces&budget_tokens=500",
            "forget" => "DELETE /v1/memories/editor",
            _ => "GET /v1/memories/nowhere",
        };
        if let Some(fields) = body.as_object_mut() {
            fields.remove("id");
        }
        let body = if route.starts_with("GET") || route.starts_with("DELETE") {
            Value::Null
        } else {
            body
        };
        let (_, answer) = served.ask(route, &body);
        match (step, answer.get("error")) {
            (_, Some(error)) => json!({"kind": error["kind"]}),
            ("count", None) => answer["count"].clone(),
            (_, None) => answer,
        }
    })
}

#[test]
fn every_verb_answers_the_same_at_every_door() {
    let expected = transcript(library());
    assert_eq!(expected[6], 1, "something was stored");
    assert_eq!(expected[8], json!({"kind": "not_found"}));
    let doors = [
        ("command", command(Sandbox::new())),
        ("mcp", mcp(Sandbox::new())),
        ("http", http(Sandbox::new())),
    ];
    for (name, door) in doors {
        let told = transcript(door);
        for ((step, told), expected) in
            STEPS.iter().chain(&["forget", "gone"]).zip(&told).zip(&expected)
        {
            assert_eq!(told, expected, "{step} by {name}");
        }
    }
}
