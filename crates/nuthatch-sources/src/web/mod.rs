//! Fetches pages from the open internet, within limits.
//!
//! Every address, redirections included, is read strictly (`url`), looked up, judged
//! (`guard`), and connected to by the very numbers that were judged (`lookup`): a name that
//! means something else a moment later gains nothing. No proxy is used, for it would look
//! names up itself. Nothing is sent but what the caller gives.

mod guard;
mod lookup;
pub(crate) mod page;
#[cfg(test)]
mod tests;
mod url;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nuthatch::error::{Error, Kind, Result};
use ureq::Agent;
use ureq::http::HeaderMap;
pub(crate) use ureq::http::header;
use ureq::unversioned::transport::DefaultConnector;

pub use guard::Guard;
pub use lookup::{Lookup, SystemLookup};
pub use url::Url;

use lookup::Pinned;
use url::Host;

/// How much a page may cost.
#[derive(Clone, Copy, Debug)]
pub struct WebLimits {
    /// Time for everything, redirections included.
    pub time: Duration,
    /// Bytes of an answer.
    pub bytes: u64,
    /// Redirections that are followed.
    pub redirects: usize,
}

impl Default for WebLimits {
    fn default() -> Self {
        WebLimits { time: Duration::from_secs(10), bytes: 2 << 20, redirects: 3 }
    }
}

/// A client of the open internet.
#[derive(Clone)]
pub struct Web {
    guard: Guard,
    lookup: Arc<dyn Lookup>,
    limits: WebLimits,
    #[cfg(test)]
    dialled: Arc<std::sync::Mutex<Vec<SocketAddr>>>,
}

/// What goes with a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ask<'a> {
    /// Header lines. None of them is sent to another server than the one asked first.
    pub(crate) headers: &'a [(&'a str, &'a str)],
    /// Whether redirections are followed.
    pub(crate) follow: Follow,
}

/// Whether redirections are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Follow {
    /// As many as the limits say.
    #[default]
    Redirections,
    /// The first answer is the answer.
    Nothing,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The address that answered.
    pub(crate) url: Url,
}

impl Reply {
    /// A line of its header.
    pub(crate) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Web {
    /// A client that asks whom `guard` admits.
    #[must_use]
    pub fn new(guard: Guard, limits: WebLimits) -> Self {
        Web::with_lookup(guard, limits, Arc::new(SystemLookup))
    }

    /// The same with another way to look names up.
    #[must_use]
    pub fn with_lookup(guard: Guard, limits: WebLimits, lookup: Arc<dyn Lookup>) -> Self {
        Web {
            guard,
            lookup,
            limits,
            #[cfg(test)]
            dialled: Arc::default(),
        }
    }

    /// The same client for one server that the user configured, private or not.
    pub(crate) fn for_server(&self, url: &Url) -> Web {
        let own = format!("{}:{}", url.host, url.port);
        Web { guard: self.guard.clone().allowing([own]), ..self.clone() }
    }

    /// The answer to a GET, whatever its status.
    pub(crate) fn get(&self, url: &str, ask: Ask<'_>) -> Result<Reply> {
        let deadline = Instant::now() + self.limits.time;
        let first = Url::parse(url)?;
        let mut at = first.clone();
        for _ in 0..=self.limits.redirects {
            let headers = if at.same_origin(&first) { ask.headers } else { &[] };
            let reply = self.once(&at, headers, deadline)?;
            let moved = matches!(reply.status, 301 | 302 | 303 | 307 | 308);
            if !moved || ask.follow == Follow::Nothing {
                return Ok(reply);
            }
            let location = reply.header(header::LOCATION);
            let location =
                location.ok_or_else(|| unreached(&at, Kind::Invalid, "leads nowhere"))?;
            let next = at.join(location)?;
            if at.secure && !next.secure {
                return Err(unreached(&at, Kind::Denied, "leads from https to http"));
            }
            at = next;
        }
        let what = format!("leads elsewhere more than {} times", self.limits.redirects);
        Err(unreached(&first, Kind::Unavailable, &what))
    }

    fn once(&self, url: &Url, headers: &[(&str, &str)], deadline: Instant) -> Result<Reply> {
        let left = || {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(unreached(url, Kind::Unavailable, "did not answer in time"));
            }
            Ok(left)
        };
        self.guard.admit(url)?;
        let numbers = self.numbers(url, left()?)?;
        self.guard.judge(url, &numbers)?;
        let pinned: Vec<_> = numbers.iter().map(|one| SocketAddr::new(*one, url.port)).collect();
        #[cfg(test)]
        self.dialled.lock().expect("no test failed in here").extend(&pinned);
        let config = Agent::config_builder()
            .max_redirects(0)
            .proxy(None)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(64 << 10)
            .timeout_global(Some(left()?))
            .accept("text/markdown, text/plain, text/html, application/json, */*;q=0.1")
            .user_agent(concat!("nuthatch/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), Pinned(pinned));
        let mut request = agent.get(url.to_string());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.call().map_err(|error| broken(url, &error))?;
        let body = response.body_mut().with_config().limit(self.limits.bytes);
        let body = body.read_to_vec().map_err(|error| broken(url, &error))?;
        let (parts, _) = response.into_parts();
        Ok(Reply { status: parts.status.as_u16(), headers: parts.headers, body, url: url.clone() })
    }

    fn numbers(&self, url: &Url, within: Duration) -> Result<Vec<IpAddr>> {
        let name = match &url.host {
            Host::Number(number) => return Ok(vec![*number]),
            Host::Name(name) => name,
        };
        let found = self.lookup.lookup(name, within).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::TimedOut => "is not looked up in time",
                _ => "is not known",
            };
            unreached(url, Kind::Unavailable, what)
        })?;
        if found.is_empty() {
            return Err(unreached(url, Kind::Unavailable, "is not known"));
        }
        Ok(found)
    }
}

fn unreached(url: &Url, kind: Kind, what: &str) -> Error {
    Error::new(kind, format!("{} {what}", url.host))
}

/// Says what broke, never what was sent or what came back.
fn broken(url: &Url, error: &ureq::Error) -> Error {
    let what = match error {
        ureq::Error::Timeout(_) => "did not answer in time",
        ureq::Error::BodyExceedsLimit(_) => "sends more than is taken",
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "takes no connections"
        }
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => {
            "did not answer in time"
        }
        ureq::Error::Io(_) => "broke off",
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => "has no certificate that can be trusted",
        _ => "speaks no HTTP that is understood",
    };
    unreached(url, Kind::Unavailable, what)
}
