//! Who may speak: Host and Origin are checked on every route, then the token, its role, its pace.
//!
//! A web page can make a browser speak to loopback, under a name that its owner points
//! there. So the Host must be one of ours to the letter, port included, an Origin must be our
//! own, and nothing is ever said about other origins.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::grant::Role;
use subtle::ConstantTimeEq as _;

use super::caller::{Caller, Keeper};
use super::rate::Rate;
use super::rooms::Rooms;
use super::{answer, page, roles};

/// What may be read without a token: nothing that anybody remembered.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/openapi.json", page::AT];
/// Whom the server's own token belongs to, where pace is counted.
const OWNER: &str = "owner";

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
    keeper: Option<Keeper>,
    rate: Arc<Rate>,
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
        Access { hosts, token, keeper: None, rate: Arc::new(Rate::new(None)) }
    }

    /// The same, and whoever has a token of these grants.
    #[must_use]
    pub fn granting(mut self, keeper: Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// The same, with each token asking at most so often.
    #[must_use]
    pub fn at_pace(mut self, rate: Rate) -> Self {
        self.rate = Arc::new(rate);
        self
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

    /// Who a request comes from; nobody, where nothing opens.
    async fn caller(&self, rooms: &Rooms, headers: &HeaderMap) -> Result<Option<Caller>> {
        let owner = || Caller {
            id: OWNER.to_owned(),
            tenant: rooms.tenant().to_owned(),
            role: Role::Admin,
            is_operator: true,
            room: rooms.own().clone(),
        };
        let Some(own) = &self.token else { return Ok(Some(owner())) };
        let Some(given) = bearer(headers) else { return Ok(None) };
        if own.matches(given) {
            return Ok(Some(owner()));
        }
        let Some(keeper) = &self.keeper else { return Ok(None) };
        let Some(kept) = keeper.admit(given).await? else { return Ok(None) };
        let grant = kept.grant;
        let Some(room) = rooms.of(&grant.tenant) else { return Ok(None) };
        let is_operator = grant.role == Role::Admin && grant.tenant == rooms.tenant();
        Ok(Some(Caller { id: grant.id, tenant: grant.tenant, role: grant.role, is_operator, room }))
    }
}

/// The one token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(only), None) = (given.next(), given.next()) else { return None };
    let (scheme, value) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| value.trim())
}

/// Lets a request through, or says why not.
pub(crate) async fn check(
    State((access, rooms)): State<(Arc<Access>, Rooms)>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(why) = access.stranger(request.uri(), request.headers()) {
        return answer::failed(&Error::new(Kind::Denied, why));
    }
    let path = request.uri().path();
    if OPEN.contains(&path) || path.starts_with(page::PARTS) {
        return next.run(request).await;
    }
    let caller = match access.caller(&rooms, request.headers()).await {
        Ok(Some(caller)) => caller,
        Ok(None) => {
            let error = Error::new(Kind::Denied, "this needs the token of the server")
                .with_hint("send `Authorization: Bearer TOKEN`; `nuthatch serve` prints it");
            return unknown(&error);
        }
        Err(error) if error.kind() == Kind::Denied => return unknown(&error),
        Err(error) => return answer::failed(&error),
    };
    let mut response = match access.refusal(&caller, &request) {
        Some(refused) => refused,
        None => {
            request.extensions_mut().insert(caller.clone());
            next.run(request).await
        }
    };
    response.extensions_mut().insert(caller);
    response
}

impl Access {
    /// What keeps a known caller from this.
    fn refusal(&self, caller: &Caller, request: &Request) -> Option<Response> {
        let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let needed = roles::needed(request.method(), request.uri().path(), route);
        if caller.role < needed {
            let (has, needs) = (caller.role.name(), needed.name());
            let error = Error::new(Kind::Denied, format!("a {has} may not do this"))
                .with_hint(format!("it needs a token of the role {needs}"));
            return Some(answer::failed(&error));
        }
        let wait = self.rate.take(&format!("{} {}", caller.tenant, caller.id)).err()?;
        let error = Error::unavailable("this token asks too often")
            .with_hint(format!("try again in {wait} s, or let server.requests_per_second be more"));
        let mut response = answer::failed_as(StatusCode::TOO_MANY_REQUESTS, &error);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
        Some(response)
    }
}

/// A token is missing, or opens nothing.
fn unknown(error: &Error) -> Response {
    let mut response = answer::failed_as(StatusCode::UNAUTHORIZED, error);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
