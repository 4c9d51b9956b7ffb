//! An OpenAI-compatible endpoint on loopback that answers by a script and keeps what it was
//! asked.
//!
//! It speaks just enough HTTP for one request per connection, and ends with its value.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// What the endpoint is asked, in order.
pub type Asked = Arc<Mutex<Vec<Value>>>;

/// The running endpoint.
pub struct Scripted {
    addr: SocketAddr,
    asked: Asked,
}

/// A turn in which the model says something.
pub fn says(text: &str) -> Value {
    answer(&json!({"role": "assistant", "content": text}), "stop")
}

/// A turn in which the model calls a tool.
pub fn calls(tool: &str, arguments: &Value) -> Value {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let call = json!({"id": format!("call_{tool}"), "type": "function", "function": function});
    answer(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
}

fn answer(message: &Value, reason: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    })
}

impl Scripted {
    /// Answers by `script`, one turn for each request; afterwards with an error.
    ///
    /// # Errors
    /// When there is no port on loopback.
    pub fn start(script: Vec<Value>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let addr = listener.local_addr()?;
        let asked = Asked::default();
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            let mut script = script.into_iter();
            for stream in listener.incoming().flatten() {
                match read(&stream) {
                    Some(question) => {
                        kept.lock().unwrap_or_else(PoisonError::into_inner).push(question);
                        write(&stream, script.next());
                    }
                    // Nothing was asked: this is how it is told to end.
                    None => return,
                }
            }
        });
        Ok(Scripted { addr, asked })
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// The system prompt of every request, in order.
    pub fn system_prompts(&self) -> Vec<String> {
        self.asked().iter().map(|question| said_by("system", question).concat()).collect()
    }

    /// What tools answered, as the last request has it.
    #[allow(dead_code, reason = "the example has no use for it")]
    pub fn told_by_tools(&self) -> Vec<String> {
        self.asked().last().map(|question| said_by("tool", question)).unwrap_or_default()
    }

    /// Every request.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = TcpStream::connect(self.addr);
    }
}

/// What one role says in a request, whether as a text or as parts of one.
fn said_by(role: &str, question: &Value) -> Vec<String> {
    let messages = question["messages"].as_array().into_iter().flatten();
    let content = messages.filter(|said| said["role"] == role).map(|said| &said["content"]);
    content
        .map(|content| match content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            other => other.to_string(),
        })
        .collect()
}

fn read(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn write(mut stream: &TcpStream, turn: Option<Value>) {
    let status = if turn.is_some() { "200 OK" } else { "500 Internal Server Error" };
    let body = turn.unwrap_or_else(|| json!({"error": {"message": "the script is over"}}));
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}
