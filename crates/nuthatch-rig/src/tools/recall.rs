//! `recall`: finds what was remembered.
//!
//! It sees what can be seen from the thread's place, and no model can widen that.

use nuthatch::error::Error;
use nuthatch::place::Wanted;
use nuthatch::recall::RecallRequest;
use rig_core::tool::{PortableTool, ToolExecutionError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer, failed};
use crate::Thread;

/// Finds what was remembered.
pub struct Recall {
    thread: Thread,
}

impl Recall {
    /// The tool of a thread.
    #[must_use]
    pub fn new(thread: Thread) -> Self {
        Recall { thread }
    }
}

/// What a model says to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    query: String,
    limit: Option<usize>,
    category: Option<String>,
    since: Option<String>,
    until: Option<String>,
}

impl PortableTool for Recall {
    const NAME: &'static str = "recall";
    type Args = Arguments;
    type Output = String;
    type Error = Error;

    fn description(&self) -> String {
        "Find what was remembered in earlier conversations, best first, each with its id and a \
         score from 0 to 1. No hit means nothing is known."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "What to look for, in plain words; \"*\" means the newest",
                },
                "limit": {"type": "integer", "description": "At most so many, 10 if not said"},
                "category": {"type": "string", "description": "Only this category"},
                "since": {
                    "type": "string",
                    "description": "Stored at or after: 7d, yesterday, 2026-03-01",
                },
                "until": {"type": "string", "description": "Stored at or before"},
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    }

    fn map_error(&self, error: Error) -> ToolExecutionError {
        failed(&error)
    }

    async fn call(&self, said: Arguments) -> Result<String, Error> {
        let place = self.thread.place();
        let wanted = Wanted {
            categories: said.category.into_iter().collect(),
            since: said.since,
            until: said.until,
            ..Wanted::default()
        };
        let request = RecallRequest {
            limit: said.limit.unwrap_or(place.usual().limit),
            mode: place.usual().mode,
            ..RecallRequest::new(said.query, place.filter(&wanted, None)?)
        };
        Ok(answer::recalled(&place.engine().recall(&request).await?, place))
    }
}
