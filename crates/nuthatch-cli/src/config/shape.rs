//! What values a key takes, and the one place where a value is judged.
//!
//! A value arrives as text (environment, flags, defaults) or as TOML (files); both ways
//! end in the same checks. Nothing is ever guessed: what does not fit is a [`Problem`]
//! that says what was expected and what was found.

use std::net::SocketAddr;

use toml::de::DeValue;

use super::stores;
use super::value::{Limit, Value};
use super::wording::{Problem, alternatives, did_you_mean, nearest, quoted};

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text that is not empty.
    Text,
    /// A store's URL or path. Never repeated in an error, for it may hold a password.
    Store,
    /// An `http` or `https` address. Never repeated in an error either.
    Url,
    /// The name of an environment variable. Never repeated: people paste the key itself.
    VariableName,
    /// An explicit project key.
    ProjectKey,
    /// Host and port to listen on.
    Address,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words.
    Choices(&'static [&'static str]),
    /// A whole number within bounds.
    Number { min: u64, max: u64 },
    /// A whole number from zero, or the word `none`.
    Limit { max: u64 },
    /// True or false.
    Switch,
    /// Any texts.
    List,
    /// Names of files, without folders.
    FileNames,
}

impl Shape {
    /// What fits, as the end of "expected …".
    pub fn expected(self) -> String {
        match self {
            Shape::Text => "text".to_owned(),
            Shape::Store => "a store such as \"sqlite:PATH\" or a path".to_owned(),
            Shape::Url => "an address that begins with http:// or https://".to_owned(),
            Shape::VariableName => "the name of an environment variable".to_owned(),
            Shape::ProjectKey => {
                "up to 64 letters, digits, dots, dashes and underscores, a letter or digit first"
                    .to_owned()
            }
            Shape::Address => "an address and port such as 127.0.0.1:7787".to_owned(),
            Shape::Choice(names) => alternatives(names),
            Shape::Choices(names) => format!("a list of {}", alternatives(names)),
            Shape::Number { min, max } => whole_number(min, max),
            Shape::Limit { max } => format!("{}, or \"none\"", whole_number(0, max)),
            Shape::Switch => "true or false".to_owned(),
            Shape::List => "a list of texts".to_owned(),
            Shape::FileNames => "a list of file names without folders".to_owned(),
        }
    }

