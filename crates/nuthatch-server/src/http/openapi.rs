//! The OpenAPI 3.1 document, made out of the table of routes.
//!
//! Shapes are JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. What several routes answer
//! stands once, among the components.

use axum::http::{Method, StatusCode};
use axum::response::Response;
use nuthatch::autonomy::report::{Means, Rewritten, SessionLine};
use nuthatch::memory::Version;
use nuthatch::recall::{Hit, Trace};
use nuthatch::scan::Suspect;
use nuthatch::session::Session;
use nuthatch::store::Job;
use nuthatch::{Memory, Shown};
use serde_json::{Map, Value, json};

use super::endpoint::{Endpoint, Tagging, Takes};
use super::{answer, routes};
use crate::schema;

/// Failures that any request can meet, with their meaning.
const FAILURES: [(u16, &str); 10] = [
    (400, "The request is wrong"),
    (401, "The token is missing or wrong"),
    (403, "The gate or the role of the token refuses it, or the Host or Origin is foreign"),
    (404, "It is not there"),
    (405, "The address has no such method"),
    (409, "Another change came first, or a limit leaves no room"),
    (413, "The body is too large"),
    (429, "The token asks too often; Retry-After says when to come again"),
    (500, "A bug, or a machine that broke a promise"),
    (503, "Something this depends on cannot be used right now"),
];

/// The document.
#[must_use]
pub fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in routes::all() {
        let path = paths.entry(endpoint.path.to_owned()).or_insert_with(|| json!({}));
        path[endpoint.method.as_str().to_ascii_lowercase()] = operation(&endpoint);
    }
    for (path, method, described) in others() {
        paths.insert(path.to_owned(), json!({ method: described }));
    }
    let mut schemas = json!({"Error": error_shape()});
    let mut paths = Value::Object(paths);
    for (name, shape) in shared() {
        let place = format!("#/components/schemas/{name}");
        refer(&mut paths, &shape, &place);
        refer(&mut schemas, &shape, &place);
        schemas[name] = shape;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Nuthatch",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The memory of AI agents.",
            "license": {"name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": failures(),
            "schemas": schemas,
        },
    })
}

/// Values that are part of several answers, by name, none before what is part of it.
fn shared() -> Vec<(&'static str, Value)> {
    let mut found: Vec<(&str, Value)> = vec![
        ("Session", Value::Object(schema::output::<Session>())),
        ("Version", Value::Object(schema::output::<Version>())),
        ("Memory", Value::Object(schema::output::<Memory>())),
        ("Suspect", Value::Object(schema::output::<Suspect>())),
        ("Shown", Value::Object(schema::output::<Shown>())),
        ("Hit", Value::Object(schema::output::<Hit>())),
        ("Trace", Value::Object(schema::output::<Trace>())),
        ("Job", Value::Object(schema::output::<Job>())),
        ("Means", Value::Object(schema::output::<Means>())),
        ("SessionLine", Value::Object(schema::output::<SessionLine>())),
        ("Rewritten", Value::Object(schema::output::<Rewritten>())),
    ];
    for part in 0..found.len() {
        let (name, shape) = found[part].clone();
        let place = format!("#/components/schemas/{name}");
        found.iter_mut().skip(part + 1).for_each(|(_, whole)| refer(whole, &shape, &place));
    }
    found
}

/// Puts a reference wherever a shape is written out; what is said about it there stays.
fn refer(document: &mut Value, shape: &Value, place: &str) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, shape, place)),
        Value::Object(object) => {
            let about = object.remove("description");
            let is_it = shape.as_object().is_some_and(|shape| shape == object);
            if is_it {
                *object = Map::from_iter([("$ref".to_owned(), json!(place))]);
            } else {
                object.values_mut().for_each(|value| refer(value, shape, place));
            }
            if let Some(about) = about {
                object.insert("description".to_owned(), about);
            }
        }
        _ => {}
    }
}

/// What any request may be answered when it fails, by name.
fn failures() -> Value {
    FAILURES.iter().map(|(status, about)| (format!("Failure{status}"), failure(about))).collect()
}

/// Serves it.
pub async fn serve() -> Response {
    answer::json(StatusCode::OK, &document())
}

fn error_shape() -> Value {
    let kinds: Vec<&str> =
        nuthatch::error::Kind::ALL.into_iter().map(nuthatch::error::Kind::name).collect();
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["kind", "message"],
            "properties": {
                "kind": {"type": "string", "enum": kinds},
                "message": {"type": "string"},
                "hint": {"type": "string"},
            },
        }},
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut operation = json!({
        "operationId": endpoint.operation,
        "summary": endpoint.summary,
        "responses": responses(endpoint),
    });
    let parameters = parameters(endpoint);
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    if endpoint.takes == Takes::Body {
        let shape = without_path(endpoint);
        let needed = shape.get("required").and_then(Value::as_array).is_some_and(|n| !n.is_empty());
        operation["requestBody"] = json!({
            "required": needed,
            "content": {"application/json": {"schema": shape}},
        });
    }
    operation
}

