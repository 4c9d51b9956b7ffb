//! Shapes that every client understands, and answers that keep to them.

use nuthatch_server::http::routes;
use nuthatch_server::mcp::tools;
use serde_json::{Value, json};

fn visit(shape: &Value, path: &str, check: &dyn Fn(&str, &Value)) {
    check(path, shape);
    match shape {
        Value::Object(object) => {
            object.iter().for_each(|(name, one)| visit(one, &format!("{path}/{name}"), check));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, one)| visit(one, &format!("{path}/{n}"), check));
        }
        _ => {}
    }
}

#[test]
fn no_shape_has_what_a_client_refuses() {
    for tool in tools::all() {
        let input = Value::Object((*tool.input_schema).clone());
        let output = Value::Object((**tool.output_schema.as_ref().unwrap()).clone());
        for (side, shape) in [("in", &input), ("out", &output)] {
            visit(shape, &format!("{} {side}", tool.name), &|path, one| {
                assert!(!one["type"].is_array(), "{path} has a list of types");
                for word in ["$ref", "$defs", "$schema", "oneOf", "allOf"] {
                    assert!(one.get(word).is_none(), "{path} has {word}");
                }
                let format = one["format"].as_str().unwrap_or_default();
                assert!(!format.contains("int"), "{path} has the format {format}");
            });
        }
        visit(&input, &tool.name, &|path, one| {
            assert!(one.get("anyOf").is_none(), "{path} has a choice");
            assert!(one.get("additionalProperties") != Some(&json!(false)), "{path}");
            assert!(one.get("default") != Some(&Value::Null), "{path} has a null default");
        });
        let properties = input["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{} {name} says nothing", tool.name);
            assert!(property["type"].is_string(), "{} {name} has no type", tool.name);
        }
    }
}

#[test]
fn every_route_has_a_name_and_a_line_about_it() {
    let mut names = std::collections::BTreeSet::new();
    for endpoint in routes::all() {
        assert!(!endpoint.summary.is_empty());
        assert!(names.insert(endpoint.operation), "{} is there twice", endpoint.operation);
        assert_eq!(endpoint.answer["type"], "object", "{}", endpoint.path);
    }
}