    /// Reads a value as the environment and flags give it; lists are comma-separated.
    pub fn read_text(self, text: &str) -> Result<Value, Problem> {
        let text = text.trim();
        match self {
            Shape::List | Shape::FileNames | Shape::Choices(_) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                self.check_list(items.map(str::to_owned).collect())
            }
            _ if text.is_empty() => Err(self.mismatch("nothing")),
            Shape::Limit { .. } if text == "none" => Ok(Value::Limit(Limit::None)),
            Shape::Number { .. } | Shape::Limit { .. } => match text.parse() {
                Ok(number) => self.check_number(number),
                Err(_) => Err(self.mismatch(&quoted(text))),
            },
            Shape::Switch => match text {
                "true" | "1" => Ok(Value::Switch(true)),
                "false" | "0" => Ok(Value::Switch(false)),
                other => Err(self.mismatch(&quoted(other))),
            },
            _ => self.check_text(text),
        }
    }

    /// Reads a value as a file gives it.
    pub fn read_toml(self, value: &DeValue<'_>) -> Result<Value, Problem> {
        match (self, value) {
            (Shape::Switch, DeValue::Boolean(on)) => Ok(Value::Switch(*on)),
            (Shape::Limit { .. }, DeValue::String(text)) if text == "none" => {
                Ok(Value::Limit(Limit::None))
            }
            (Shape::Number { .. } | Shape::Limit { .. }, DeValue::Integer(integer)) => {
                match u64::from_str_radix(integer.as_str(), integer.radix()) {
                    Ok(number) => self.check_number(number),
                    Err(_) => Err(self.mismatch(&quoted(&integer.to_string()))),
                }
            }
            (Shape::List | Shape::FileNames | Shape::Choices(_), DeValue::Array(items)) => {
                let texts: Option<Vec<String>> =
                    items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
                match texts {
                    Some(texts) => self.check_list(texts),
                    None => Err(self.mismatch("a list with something else in it")),
                }
            }
            (Shape::Number { .. } | Shape::Limit { .. } | Shape::Switch, _)
            | (Shape::List | Shape::FileNames | Shape::Choices(_), _) => {
                Err(self.mismatch(&kind_of(value)))
            }
            (_, DeValue::String(text)) => self.check_text(text),
            _ => Err(self.mismatch(&kind_of(value))),
        }
    }

    fn check_number(self, number: u64) -> Result<Value, Problem> {
        match self {
            Shape::Number { min, max } if (min..=max).contains(&number) => {
                Ok(Value::Number(number))
            }
            Shape::Limit { max } if number <= max => Ok(Value::Limit(Limit::At(number))),
            _ => Err(self.mismatch(&number.to_string())),
        }
    }

    fn check_text(self, text: &str) -> Result<Value, Problem> {
        if text.trim().is_empty() {
            return Err(self.mismatch("nothing"));
        }
        if text.chars().any(char::is_control) {
            return Err(self.mismatch("text with a control character in it"));
        }
        let fits = match self {
            Shape::Store => return stores::check(text).map(|()| Value::Text(text.to_owned())),
            Shape::Url => is_http(text),
            Shape::VariableName => is_variable_name(text),
            Shape::ProjectKey => is_project_key(text),
            Shape::Address => is_address(text),
            Shape::Choice(names) => names.contains(&text),
            _ => true,
        };
        match (fits, self) {
            (true, _) => Ok(Value::Text(text.to_owned())),
            (false, Shape::Url | Shape::VariableName) => Err(self.mismatch("something else")),
            (false, Shape::Choice(names)) => Err(self.not_among(text, names)),
            (false, _) => Err(self.mismatch(&quoted(text))),
        }
    }

    fn check_list(self, items: Vec<String>) -> Result<Value, Problem> {
        for item in &items {
            if item.trim().is_empty() || item.chars().any(char::is_control) {
                return Err(self.mismatch("an empty text or a control character"));
            }
            match self {
                Shape::Choices(names) if !names.contains(&item.as_str()) => {
                    return Err(self.not_among(item, names));
                }
                Shape::FileNames if !is_file_name(item) => {
                    return Err(self.mismatch(&quoted(item)));
                }
                _ => {}
            }
        }
        Ok(Value::List(items))
    }

    fn mismatch(self, found: &str) -> Problem {
        Problem::new(format!("expected {}, found {found}", self.expected()))
    }

    fn not_among(self, text: &str, names: &'static [&'static str]) -> Problem {
        let near = nearest(text, names.iter().copied());
        self.mismatch(&quoted(text)).with_hint(near.map(did_you_mean))
    }
}

fn whole_number(min: u64, max: u64) -> String {
    match (min, max >= i64::MAX as u64) {
        (0, true) => "a whole number".to_owned(),
        (min, true) => format!("a whole number from {min} up"),
        (min, false) => format!("a whole number from {min} to {max}"),
    }
}

fn kind_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(_) | DeValue::Float(_) => "a number".to_owned(),
        DeValue::Boolean(on) => on.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a section".to_owned(),
    }
}

fn is_http(text: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .filter_map(|scheme| text.strip_prefix(scheme))
        .any(|rest| !rest.is_empty() && !rest.starts_with('/') && !rest.contains(' '))
}

fn is_variable_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn is_project_key(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
}

fn is_address(text: &str) -> bool {
    let port = text.strip_prefix("localhost:");
    port.is_some_and(|port| port.parse::<u16>().is_ok()) || text.parse::<SocketAddr>().is_ok()
}

fn is_file_name(text: &str) -> bool {
    !text.contains(['/', '\\']) && text != "." && text != ".."
}
