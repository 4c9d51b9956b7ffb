//! Jira issues, by version 2 of its REST interface.
//!
//! Version 2 is spoken by the cloud and by servers of one's own. With an e-mail address the
//! token is that of an account in the cloud (basic authentication), without one it is a
//! personal access token (bearer). A description may be text or Atlassian's document tree;
//! of the latter the words are kept.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use nuthatch::error::{Error, Result};
use serde_json::Value;

use super::{Said, Token, Who, ask, base, text_at};
use crate::web::Web;

/// What is asked for: no more than is shown.
const FIELDS: &str = "summary,status,issuetype,priority,assignee,labels,description,comment";

/// How many comments are shown, the newest ones.
const COMMENTS: usize = 5;

/// A Jira server and an account on it.
#[derive(Clone, Debug)]
pub struct Jira {
    base: String,
    email: Option<String>,
    token: Token,
}

impl Jira {
    /// A server at `base_url`.
    ///
    /// # Errors
    /// `invalid`, when the address is none or the token would travel in the open.
    pub fn new(base_url: &str, email: Option<&str>, token: Token) -> Result<Self> {
        let email = email.map(str::trim).filter(|email| !email.is_empty()).map(str::to_owned);
        Ok(Jira { base: base("JIRA_BASE_URL", base_url)?, email, token })
    }

    /// Whether `key` can be one of an issue: letters, a dash, a number.
    #[must_use]
    pub fn is_key(key: &str) -> bool {
        let Some((project, number)) = key.rsplit_once('-') else { return false };
        let letters = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        project.starts_with(|c: char| c.is_ascii_alphabetic())
            && project.len() <= 50
            && project.bytes().all(letters)
            && (1..=12).contains(&number.len())
            && number.bytes().all(|b| b.is_ascii_digit())
    }

    /// Where it is.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn issue(&self, web: &Web, key: &str) -> Result<Said> {
        if !Jira::is_key(key) {
            return Err(Error::invalid(format!("`{key}` is no key of an issue"))
                .with_hint("a key looks like PROJ-123"));
        }
        let url = format!("{}/rest/api/2/issue/{key}?fields={FIELDS}", self.base);
        let thing = format!("issue {key}");
        let variables = "JIRA_EMAIL and JIRA_TOKEN";
        let who = Who { name: "Jira", thing: &thing, variables };
        let answer = ask(web, &url, &self.authorization(), &who)?;
        Ok(render(key, &answer))
    }

    fn authorization(&self) -> String {
        match &self.email {
            Some(email) => {
                let login = format!("{email}:{}", self.token.0);
                format!("Basic {}", BASE64_STANDARD.encode(login))
            }
            None => format!("Bearer {}", self.token.0),
        }
    }
}

fn render(key: &str, issue: &Value) -> Said {
    let title = match text_at(issue, "/fields/summary") {
        Some(summary) => format!("{key}: {summary}"),
        None => key.to_owned(),
    };
    let mut text = String::new();
    let named = [
        ("status", "/fields/status/name"),
        ("type", "/fields/issuetype/name"),
        ("priority", "/fields/priority/name"),
        ("assignee", "/fields/assignee/displayName"),
    ];
    for (name, pointer) in named {
        if let Some(value) = text_at(issue, pointer) {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    let labels: Vec<&str> = issue.pointer("/fields/labels").map(strings).unwrap_or_default();
    if !labels.is_empty() {
        text.push_str(&format!("labels: {}\n", labels.join(", ")));
    }
    if let Some(description) = issue.pointer("/fields/description").map(words) {
        text.push_str(&format!("\n{}\n", description.trim()));
    }
    let comments = issue.pointer("/fields/comment/comments").and_then(Value::as_array);
    let comments = comments.map(Vec::as_slice).unwrap_or_default();
    for comment in &comments[comments.len().saturating_sub(COMMENTS)..] {
        let author = text_at(comment, "/author/displayName").unwrap_or_else(|| "somebody".into());
        let created = text_at(comment, "/created").unwrap_or_default();
        let body = comment.get("body").map(words).unwrap_or_default();
        text.push_str(&format!("\ncomment by {author} {created}\n{}\n", body.trim()));
    }
    Said { title, text: text.trim().to_owned() }
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Deeper than any document that a person wrote.
const DEEPEST: usize = 64;

/// The words of a text or of a document tree.
fn words(value: &Value) -> String {
    let mut out = String::new();
    gather(value, &mut out, 0);
    out
}

fn gather(value: &Value, out: &mut String, depth: usize) {
    match value {
        Value::String(text) if depth == 0 => out.push_str(text),
        Value::Object(node) if depth < DEEPEST => {
            let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
            match kind {
                "text" => out.push_str(node.get("text").and_then(Value::as_str).unwrap_or("")),
                "hardBreak" => out.push('\n'),
                "listItem" => out.push_str("- "),
                _ => {}
            }
            for inner in node.get("content").and_then(Value::as_array).into_iter().flatten() {
                gather(inner, out, depth + 1);
            }
            let block = matches!(kind, "paragraph" | "heading" | "codeBlock" | "blockquote");
            if block && !out.ends_with('\n') {
                out.push('\n');
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_told_from_paths_and_tricks() {
        for key in ["PROJ-1", "a_b2-900"] {
            assert!(Jira::is_key(key), "{key}");
        }
        for key in ["", "PROJ", "-1", "PROJ-", "PROJ-x", "../x-1", "A/B-1", "A-1?x", "1A-1", "É-1"]
        {
            assert!(!Jira::is_key(key), "{key}");
        }
    }

    #[test]
    fn a_document_tree_becomes_words() {
        let paragraph =
            |text: &str| json!({"type": "paragraph", "content": [{"type": "text", "text": text}]});
        let tree = json!({"type": "doc", "version": 1, "content": [
            paragraph("one"),
            {"type": "bulletList", "content": [
                {"type": "listItem", "content": [paragraph("two")]},
                {"type": "listItem", "content": [paragraph("three")]},
            ]},
        ]});
        assert_eq!(words(&tree), "one\n- two\n- three\n");
        assert_eq!(words(&json!("h1. plain")), "h1. plain");
        assert_eq!(words(&json!(null)), "");
    }
}
