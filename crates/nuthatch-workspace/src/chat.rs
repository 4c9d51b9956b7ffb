//! A conversation with an agent: what is said, what it may do, and what is kept.
//!
//! The model may ask for tools; [`Hands`] carry them out, and decide what a person has to
//! approve. A conversation that is broken off, by an error or by the person, keeps what was
//! finished and forgets the rest, so that it can go on.

use async_trait::async_trait;
use nuthatch::error::Result;
use nuthatch::model::{ChatModel, ChatRequest, Message, Tool, ToolCall, Usage};
use serde_json::{Value, json};

/// Calls in a row without a word to the person: more is a model going in circles.
const MOST_ROUNDS: usize = 12;
/// Characters of what a tool says that go to the model.
const LONGEST_RESULT: usize = 16_000;

/// Carries out what a model asks for.
#[async_trait]
pub trait Hands: Send {
    /// What can be asked for.
    fn tools(&self) -> Vec<Tool>;

    /// Does it, and says what came of it. A refusal is an answer, too.
    ///
    /// # Errors
    /// Only where the conversation itself cannot go on.
    async fn call(&mut self, call: &ToolCall) -> Result<String>;
}

/// A conversation.
pub struct Chat {
    system: String,
    /// What is noted while it goes on; stands last, where it weighs most.
    noted: String,
    messages: Vec<Message>,
    spent: Usage,
}

/// What came of one thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What the model said in the end.
    pub text: String,
    /// What it did on the way, by name.
    pub done: Vec<String>,
}

impl Chat {
    /// A conversation under a system text.
    pub fn new(system: impl Into<String>) -> Self {
        let (noted, messages) = (String::new(), Vec::new());
        Chat { system: system.into(), noted, messages, spent: Usage::default() }
    }

    /// Replaces what stands behind the system text.
    pub fn note(&mut self, noted: &str) {
        noted.clone_into(&mut self.noted);
    }

    fn system(&self) -> String {
        let parts = [self.system.as_str(), self.noted.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// What it has cost so far.
    #[must_use]
    pub fn spent(&self) -> Usage {
        self.spent
    }

    /// Says something and waits for the answer. Where it fails, or nobody waits for it any
    /// more, it counts as never said.
    ///
    /// # Errors
    /// Whatever the model or the hands say.
    pub async fn say(
        &mut self,
        text: &str,
        model: &dyn ChatModel,
        hands: &mut dyn Hands,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Answered> {
        // On a copy: whatever ends this early leaves the conversation as it was.
        let mut messages = self.messages.clone();
        messages.push(Message::user(text));
        let mut done = Vec::new();
        for round in 0.. {
            // In the end it has to say something.
            let tools = if round < MOST_ROUNDS { hands.tools() } else { Vec::new() };
            let request = ChatRequest {
                system: self.system(),
                messages: messages.clone(),
                tools,
                max_tokens: None,
            };
            let reply = model.chat(&request, heard).await?;
            self.spent.input_tokens += reply.usage.input_tokens;
            self.spent.output_tokens += reply.usage.output_tokens;
            messages.push(Message::assistant(reply.text.clone(), reply.calls.clone()));
            if reply.calls.is_empty() || round >= MOST_ROUNDS {
                self.messages = messages;
                return Ok(Answered { text: reply.text, done });
            }
            for call in &reply.calls {
                let said = hands.call(call).await?;
                done.push(call.name.clone());
                messages.push(Message::tool(&call.id, shortened(&said)));
            }
        }
        Ok(Answered { text: String::new(), done })
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_RESULT) {
        Some((at, _)) => format!("{}\n[… cut]", &text[..at]),
        None => text.to_owned(),
    }
}

/// The tools of a chat, as models are told of them.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| Tool {
        name: name.into(),
        description: description.into(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    };
    vec![
        tool(
            "save_memory",
            "Remember something for good. Use it when the person asks to remember, or states a \
             preference, a convention or a restriction; not for what matters only now.",
            json!({
                "content": text("What to remember, in one sentence"),
                "category": text("preference, personal_fact, workflow, restriction, convention or core"),
            }),
            &["content"],
        ),
        tool(
            "save_session_context",
            "Note something that was found out and matters for the rest of this conversation.",
            json!({
                "content": text("What was found out"),
                "category": text("host_info, environment, working_directory, service_state or discovery"),
            }),
            &["content"],
        ),
        tool(
            "recall",
            "Look up what is remembered.",
            json!({"query": text("What to look for")}),
            &["query"],
        ),
        tool(
            "ask_user",
            "Ask the person a question and wait for the answer.",
            json!({"question": text("The question")}),
            &["question"],
        ),
        tool(
            "shell",
            "Run a shell command in the project, in a sandbox without network. The person has to \
             approve each one.",
            json!({"command": text("The command line")}),
            &["command"],
        ),
    ]
}

#[cfg(test)]
mod tests;
