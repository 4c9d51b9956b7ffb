//! What can go wrong, sorted into the six kinds that every door understands.
//!
//! A door never looks deeper than [`Kind`]: it maps the kind to an exit code, an HTTP
//! status or a protocol error, prints the message, and the hint where there is one.
//! Messages never carry a memory's content.

use serde::{Deserialize, Serialize};

/// The result of everything in this library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The six kinds of failure. Doors translate kinds, never messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The request itself is wrong: fix it and try again.
    Invalid,
    /// What was asked for does not exist.
    NotFound,
    /// Somebody else changed it first, or it would break a limit.
    Conflict,
    /// Not allowed.
    Denied,
    /// Something this depends on cannot be used right now: a file, a store, a server.
    Unavailable,
    /// A bug, or a machine that broke a promise.
    Internal,
}

impl Kind {
    /// Every kind, for tables and their tests.
    pub const ALL: [Kind; 6] = [
        Kind::Invalid,
        Kind::NotFound,
        Kind::Conflict,
        Kind::Denied,
        Kind::Unavailable,
        Kind::Internal,
    ];

    /// The name used on the wire, for example `not_found`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::NotFound => "not_found",
            Kind::Conflict => "conflict",
            Kind::Denied => "denied",
            Kind::Unavailable => "unavailable",
            Kind::Internal => "internal",
        }
    }
}

/// A failure: its kind, a sentence, and a hint where there is one.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), hint: None, source: None }
    }

    /// The request is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// The thing asked for is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    /// Another change came first, or a limit would be broken.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    /// Something this depends on cannot be used right now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// A promise was broken that should have held.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// Adds what the reader can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Keeps the failure underneath, for logs and debuggers.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Which of the six kinds this is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the reader can do about it, if anything is known to help.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}
