//! What is in the files: memories as text, and devices as a conversation of requests and
//! answers.
//!
//! Knows nothing of the kernel; `files` carries it there.

use nuthatch::Place;
use nuthatch::device::{self, DEVICES, DeviceContext};
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::trust::{Origin, Trust};
use serde_json::{Deserializer, Value, json};

use super::tree::Node;
use crate::verbs::preamble::{self, PreambleArgs};

/// Memories that are listed in their folder; any other can still be read by its id.
const LISTED: u64 = 1000;
/// Most bytes of a request: more than any memory.
pub const MOST_BYTES: usize = 1024 * 1024;

/// What a file says.
///
/// # Errors
/// `not_found` for a memory that is gone, and for what is no file.
pub async fn text(place: &Place, node: Node) -> Result<String> {
    match node {
        Node::Document => {
            let block = preamble::preamble(place, PreambleArgs::default(), None).await?;
            Ok(block.text)
        }
        Node::Memory(id) => Ok(format!("{}\n", place.engine().show(id).await?.memory.content)),
        _ => Err(Error::not_found("no such file")),
    }
}

/// The memories that are listed, newest first: those that may stand in a prompt.
///
/// # Errors
/// Whatever the store says.
pub async fn memories(place: &Place) -> Result<Vec<MemoryId>> {
    let mut filter = Filter::scoped(Scopes::These(place.visible()));
    filter.min_trust = Some(Trust::Inferred);
    let listed = place.engine().list(&filter, Page::first(LISTED)).await?;
    Ok(listed.memories.into_iter().map(|memory| memory.id).collect())
}

/// What was said to a device through one open file, and what it answered.
#[derive(Default)]
pub struct Talk {
    unread: Vec<u8>,
    /// What was said cannot be understood any more, whatever follows.
    broken: bool,
    /// The answers to all that was understood, a line each.
    pub answers: String,
}

impl Talk {
    /// Hears more. Every whole JSON value is a request and is carried out at once; what is
    /// not whole yet waits for the rest.
    ///
    /// # Errors
    /// Of the first request that fails: those before it are done, what follows is not.
    pub async fn hear(&mut self, place: &Place, device: usize, more: &[u8]) -> Result<()> {
        if self.broken || self.unread.len() + more.len() > MOST_BYTES {
            return self.give_up(Error::invalid(format!(
                "a request is JSON of at most {MOST_BYTES} bytes"
            )));
        }
        self.unread.extend_from_slice(more);
        let (requests, rest) = match whole(&self.unread) {
            Ok(read) => read,
            Err(error) => return self.give_up(error),
        };
        self.unread.drain(..rest);
        for request in requests {
            let context = DeviceContext {
                project: place.project().clone(),
                visible: Scopes::These(place.visible()),
                origin: Origin::Agent,
            };
            let answer = device::speak(place.engine(), DEVICES[device], &request, &context).await;
            self.answers.push_str(&format!("{}\n", answer.body));
            if let Some(error) = answer.failure {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Whether all that was said is understood.
    ///
    /// # Errors
    /// `invalid`, when a request was begun and not ended.
    pub fn close(&mut self) -> Result<()> {
        let unread = std::mem::take(&mut self.unread);
        match unread.iter().all(u8::is_ascii_whitespace) {
            true => Ok(()),
            false => self.fail(Error::invalid("the request is cut off")),
        }
    }

    /// A writer whose write was cut short tries again with the rest, which means nothing.
    fn give_up(&mut self, error: Error) -> Result<()> {
        self.unread.clear();
        match std::mem::replace(&mut self.broken, true) {
            true => Err(error),
            false => self.fail(error),
        }
    }

    fn fail(&mut self, error: Error) -> Result<()> {
        self.answers.push_str(&format!("{}\n", json!({"ok": false, "error": error.to_string()})));
        Err(error)
    }
}

/// The whole values at the beginning of some bytes, and where they end.
fn whole(bytes: &[u8]) -> Result<(Vec<Value>, usize)> {
    let mut values = Deserializer::from_slice(bytes).into_iter::<Value>();
    let (mut requests, mut end) = (Vec::new(), 0);
    loop {
        match values.next() {
            None => return Ok((requests, end)),
            Some(Ok(value)) => {
                requests.push(value);
                end = values.byte_offset();
            }
            Some(Err(error)) if error.is_eof() => return Ok((requests, end)),
            Some(Err(error)) => return Err(Error::invalid(format!("not JSON: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_requests_are_taken_and_the_rest_waits() {
        for (bytes, count, end) in [
            (&b""[..], 0, 0),
            (b"{\"a\":1}", 1, 7),
            (b"{\"a\":1}\n", 1, 7),
            (b"{\"a\":1} {\"b\":", 1, 7),
            (b"{\"a\":1}{\"b\":2}", 2, 14),
            (b"{\"a\":\"\xc3", 0, 0),
        ] {
            let (requests, read) = whole(bytes).unwrap();
            assert_eq!((requests.len(), read), (count, end), "{bytes:?}");
        }
        assert!(whole(b"nonsense").is_err());
        assert!(whole(b"{\"a\":\"\xff\"}").is_err());
    }
}
