//! A server on loopback that gives scripted answers and keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What to answer.
pub enum Answer {
    /// A status, further header lines, a body.
    Say(u16, &'static str, String),
    /// Waits until the asker gives up.
    Silence,
}

pub struct Server {
    pub url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each request by `script`, which is given its path. The thread ends with the
    /// test's process.
    pub fn start(script: impl Fn(&str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                // What the asker breaks off is its own affair.
                let _ = serve(connection, &kept, &script);
            }
        });
        Server { url, asked }
    }

    /// The heads of all requests, lower-cased.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut connection: TcpStream,
    kept: &Mutex<Vec<String>>,
    script: &impl Fn(&str) -> Answer,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    for line in BufReader::new(&connection).lines() {
        match line? {
            line if line.is_empty() => break,
            line => head.push(line),
        }
    }
    let path = head[0].split(' ').nth(1).unwrap_or_default().to_owned();
    kept.lock().unwrap().push(head.join("\n"));
    match script(&path) {
        Answer::Silence => connection.read(&mut [0]).map(|_| ()),
        Answer::Say(status, headers, body) => write!(
            connection,
            "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}",
            body.len()
        ),
    }
}
