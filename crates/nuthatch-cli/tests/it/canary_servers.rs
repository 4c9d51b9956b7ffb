//! Every tool of MCP and every route of HTTP, with a secret planted at every place that takes
//! a text: no file holds it afterwards.
//!
//! Nothing is listed by hand: the servers are asked what they offer and what each takes, so
//! that a new tool, route or field has its canary at once.

use serde_json::{Map, Value, json};

use crate::canary::{assert_no_bytes, secret};
use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

/// A schema with its references followed.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let Some(path) = schema["$ref"].as_str() else { return schema };
    resolved(root.pointer(path.trim_start_matches('#')).expect("a reference leads somewhere"), root)
}

/// The kinds of value that a schema allows, references and alternatives followed.
fn variants<'a>(schema: &'a Value, root: &'a Value) -> Vec<&'a Value> {
    let schema = resolved(schema, root);
    let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema[*name].as_array());
    let inner: Vec<&Value> = lists.flatten().flat_map(|inner| variants(inner, root)).collect();
    if inner.is_empty() { vec![schema] } else { inner }
}

fn is(schema: &Value, kind: &str) -> bool {
    let listed = schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)));
    schema["type"] == kind || listed
}

/// Something that a field which must be there could be.
fn usual(name: &str, schema: &Value, root: &Value) -> Value {
    let variants = variants(schema, root);
    let one = variants[0];
    if let Some(first) = one["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match name {
        "id" | "ids" | "key" | "old" => json!("editor"),
        _ if is(one, "integer") || is(one, "number") => json!(1),
        _ if is(one, "boolean") => json!(true),
        _ if is(one, "array") => json!(["uses tabs"]),
        _ if is(one, "object") => json!({}),
        _ => json!("uses tabs"),
    }
}

/// Every way to put a text into a field.
fn planted(schema: &Value, root: &Value) -> Vec<Value> {
    let secret = secret();
    let of = |schema: &Value| match schema {
        s if is(s, "string") && s["enum"].is_null() => {
            vec![json!(secret), json!(format!("it is {secret}."))]
        }
        s if is(s, "array") => vec![json!([secret])],
        s if is(s, "object") => vec![json!({"why": secret}), json!({ (secret.clone()): "why" })],
        _ => Vec::new(),
    };
    variants(schema, root).into_iter().flat_map(of).collect()
}

/// Bodies with a secret in each field in turn.
fn bodies(schema: &Value, root: &Value) -> Vec<Value> {
    let mut bodies = Vec::new();
    for schema in variants(schema, root) {
        let Some(fields) = schema["properties"].as_object() else { continue };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let whole: Map<String, Value> = required
            .iter()
            .map(|name| ((*name).to_owned(), usual(name, &fields[*name], root)))
            .collect();
        for (name, field) in fields {
            for value in planted(field, root) {
                let mut body = whole.clone();
                body.insert(name.clone(), value);
                bodies.push(Value::Object(body));
            }
        }
    }
    bodies
}

fn stocked(store: &str) -> Sandbox {
    let sandbox = Sandbox::new().with_env("NUTHATCH_STORE", store);
    sandbox.line("remember --key editor uses tabs").ok();
    sandbox
}

const STORES: [&str; 3] = ["sqlite:memory.db", "markdown:notes", "json:memory.json"];

#[test]
fn a_secret_passes_by_no_tool() {
    for store in STORES {
        let sandbox = stocked(store);
        let mut agent = Agent::start(&sandbox);
        let tools = agent.request("tools/list", &json!({}))["tools"].clone();
        let mut planted = 0;
        for tool in tools.as_array().unwrap() {
            let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
            for body in bodies(schema, schema) {
                agent.call(name, &body);
                planted += 1;
            }
        }
        assert!(planted > 20, "only {planted} were planted");
        assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
        agent.hang_up();
        assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
    }
}

#[test]
fn a_secret_passes_by_no_route() {
    for store in STORES {
        let sandbox = stocked(store);
        let served = Served::start(&sandbox);
        let (_, described) = served.ask("GET /openapi.json", &Value::Null);
        let mut planted = 0;
        for (path, methods) in described["paths"].as_object().expect("routes are described") {
            let inside = |value: &str| {
                path.split('{')
                    .map(|part| {
                        part.split_once('}')
                            .map_or(part.to_owned(), |(_, rest)| format!("{value}{rest}"))
                    })
                    .collect::<String>()
            };
            for method in ["post", "put", "patch", "delete", "get"] {
                let operation = &methods[method];
                if operation.is_null() {
                    continue;
                }
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let method = method.to_uppercase();
                for body in bodies(schema, &described) {
                    served.ask(&format!("{method} {}", inside("editor")), &body);
                    planted += 1;
                }
                if path.contains('{') {
                    served.ask(&format!("{method} {}", inside(&secret())), &json!({}));
                    planted += 1;
                }
            }
        }
        assert!(planted > 20, "only {planted} were planted");
        assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
        served.end();
        assert_no_bytes(&sandbox.root(), &secret().as_bytes()[4..]);
    }
}
