//! A configuration value once it is known to be good, and how it is written down.
//!
//! What is allowed for which key is the business of [`super::shape`].

pub use nuthatch::limits::Limit;
use serde_json::json;

/// A value that fits the shape of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Any kind of text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// A whole number, or none.
    Limit(Limit),
    /// On or off.
    Switch(bool),
    /// Several texts.
    List(Vec<String>),
}

impl Value {
    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Text(text) => json!(text),
            Value::Number(number) | Value::Limit(Limit::At(number)) => json!(number),
            Value::Limit(Limit::None) => json!("none"),
            Value::Switch(on) => json!(on),
            Value::List(items) => json!(items),
        }
    }

    /// The value as it is written in a configuration file.
    pub fn to_toml(&self) -> String {
        let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
        match self {
            Value::Text(content) => text(content),
            Value::Number(number) | Value::Limit(Limit::At(number)) => number.to_string(),
            Value::Limit(Limit::None) => text("none"),
            Value::Switch(on) => on.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|item| text(item)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }
}
