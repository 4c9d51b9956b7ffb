//! Asks a model for a JSON object and reads the answer strictly, with one try to mend it.
//!
//! What a model writes around the object is passed over; what does not have the form that
//! was asked for is shown to it once with the reason. What it cost is counted either way.

use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::model::{ChatModel, ChatRequest, Guarded, Message, Usage};

/// Characters of an unusable answer that are shown to the model again.
const SHOWN_CHARS: usize = 4000;

/// The JSON object in a text, if there is one.
fn json_of(text: &str) -> Option<&str> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    text.get(from..=to)
}

/// Reads an answer in the form that was asked for.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let json = json_of(text).ok_or("there is no JSON object in it")?;
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// Asks, and asks once more if the answer cannot be read. `None` when neither can.
///
/// # Errors
/// What the model says: `unavailable`, or `denied` when the budget has no room.
pub(crate) async fn ask<T: DeserializeOwned>(
    model: &Guarded,
    mut request: ChatRequest,
    usage: &mut Usage,
) -> Result<Option<T>> {
    let first = chat(model, &request, usage).await?;
    let wrong = match read(&first) {
        Ok(answer) => return Ok(Some(answer)),
        Err(wrong) => wrong,
    };
    let shown: String = first.chars().take(SHOWN_CHARS).collect();
    request.messages.push(Message::assistant(shown, Vec::new()));
    request.messages.push(Message::user(format!(
        "That answer cannot be read: {wrong}. Answer again with the JSON object alone, in the form \
         that was described."
    )));
    Ok(read(&chat(model, &request, usage).await?).ok())
}

async fn chat(model: &Guarded, request: &ChatRequest, usage: &mut Usage) -> Result<String> {
    let reply = model.chat(request, &mut |_| {}).await?;
    usage.input_tokens = usage.input_tokens.saturating_add(reply.usage.input_tokens);
    usage.output_tokens = usage.output_tokens.saturating_add(reply.usage.output_tokens);
    Ok(reply.text)
}
