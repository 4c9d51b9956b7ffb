//! A key for an endpoint.
//!
//! Read from the variable that the configuration names, sent to one address alone, never over
//! plain HTTP to another machine (`http`), and never shown.

use std::fmt;

use nuthatch::error::{Error, Result};

/// A key, and the name of the variable it came from.
#[derive(Clone)]
pub struct ApiKey {
    variable: String,
    text: String,
}

impl ApiKey {
    /// Reads the key from a variable of the environment.
    ///
    /// # Errors
    /// `invalid`, when there is no such variable or it holds no key.
    pub fn from_env(variable: &str) -> Result<Self> {
        ApiKey::new(variable, std::env::var(variable).unwrap_or_default())
    }

    /// A key that was read from `variable` before.
    ///
    /// # Errors
    /// `invalid`, when it is empty or cannot be sent.
    pub fn new(variable: &str, text: impl Into<String>) -> Result<Self> {
        let text = text.into().trim().to_owned();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            let message = format!("the variable {variable} holds no API key");
            return Err(Error::invalid(message).with_hint("set it, or change `api_key_env`"));
        }
        Ok(ApiKey { variable: variable.to_owned(), text })
    }

    /// The variable the key came from.
    #[must_use]
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// As most endpoints want it.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.text)
    }

    /// The key itself, for a header of its own.
    pub(crate) fn bare(&self) -> String {
        self.text.clone()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey(from {})", self.variable)
    }
}
