//! Clients that say exactly what they are told to: raw HTTP, and MCP line by line.

use std::net::SocketAddr;
use std::sync::Arc;

use jiff::tz::TimeZone;
use nuthatch::id::ProjectId;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_server::http::Listening;
use nuthatch_server::http::access::{Access, Token};
use nuthatch_server::{Room, http, mcp};
use nuthatch_stores::{InMemoryStore, SystemClock, SystemIds};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// The token of every server here.
pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A place over an empty store, in the project `p`.
pub fn place() -> Place {
    let store = Arc::new(InMemoryStore::default());
    let engine =
        Engine::new(store, Arc::new(SystemClock), Arc::<SystemIds>::default(), Rules::default());
    let project = Scope::Project(ProjectId::new("p").unwrap());
    Place::new(engine, project.clone(), project, TimeZone::UTC)
}

/// A server on a port of its own, which ends with the test.
pub struct Server {
    pub addr: SocketAddr,
    pub place: Place,
}

impl Server {
    pub async fn start() -> Server {
        Self::with(place(), Some(TOKEN)).await
    }

    pub async fn with(place: Place, token: Option<&str>) -> Server {
        let listening = Listening::at("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let addr = listening.addr();
        let access = Access::new(addr, &[], token.map(|token| Token::new(token.to_owned())));
        let room = Room::open(place.clone());
        tokio::spawn(http::serve(room, listening, access, std::future::pending()));
        Server { addr, place }
    }

    /// Sends bytes as they are, and reads until the server closes.
    pub async fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut read = Vec::new();
        // A server that refuses a body early may reset the connection after its answer.
        let _ = stream.read_to_end(&mut read).await;
        Answer::parse(&String::from_utf8_lossy(&read))
    }

    /// A request as a well-behaved client sends it, with other headers besides.
    pub async fn send(&self, route: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        let (method, path) = route.split_once(' ').unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let own = |name: &str| !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if own("host") {
            request += &format!("Host: {}\r\n", self.addr);
        }
        if own("authorization") {
            request += &format!("Authorization: Bearer {TOKEN}\r\n");
        }
        if !body.is_empty() && own("content-type") {
            request += "Content-Type: application/json\r\n";
        }
        for (name, value) in headers.iter().filter(|(_, value)| *value != "(none)") {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(&format!("{request}\r\n{body}")).await
    }

    pub async fn ask(&self, route: &str, body: Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(route, &body, &[]).await
    }
}

/// What a server said.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    fn parse(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }
}

/// An MCP client at the other end of a pipe.
pub struct Client {
    write: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    read: BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>,
    next: u64,
    modern: bool,
}

impl Client {
    /// Connected, and nothing said yet.
    pub fn connect(room: Room) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            mcp::stdio::converse(room, read, write).await
        });
        let (read, write) = tokio::io::split(ours);
        Client { write, read: BufReader::new(read), next: 0, modern: false }
    }

    /// After a handshake in a revision.
    pub async fn legacy(room: Room, revision: &str) -> (Client, Value) {
        let mut client = Client::connect(room);
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let told = client.request("initialize", params).await;
        client.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        (client, told)
    }

    /// In the revision without a handshake.
    pub fn modern(room: Room) -> Client {
        Client { modern: true, ..Client::connect(room) }
    }

    pub async fn line(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request and gives back the whole answer to it.
    pub async fn exchange(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            });
        }
        let mut message = json!({"jsonrpc": "2.0", "id": self.next, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.line(&message).await;
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).await.unwrap() > 0, "hung up after {method}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == json!(self.next) {
                return answer;
            }
        }
    }

    /// The result of a request that must succeed.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.exchange(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool that must do what it should.
    pub async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must fail, and gives back what the model is told.
    pub async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }
}
