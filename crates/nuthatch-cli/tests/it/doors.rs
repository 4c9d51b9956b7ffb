//! Servers of a sandbox and clients for them: `nuthatch mcp` by lines, `nuthatch serve` by
//! plain HTTP. Both end with the value that holds them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{NUTHATCH, Sandbox};

/// An agent that is connected to its own `nuthatch mcp`.
pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    pub(crate) fn start(sandbox: &Sandbox) -> Agent {
        Agent::start_as(sandbox, &[NUTHATCH.to_owned(), "mcp".to_owned()])
    }

    /// Starts the server by exactly these words.
    pub(crate) fn start_as(sandbox: &Sandbox, words: &[String]) -> Agent {
        let mut command = sandbox.command(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Agent { child, stdin, stdout, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        agent.request("initialize", &hello);
        agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("it has not hung up");
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "hung up after {method}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(self.next) {
                return answer["result"].clone();
            }
        }
    }

    /// What a tool answers, whether well or not.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// What a tool answers that does what it should.
    pub(crate) fn done(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Hangs up, and gives back how the server ended.
    pub(crate) fn hang_up(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// A running `nuthatch serve`.
pub(crate) struct Served {
    child: Child,
    pub(crate) addr: String,
    pub(crate) token: String,
}

impl Served {
    pub(crate) fn start(sandbox: &Sandbox) -> Served {
        Served::saying_elsewhere(sandbox, Stdio::inherit()).expect("it says where it is")
    }

    /// A server, or nothing where there is a store that cannot be served.
    pub(crate) fn attempt(sandbox: &Sandbox) -> Option<Served> {
        Served::saying_elsewhere(sandbox, Stdio::null())
    }

    /// What it says besides its address goes to `elsewhere`.
    pub(crate) fn saying_elsewhere(sandbox: &Sandbox, elsewhere: Stdio) -> Option<Served> {
        let mut command = sandbox.command(NUTHATCH);
        command.args(["serve", "--json", "--addr", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).stderr(elsewhere).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap_or_default();
        let text = |name: &str| started[name].as_str().map(str::to_owned);
        let Some((url, token)) = text("url").zip(text("token")) else {
            assert_ne!(child.wait().unwrap().code(), Some(0), "{line}");
            return None;
        };
        Some(Served { child, addr: url.replace("http://", ""), token })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Status and body of the answer.
    pub(crate) fn ask(&self, route: &str, body: &Value) -> (u16, Value) {
        self.ask_as(&self.token, route, body)
    }

    /// The same with another token.
    pub(crate) fn ask_as(&self, token: &str, route: &str, body: &Value) -> (u16, Value) {
        let (method, path) = route.split_once(' ').unwrap();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.addr,
            token,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    /// Asks it to end, and gives back how it did.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.signal();
        self.child.wait().unwrap().code()
    }

    fn signal(&self) {
        let pid = self.pid().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal();
            let _ = self.child.wait();
        }
    }
}
