//! A server on loopback that speaks as three kinds of model endpoints do, answers as a test
//! decides, and keeps every request.
//!
//! Which language is spoken depends on the path that is asked: `…/chat/completions`,
//! `…/messages` or `/api/chat`. Every connection has a thread, so that requests may come at
//! the same time and a script may hold one of them back.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

mod wire;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The path.
    pub path: String,
    /// Names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The system text, wherever the language puts it.
    #[must_use]
    pub fn system(&self) -> String {
        if let Some(system) = self.body["system"].as_str() {
            return system.to_owned();
        }
        let messages = self.body["messages"].as_array().into_iter().flatten();
        let system = messages.filter(|message| message["role"] == "system");
        system.filter_map(|message| message["content"].as_str()).collect()
    }

    /// Role and text of every message but the system's, in order. Blocks are joined.
    #[must_use]
    pub fn messages(&self) -> Vec<(String, String)> {
        let messages = self.body["messages"].as_array().into_iter().flatten();
        messages
            .filter(|message| message["role"] != "system")
            .map(|message| {
                let role = message["role"].as_str().unwrap_or_default().to_owned();
                (role, wire::text_of(&message["content"]))
            })
            .collect()
    }

    /// The names of the tools that are offered.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        let name = |tool: &Value| {
            tool["name"].as_str().or(tool["function"]["name"].as_str()).map(str::to_owned)
        };
        tools.filter_map(name).collect()
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A text.
    Text(String),
    /// A text and calls of tools: name and arguments.
    Calls(String, Vec<(String, Value)>),
    /// Nothing, but properly.
    Empty,
    /// These bytes instead of what the language has, with status 200.
    Rubbish(String),
    /// The beginning of a text, and then the connection closes.
    BrokenOff(String),
    /// A status and further header lines, each ended by `\r\n`.
    Status(u16, &'static str),
    /// The same, and a body.
    Say(u16, &'static str, String),
    /// Closes the connection without a word.
    HangUp,
    /// Waits until the asker gives up.
    Silence,
}

impl Answer {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Answer::Text(text.into())
    }

    /// One call of a tool.
    #[must_use]
    pub fn call(name: &str, arguments: Value) -> Self {
        Answer::Calls(String::new(), vec![(name.to_owned(), arguments)])
    }
}

type Script = dyn Fn(usize, &Asked) -> Answer + Send + Sync;

/// The server. Its threads end with the test's process.
pub struct ScriptedServer {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ScriptedServer {
    /// Answers each request by `script`, which is told how many came before.
    ///
    /// # Panics
    /// When loopback cannot be listened on.
    #[must_use]
    pub fn start(script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback listens");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, script): (_, Arc<Script>) = (Arc::clone(&asked), Arc::new(script));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else { continue };
                let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
                // What the asker breaks off is its own affair.
                thread::spawn(move || drop(serve(connection, &kept, &*script)));
            }
        });
        ScriptedServer { url, asked }
    }

    /// Answers with these, one after the other, and then with the last for ever.
    #[must_use]
    pub fn saying(answers: Vec<Answer>) -> Self {
        ScriptedServer::start(move |at, _| {
            answers.get(at).or(answers.last()).cloned().unwrap_or(Answer::Empty)
        })
    }

    /// Its address, for Anthropic and Ollama.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its address as OpenAI's kind of endpoint has it.
    #[must_use]
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url)
    }

    /// Every request so far, in the order they came.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(
    mut connection: TcpStream,
    kept: &Mutex<Vec<Asked>>,
    script: &Script,
) -> std::io::Result<()> {
    let asked = hear(&mut connection)?;
    let before = {
        let mut all = kept.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(asked.clone());
        all.len() - 1
    };
    let (status, headers, body) = match script(before, &asked) {
        Answer::HangUp => return Ok(()),
        // Nothing more comes from an asker until it closes.
        Answer::Silence => return connection.read(&mut [0]).map(drop),
        Answer::Status(status, headers) => {
            let body = json!({"error": {"code": "scripted", "message": asked.system()}});
            (status, headers, body.to_string())
        }
        Answer::Rubbish(bytes) => (200, "", bytes),
        Answer::BrokenOff(text) => {
            let whole = wire::answer(&asked, &text, &[]);
            return write!(
                connection,
                "HTTP/1.1 200 Said\r\ncontent-length: {}\r\n\r\n{}",
                whole.len(),
                wire::without_end(&whole)
            );
        }
        Answer::Say(status, headers, body) => (status, headers, body),
        Answer::Empty => (200, "", wire::answer(&asked, "", &[])),
        Answer::Text(text) => (200, "", wire::answer(&asked, &text, &[])),
        Answer::Calls(text, calls) => (200, "", wire::answer(&asked, &text, &calls)),
    };
    write!(
        connection,
        "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn hear(connection: &mut TcpStream) -> std::io::Result<Asked> {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let path = lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let headers: Vec<(String, String)> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, length)| length.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Asked { path: path.to_owned(), headers, body })
}