/// The shape of what is not in the path.
fn without_path(endpoint: &Endpoint) -> Map<String, Value> {
    let mut shape = endpoint.body.clone();
    for name in endpoint.path_names() {
        if let Some(Value::Object(properties)) = shape.get_mut("properties") {
            properties.remove(name);
        }
        if let Some(Value::Array(required)) = shape.get_mut("required") {
            required.retain(|one| one != name);
        }
    }
    if shape.get("required").is_some_and(|required| *required == json!([])) {
        shape.remove("required");
    }
    shape
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let known = endpoint.arguments.get("properties").and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, shape) in known.into_iter().flatten() {
        let in_path = endpoint.path_names().any(|path| path == name);
        if !in_path && endpoint.takes == Takes::Body {
            continue;
        }
        let mut shape = shape.clone();
        let about = shape.as_object_mut().and_then(|shape| shape.remove("description"));
        let mut parameter = json!({
            "name": name,
            "in": if in_path { "path" } else { "query" },
            "required": in_path,
            "schema": shape,
        });
        if in_path {
            parameter["schema"]["minLength"] = json!(1);
        }
        if let Some(about) = about {
            parameter["description"] = about;
        }
        found.push(parameter);
    }
    if endpoint.takes_tag() {
        found.push(json!({
            "name": "If-Match",
            "in": "header",
            "required": false,
            "description": "The ETag of the memory as it was seen: if it has moved on, nothing \
                            is changed.",
            "schema": {"type": "string"},
        }));
    }
    found
}

fn failure(about: &str) -> Value {
    json!({
        "description": about,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    })
}

fn responses(endpoint: &Endpoint) -> Value {
    let mut responses = Map::new();
    let mut good = json!({"description": "Done"});
    if endpoint.status != StatusCode::NO_CONTENT {
        good["content"] = json!({"application/json": {"schema": endpoint.answer}});
    }
    if endpoint.tagging != Tagging::Never {
        good["headers"] = json!({"ETag": {"schema": {"type": "string"}}});
    }
    responses.insert(endpoint.status.as_u16().to_string(), good);
    if endpoint.method == Method::GET {
        responses.insert("304".to_owned(), json!({"description": "As the caller has it"}));
    }
    if endpoint.takes_tag() {
        responses.insert("412".to_owned(), failure("The memory has moved on"));
    }
    for (status, _) in FAILURES {
        let place = format!("#/components/responses/Failure{status}");
        responses.insert(status.to_string(), json!({"$ref": place}));
    }
    Value::Object(responses)
}

/// What is served besides `/v1`.
fn others() -> Vec<(&'static str, &'static str, Value)> {
    let object = json!({"type": "object"});
    let text = json!({"type": "string"});
    let plain = |id: &str, about: &str, kind: &str, shape: &Value| {
        json!({
            "operationId": id,
            "summary": about,
            "responses": {
                "200": {"description": "Done", "content": {kind: {"schema": shape}}},
                "401": failure("The token is missing or wrong"),
                "403": failure("The Host or Origin is foreign"),
            },
        })
    };
    let mut healthz =
        plain("healthz", "Whether a memory could be stored", "application/json", &object);
    healthz["responses"]["503"] = json!({
        "description": "It could not",
        "content": {"application/json": {"schema": object}},
    });
    healthz["security"] = json!([]);
    let mut readyz =
        plain("readyz", "Whether requests should be sent here", "application/json", &object);
    readyz["responses"]["503"] = json!({
        "description": "They should not: it is ending, or its store does not answer",
        "content": {"application/json": {"schema": object}},
    });
    readyz["security"] = json!([]);
    let mut openapi = plain("openapi", "This document", "application/json", &object);
    openapi["security"] = json!([]);
    let metrics = plain("metrics", "Counters for Prometheus", "text/plain", &text);
    vec![
        ("/healthz", "get", healthz),
        ("/readyz", "get", readyz),
        ("/openapi.json", "get", openapi),
        ("/metrics", "get", metrics),
        ("/dev/memory/{device}", "post", device()),
    ]
}

fn device() -> Value {
    let shape = json!({
        "type": "object",
        "required": ["ok"],
        "properties": {"ok": {"type": "boolean"}, "error": {"type": "string"}},
    });
    let answer = |about: &str| {
        json!({
            "description": about,
            "content": {"application/json": {"schema": shape}},
        })
    };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), answer("Done"));
    for (status, about) in FAILURES {
        // Who may not speak at all is told so in the usual shape.
        let told = if matches!(status, 401 | 403 | 405 | 429) {
            json!({"description": about})
        } else {
            answer(about)
        };
        responses.insert(status.to_string(), told);
    }
    json!({
        "operationId": "device",
        "summary": "Speak JSON to a device: commit, recall or profile",
        "parameters": [{
            "name": "device",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "enum": ["commit", "recall", "profile"]},
        }],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": responses,
    })
}
