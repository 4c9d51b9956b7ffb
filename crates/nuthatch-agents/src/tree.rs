//! What is written into a configuration file: a value that keeps the order of its keys.
//!
//! Rendered as JSON here; `toml` and `yaml` write it in their own way. Numbers are whole,
//! because no product wants others of us.

use serde_json::Value;

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Members in this order.
    Object(Vec<(String, Tree)>),
    /// Elements.
    Array(Vec<Tree>),
    /// Text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// Yes or no.
    Bool(bool),
}

impl Tree {
    /// An object of these members.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Tree); N]) -> Tree {
        Tree::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Tree {
        Tree::Text(text.into())
    }

    /// An array of texts.
    #[must_use]
    pub fn texts<S: AsRef<str>>(texts: &[S]) -> Tree {
        Tree::Array(texts.iter().map(|text| Tree::text(text.as_ref())).collect())
    }

    /// The same as a value that can be compared; order of keys does not count there.
    #[must_use]
    pub fn value(&self) -> Value {
        match self {
            Tree::Object(members) => {
                members.iter().map(|(key, tree)| (key.clone(), tree.value())).collect()
            }
            Tree::Array(elements) => elements.iter().map(Tree::value).collect(),
            Tree::Text(text) => Value::from(text.as_str()),
            Tree::Number(number) => Value::from(*number),
            Tree::Bool(bool) => Value::from(*bool),
        }
    }

    /// As JSON on one line.
    #[must_use]
    pub fn inline(&self) -> String {
        match self {
            Tree::Object(members) if members.is_empty() => "{}".to_owned(),
            Tree::Object(members) => {
                let members =
                    members.iter().map(|(key, tree)| format!("{}: {}", quoted(key), tree.inline()));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
            }
            Tree::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(Tree::inline).collect();
                format!("[{}]", elements.join(", "))
            }
            Tree::Text(text) => quoted(text),
            Tree::Number(number) => number.to_string(),
            Tree::Bool(bool) => bool.to_string(),
        }
    }

    /// As JSON over several lines, the first of which stands at `indent` already.
    #[must_use]
    pub fn pretty(&self, indent: &str, unit: &str, newline: &str) -> String {
        let deeper = format!("{indent}{unit}");
        let (open, close, items) = match self {
            Tree::Object(members) if !members.is_empty() => {
                let items = members.iter().map(|(key, tree)| {
                    format!("{}: {}", quoted(key), tree.pretty(&deeper, unit, newline))
                });
                ('{', '}', items.collect::<Vec<_>>())
            }
            Tree::Array(elements) if elements.iter().any(Tree::is_container) => {
                let items = elements.iter().map(|tree| tree.pretty(&deeper, unit, newline));
                ('[', ']', items.collect())
            }
            flat => return flat.inline(),
        };
        let items = items.join(&format!(",{newline}{deeper}"));
        format!("{open}{newline}{deeper}{items}{newline}{indent}{close}")
    }

    fn is_container(&self) -> bool {
        matches!(self, Tree::Object(_) | Tree::Array(_))
    }
}

/// A text as JSON writes it, which TOML and YAML read as well.
#[must_use]
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
