//! One request to an endpoint, made again where that may help.
//!
//! Tried again: busy (429), failing (5xx) and silent servers, with growing pauses, and as
//! long as the server asks within reason. Not tried again: refusals, which would come again.
//! Redirections are not followed: the key is for one address. Messages name the address, the
//! status and at most the provider's own word for the mistake, never what was sent or said.

use std::io::{self, BufRead, BufReader, ErrorKind, Read as _};
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use nuthatch::error::{Error, Kind, Result};
use ureq::Agent;
use ureq::http::{Response, Uri, header};

/// Longer than this no server is obeyed.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// Vectors of a batch in decimal, or a very long answer, several times over.
const LONGEST_ANSWER: u64 = 64 << 20;
/// Providers say in a few words what they refuse.
const LONGEST_REFUSAL: u64 = 64 << 10;

/// Where requests go, and as whom.
#[derive(Clone)]
pub(crate) struct Target {
    /// What it is, for messages: `the embedding endpoint`.
    pub(crate) noun: &'static str,
    pub(crate) address: String,
    pub(crate) model: String,
    /// Headers, the key among them.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The variable the key came from.
    pub(crate) variable: Option<String>,
}

/// How long and how often a request is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub(crate) timeout: Duration,
    pub(crate) attempts: u32,
    /// Before the second attempt; twice as long before each further one.
    pub(crate) pause: Duration,
}

/// Makes requests.
#[derive(Clone)]
pub(crate) struct Caller {
    agent: Agent,
    target: Target,
}

/// Why a request gave nothing.
pub(crate) enum Failure {
    /// It will not get better.
    Final(Error),
    /// It may; the server may have said when.
    Passing(Error, Option<Duration>),
}

impl Caller {
    pub(crate) fn new(target: Target) -> Self {
        let mut config = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("nuthatch/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&target.address) {
            // A proxy elsewhere cannot reach this machine's own address.
            config = config.proxy(None);
        }
        Caller { agent: config.build().into(), target }
    }

    /// Sends `body` and lets `read` take in the answer; it may ask for another attempt.
    pub(crate) fn call<R>(
        &self,
        patience: Patience,
        body: &[u8],
        mut read: impl FnMut(&Self, &mut dyn BufRead) -> Result<R, Failure>,
    ) -> Result<R> {
        let mut pause = patience.pause;
        for attempt in 1.. {
            let answered = self.send(patience.timeout, body).and_then(|mut response| {
                let body = response.body_mut().with_config().limit(LONGEST_ANSWER);
                read(self, &mut BufReader::new(body.reader()))
            });
            match answered {
                Ok(answer) => return Ok(answer),
                Err(Failure::Passing(_, wish)) if attempt < patience.attempts => {
                    thread::sleep(wish.unwrap_or(pause).min(LONGEST_PAUSE));
                    pause *= 2;
                }
                Err(Failure::Passing(error, _) | Failure::Final(error)) => return Err(error),
            }
        }
        Err(self.error(Kind::Internal, "was never asked"))
    }

    fn send(&self, timeout: Duration, body: &[u8]) -> Result<Response<ureq::Body>, Failure> {
        let mut request = self
            .agent
            .post(&self.target.address)
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.target.headers {
            request = request.header(*name, value);
        }
        let mut response = request.send(body).map_err(|error| self.unsent(&error))?;
        match self.refused(&mut response) {
            Some(failure) => Err(failure),
            None => Ok(response),
        }
    }

