//! Trackers: what a requirement or an issue says, as text.
//!
//! Each speaks to the one server that the user configured, with the user's token, over
//! https or on this machine, and follows no redirection with it. What goes wrong is an error
//! that the caller turns into a note.

mod braingrid;
mod jira;

use std::fmt;

use nuthatch::error::{Error, Kind, Result};
use serde_json::Value;

use crate::web::{Ask, Follow, Reply, Url, Web, header};

pub use braingrid::Braingrid;
pub use jira::Jira;

/// A token that is never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token as it was configured.
    ///
    /// # Errors
    /// `invalid`, when it is empty or cannot be sent; `what` names it.
    pub fn new(what: &str, text: &str) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::invalid(format!("{what} holds no token")));
        }
        Ok(Token(text.to_owned()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// What a tracker says about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) title: String,
    pub(crate) text: String,
}

/// The base address of a tracker, checked, without a slash at its end.
fn base(what: &str, text: &str) -> Result<String> {
    let wrong = |why: &str| {
        Error::invalid(format!("{what} {why}"))
            .with_hint("an address looks like https://example.atlassian.net")
    };
    let text = text.trim().trim_end_matches('/');
    let url = Url::parse(text).map_err(|error| wrong(&format!("is wrong: {error}")))?;
    if text.contains(['?', '#']) {
        return Err(wrong("must not carry a query"));
    }
    if !url.is_secure() && !url.is_loopback() {
        return Err(wrong("must be https where a token is sent to another machine"));
    }
    Ok(text.to_owned())
}

/// Asks a tracker for JSON.
fn ask(web: &Web, url: &str, authorization: &str, who: &Who<'_>) -> Result<Value> {
    let parsed = Url::parse(url)?;
    let headers = [("authorization", authorization), ("accept", "application/json")];
    let ask = Ask { headers: &headers, follow: Follow::Nothing };
    let reply = web.for_server(&parsed).get(url, ask)?;
    judge(&reply, who)?;
    serde_json::from_slice(&reply.body).map_err(|_| {
        Error::unavailable(format!("{} answers with something that is no JSON", who.name))
    })
}

/// Whom a message is about.
struct Who<'a> {
    name: &'a str,
    thing: &'a str,
    variables: &'a str,
}

fn judge(reply: &Reply, who: &Who<'_>) -> Result<()> {
    let Who { name, thing, variables } = who;
    let status = reply.status;
    Err(match status {
        200..=299 => return Ok(()),
        401 | 403 => Error::new(Kind::Denied, format!("{name} refuses the credentials ({status})"))
            .with_hint(format!("check {variables}")),
        404 => Error::not_found(format!("{name} knows no {thing}"))
            .with_hint("is it written right, and may this account see it?"),
        408 | 429 => {
            let wait = reply.header(header::RETRY_AFTER).and_then(|text| text.trim().parse().ok());
            let wish = wait.map(|seconds: u64| format!(" for {seconds} s")).unwrap_or_default();
            Error::unavailable(format!("{name} asks to be left alone{wish} ({status})"))
        }
        300..=399 => Error::unavailable(format!("{name} points elsewhere ({status})"))
            .with_hint("configure the address it has moved to"),
        _ => Error::unavailable(format!("{name} fails ({status})")),
    })
}

/// Characters of a name that go into a path as they are.
fn is_plain(text: &str) -> bool {
    let right = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&text.len()) && text.bytes().all(right)
}

/// A text anywhere in an answer, if it is there and says something.
fn text_at(value: &Value, pointer: &str) -> Option<String> {
    let text = value.pointer(pointer)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
