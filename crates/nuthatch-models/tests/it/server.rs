//! Answers of endpoints that embed texts, for the server of the test kit.

use nuthatch_testkit::scripted::{Answer, Asked};

/// The texts that are to be embedded.
pub fn texts(asked: &Asked) -> Vec<&str> {
    let texts = asked.body["input"].as_array().expect("there are texts");
    texts.iter().map(|text| text.as_str().expect("a text is text")).collect()
}

pub fn ok(body: &impl ToString) -> Answer {
    Answer::Say(200, "", body.to_string())
}

/// A failure that repeats what it was asked, as some endpoints do.
pub fn status(status: u16) -> Answer {
    let body = "{\"error\": {\"message\": \"your text was: secret plan\"}}";
    Answer::Say(status, "", body.into())
}
