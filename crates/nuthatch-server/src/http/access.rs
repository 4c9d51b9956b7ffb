//! Who may speak: Host and Origin are checked on every route, then the token.
//!
//! A web page can make a browser speak to loopback, under a name that its owner points
//! there. So the Host must be one of ours to the letter, port included, an Origin must be our
//! own, and nothing is ever said about other origins.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use nuthatch::error::{Error, Kind};
use subtle::ConstantTimeEq as _;

use super::{answer, page};

/// What may be read without a token: nothing that anybody remembered.
const OPEN: [&str; 3] = ["/healthz", "/openapi.json", page::AT];

/// A token that never prints itself.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Wraps a token.
    #[must_use]
    pub fn new(token: String) -> Self {
        Token(token)
    }

    /// The token itself, to be shown to its owner.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether they are equal, in the same time wherever they differ.
    fn matches(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Who may speak.
#[derive(Clone, Debug)]
pub struct Access {
    hosts: Vec<String>,
    token: Option<Token>,
}

impl Access {
    /// For a server that listens at `addr`: under the names of loopback, the address itself
    /// and `names`, all with its port.
    #[must_use]
    pub fn new(addr: SocketAddr, names: &[String], token: Option<Token>) -> Self {
        let (ip, port) = (addr.ip(), addr.port());
        let own = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
        let loopback = ["127.0.0.1", "localhost", "[::1]"].into_iter().map(str::to_owned);
        let is_local = ip.is_loopback() || ip.is_unspecified();
        let mut hosts = Vec::new();
        for name in loopback.filter(|_| is_local).chain([own]) {
            hosts.push(format!("{name}:{port}"));
            if port == 80 {
                hosts.push(name);
            }
        }
        for name in names {
            let name = name.to_ascii_lowercase();
            // A name with a port is what clients see in front of a proxy; without one it is
            // meant as it stands, and with ours.
            let has_port =
                name.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
            if !has_port {
                hosts.push(format!("{name}:{port}"));
            }
            hosts.push(name);
        }
        Access { hosts, token }
    }

    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.contains(&host)
    }

    /// What is wrong with where a request goes or comes from.
    fn stranger(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let mut hosts = headers.get_all(HOST).iter();
        let (host, second) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
        if second.is_some() || !host.is_some_and(|host| self.knows(host)) {
            return Some("the Host is not one of this server's names");
        }
        if uri.authority().is_some_and(|authority| !self.knows(authority.as_str())) {
            return Some("the address of the request is not one of this server's names");
        }
        let own = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(|host| self.knows(host))
        };
        if !headers.get_all(ORIGIN).iter().all(own) {
            return Some("the Origin is not this server's own");
        }
        None
    }

    fn is_admitted(&self, path: &str, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        if OPEN.contains(&path) || path.starts_with(page::PARTS) {
            return true;
        }
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(only), None) = (given.next(), given.next()) else { return false };
        let only = only.to_str().unwrap_or_default();
        let Some((scheme, value)) = only.split_once(' ') else { return false };
        scheme.eq_ignore_ascii_case("bearer") && token.matches(value.trim())
    }
}

/// Lets a request through, or says why not.
pub(crate) async fn check(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(why) = access.stranger(request.uri(), request.headers()) {
        return answer::failed(&Error::new(Kind::Denied, why));
    }
    if !access.is_admitted(request.uri().path(), request.headers()) {
        let error = Error::new(Kind::Denied, "this needs the token of the server")
            .with_hint("send `Authorization: Bearer TOKEN`; `nuthatch serve` prints it");
        let mut response = answer::failed_as(StatusCode::UNAUTHORIZED, &error);
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    }
    next.run(request).await
}
