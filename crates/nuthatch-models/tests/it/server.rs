//! A server on loopback that gives scripted answers and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    /// Lines of the header, lower-cased names.
    pub headers: Vec<String>,
    pub body: serde_json::Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    pub fn texts(&self) -> Vec<&str> {
        let texts = self.body["input"].as_array().expect("there are texts");
        texts.iter().map(|text| text.as_str().expect("a text is text")).collect()
    }
}

/// What to answer.
pub enum Answer {
    /// A status, further header lines, a body.
    Say(u16, &'static str, String),
    /// Closes the connection without a word.
    HangUp,
    /// Waits until the asker gives up.
    Silence,
}

impl Answer {
    pub fn ok(body: &impl ToString) -> Self {
        Answer::Say(200, "", body.to_string())
    }

    pub fn status(status: u16) -> Self {
        Answer::Say(status, "", "{\"error\": {\"message\": \"your text was: secret plan\"}}".into())
    }
}

pub struct Server {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers each request by `script`, which is told how many came before. The thread ends
    /// with the test's process.
    pub fn start(script: impl Fn(usize, &Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback listens");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else { continue };
                // What the asker breaks off is its own affair.
                let _ = serve(connection, &kept, &script);
            }
        });
        Server { url, asked }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no test failed in here").clone()
    }
}

fn serve(
    mut connection: TcpStream,
    kept: &Mutex<Vec<Asked>>,
    script: &impl Fn(usize, &Asked) -> Answer,
) -> std::io::Result<()> {
    let asked = hear(&mut connection)?;
    let mut all = kept.lock().expect("no test failed in here");
    let answer = script(all.len(), &asked);
    all.push(asked);
    drop(all);
    match answer {
        Answer::HangUp => Ok(()),
        // Nothing more comes from an asker until it closes.
        Answer::Silence => connection.read(&mut [0]).map(|_| ()),
        Answer::Say(status, headers, body) => write!(
            connection,
            "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
            body.len()
        ),
    }
}

fn hear(connection: &mut TcpStream) -> std::io::Result<Asked> {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let path = lines[0].split(' ').nth(1).unwrap_or_default().to_owned();
    let headers: Vec<String> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| format!("{}: {}", name.to_lowercase(), value.trim()))
        .collect();
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Asked { path, headers, body: serde_json::from_slice(&body)? })
}