    /// No answer came, or it broke off.
    fn unsent(&self, error: &ureq::Error) -> Failure {
        match error {
            ureq::Error::Timeout(_) => {
                Failure::Passing(self.error(Kind::Unavailable, "did not answer in time"), None)
            }
            // Nobody listens: somebody must start the server, and no pause does that.
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
                Failure::Final(self.error(Kind::Unavailable, "is not running"))
            }
            ureq::Error::Io(_) => {
                Failure::Passing(self.error(Kind::Unavailable, "broke off"), None)
            }
            ureq::Error::BodyExceedsLimit(_) => {
                Failure::Final(self.error(Kind::Unavailable, "answers without end"))
            }
            _ => Failure::Final(self.error(Kind::Unavailable, "cannot be reached")),
        }
    }

    /// The answer broke off while it was read.
    pub(crate) fn broken(&self, error: &io::Error) -> Failure {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            Some(error) => self.unsent(error),
            None => Failure::Passing(self.error(Kind::Unavailable, "broke off"), None),
        }
    }

    /// An answer that is none, by its status.
    fn refused(&self, response: &mut Response<ureq::Body>) -> Option<Failure> {
        let status = response.status().as_u16();
        let error = |kind, what: &str| self.error(kind, &format!("{what} ({status})"));
        Some(match status {
            200..=299 => return None,
            300..=399 => Failure::Final(
                error(Kind::Unavailable, "points elsewhere")
                    .with_hint("set `base_url` to the address it has moved to"),
            ),
            401 | 403 => {
                let hint = match &self.target.variable {
                    Some(variable) => format!("check the key in {variable}"),
                    None => "name the variable with the key in `api_key_env`".into(),
                };
                Failure::Final(error(Kind::Denied, "refuses the key").with_hint(hint))
            }
            404 => {
                let hint = format!("is `{}` there, and is `base_url` right?", self.target.model);
                Failure::Final(error(Kind::NotFound, "does not know the model").with_hint(hint))
            }
            408 | 429 => Failure::Passing(error(Kind::Unavailable, "is busy"), wish(response)),
            500..=599 => Failure::Passing(error(Kind::Unavailable, "fails"), wish(response)),
            _ => {
                let word = refusal_word(response).map(|word| format!(", {word}"));
                let said = format!("({status}{})", word.unwrap_or_default());
                Failure::Final(
                    self.error(Kind::Invalid, &format!("does not take the request {said}")),
                )
            }
        })
    }

    pub(crate) fn error(&self, kind: Kind, what: &str) -> Error {
        Error::new(kind, format!("{} {} {what}", self.target.noun, self.target.address))
    }
}

/// The provider's own word for what it does not like, such as `context_length_exceeded`:
/// taken only where it is a plain word, because anything else could repeat what was sent.
fn refusal_word(response: &mut Response<ureq::Body>) -> Option<String> {
    let mut body = Vec::new();
    let reader = response.body_mut().with_config().limit(LONGEST_REFUSAL).reader();
    reader.take(LONGEST_REFUSAL).read_to_end(&mut body).ok()?;
    let said: serde_json::Value = serde_json::from_slice(&body).ok()?;
    let words = [&said["error"]["code"], &said["error"]["type"]];
    let plain = |word: &&str| {
        (1..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    };
    words.into_iter().filter_map(|word| word.as_str()).find(plain).map(str::to_owned)
}

/// How long the server asks to be left alone, if it says so in seconds.
fn wish<B>(response: &Response<B>) -> Option<Duration> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}

/// The address requests go to, if it is one that may be used: a key is never sent to another
/// machine in the clear, and no address carries one itself.
pub(crate) fn checked_address(base_url: &str, path: &str, has_key: bool) -> Result<String> {
    let wrong = |what: &str| {
        Error::invalid(format!("`base_url` {what}"))
            .with_hint("an address looks like https://api.example.com/v1")
    };
    let base = base_url.trim_end_matches('/');
    let address: Uri = format!("{base}{path}").parse().map_err(|_| wrong("is no address"))?;
    let (Some(scheme), Some(authority)) = (address.scheme_str(), address.authority()) else {
        return Err(wrong("is no address"));
    };
    if authority.as_str().contains('@') || address.query().is_some() {
        return Err(wrong("must not carry a name, a password or a query"));
    }
    match scheme {
        "https" => {}
        "http" if !has_key || is_loopback(base_url) => {}
        "http" => return Err(wrong("must be https where a key is sent to another machine")),
        _ => return Err(wrong("must begin with http:// or https://")),
    }
    Ok(address.to_string())
}

/// Whether the address is this machine's own.
pub(crate) fn is_loopback(url: &str) -> bool {
    let address: Option<Uri> = url.parse().ok();
    let host = address.as_ref().and_then(Uri::host).unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
