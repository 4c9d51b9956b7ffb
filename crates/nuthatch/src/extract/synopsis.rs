//! What a session was about, told by rules: how it began, how it went on, how it ended.
//!
//! The first request says what was wanted, the last what came of it. Secrets are struck out;
//! a request that gives orders to whoever reads it is not repeated.

use crate::guard::{Verdict, examine, redact};

use super::prose::sentences;
use super::shortened;

/// Characters of each request.
const REQUEST_CHARS: usize = 240;

/// Gathers what is needed for a synopsis.
#[derive(Clone, Debug, Default)]
pub struct Story {
    title: Option<String>,
    first: Option<String>,
    last: Option<String>,
    requests: usize,
}

impl Story {
    /// A story with a title that is known.
    pub fn titled(title: Option<&str>) -> Self {
        Story { title: title.and_then(told), ..Story::default() }
    }

    /// A person speaks.
    pub fn heard(&mut self, text: &str) {
        self.requests += 1;
        let prose: Vec<String> = sentences(text).into_iter().map(|one| one.text).collect();
        let Some(told) = told(&prose.join(". ")) else { return };
        if self.first.is_none() {
            self.first = Some(told);
        } else {
            self.last = Some(told);
        }
    }

    /// The synopsis.
    pub fn done(self) -> String {
        let Some(first) = self.first.or(self.title.clone()) else { return String::new() };
        let mut text = match self.title.filter(|title| *title != first) {
            Some(title) => format!("{title}. The user asked: {first}"),
            None => format!("The user asked: {first}"),
        };
        if let Some(last) = self.last {
            text.push_str(&format!(" | {} requests, the last: {last}", self.requests));
        }
        text
    }
}

fn told(text: &str) -> Option<String> {
    let told = shortened(&redact(text).0, REQUEST_CHARS);
    (!told.is_empty() && examine(&told).verdict == Verdict::Accept).then_some(told)
}
