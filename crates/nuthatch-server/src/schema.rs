//! Shapes as JSON Schema, in the part of it that every client understands.
//!
//! Some clients refuse a list of types, numeric formats, references or a null default, so
//! what a caller may leave out is simply not required, and everything is written in place.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The shape of an object.
pub type Shape = Map<String, Value>;

/// What a caller sends to a tool.
#[must_use]
pub fn input<T: JsonSchema>() -> Shape {
    let mut shape = body::<T>();
    // Refused all the same, but some clients choke on the word.
    shape.remove("additionalProperties");
    shape
}

/// What a caller sends as the body of a request, where `null` is as good as absent.
#[must_use]
pub fn nullable<T: JsonSchema>() -> Shape {
    let mut shape = generated::<T>(SchemaSettings::draft2020_12().for_deserialize());
    simplify(&mut shape, Side::Output);
    into_object(shape)
}

/// What a caller sends, in the simplest words.
#[must_use]
pub fn body<T: JsonSchema>() -> Shape {
    let mut shape = generated::<T>(SchemaSettings::draft2020_12().for_deserialize());
    simplify(&mut shape, Side::Input);
    into_object(shape)
}

/// What is answered.
#[must_use]
pub fn output<T: JsonSchema>() -> Shape {
    let mut shape = generated::<T>(SchemaSettings::draft2020_12().for_serialize());
    simplify(&mut shape, Side::Output);
    into_object(shape)
}

fn generated<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut shape = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = shape.as_object_mut() {
        for name in ["$schema", "title", "description"] {
            object.remove(name);
        }
    }
    shape
}

fn into_object(shape: Value) -> Shape {
    match shape {
        Value::Object(object) => object,
        _ => Shape::new(),
    }
}

/// Who has to understand it: a model that writes, or a program that reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

fn simplify(shape: &mut Value, side: Side) {
    match shape {
        Value::Array(items) => items.iter_mut().for_each(|item| simplify(item, side)),
        Value::Object(object) => {
            if side == Side::Input {
                drop_null_choice(object);
            }
            flatten_words(object);
            flatten_types(object, side);
            flatten_tuple(object);
            if let Some(Value::String(told)) = object.get_mut("description") {
                *told = told.replace('\n', " ");
            }
            if side == Side::Input {
                object.remove("format");
                if object.get("default") == Some(&Value::Null) {
                    object.remove("default");
                }
            } else if object.get("format").and_then(Value::as_str).is_some_and(is_numeric) {
                object.remove("format");
            }
            object.values_mut().for_each(|value| simplify(value, side));
        }
        _ => {}
    }
}

fn is_numeric(format: &str) -> bool {
    matches!(format, "double" | "float")
        || format.trim_start_matches('u').strip_prefix("int").is_some()
}

/// A choice of documented words is one list of words.
fn flatten_words(object: &mut Shape) {
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|one| one.get("const").cloned()).collect();
    if let Some(words) = words {
        object.remove("oneOf");
        object.insert("type".to_owned(), json!("string"));
        object.insert("enum".to_owned(), Value::Array(words));
    }
}

/// `["string", "null"]` is what nobody agrees on: a value that may be left out, or one of two.
fn flatten_types(object: &mut Shape, side: Side) {
    let Some(Value::Array(types)) = object.get("type") else { return };
    let types = types.clone();
    object.remove("type");
    let real: Vec<&Value> = types.iter().filter(|kind| **kind != "null").collect();
    match (side, real.as_slice()) {
        (Side::Input, [kind]) => {
            object.insert("type".to_owned(), (*kind).clone());
        }
        _ => {
            let choices = types.iter().map(|kind| json!({"type": kind})).collect();
            object.insert("anyOf".to_owned(), Value::Array(choices));
        }
    }
}

/// A pair is a list of two; few clients know more about it.
fn flatten_tuple(object: &mut Shape) {
    if let Some(places) = object.remove("prefixItems") {
        object.insert("items".to_owned(), json!({"anyOf": places}));
    }
}

fn drop_null_choice(object: &mut Shape) {
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
    if let [only] = choices.as_mut_slice() {
        let only = only.take();
        object.remove("anyOf");
        for (name, value) in into_object(only) {
            object.entry(name).or_insert(value);
        }
    }
}
