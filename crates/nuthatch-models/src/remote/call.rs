//! One request to an endpoint, made again where that may help.
//!
//! Tried again: busy (429), failing (5xx) and silent servers, with growing pauses, and as
//! long as the server asks within reason. Not tried again: refusals, which would come again.
//! Redirections are not followed: the key is for one address. Messages name the address and
//! the status, never what was sent or what came back.

use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use nuthatch::embedder::Purpose;
use nuthatch::error::{Error, Kind, Result};
use ureq::Agent;
use ureq::http::{Response, header};

use super::Endpoint;

/// A person waits for the answer to a query, and text alone answers, too.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);
const QUERY_ATTEMPTS: u32 = 2;

/// Longer than this no server is obeyed.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// A batch of vectors in decimal, several times over.
const LONGEST_ANSWER: u64 = 64 << 20;

/// Makes requests.
#[derive(Clone)]
pub(super) struct Caller {
    agent: Agent,
    address: String,
    model: String,
    bearer: Option<String>,
    variable: Option<String>,
    timeout: Duration,
    attempts: u32,
    pause: Duration,
}

/// Why a request gave nothing.
enum Failure {
    /// It will not get better.
    Final(Error),
    /// It may; the server may have said when.
    Passing(Error, Option<Duration>),
}

impl Caller {
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self> {
        let address = endpoint.address()?;
        let mut config = Agent::config_builder()
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("nuthatch/", env!("CARGO_PKG_VERSION")));
        if endpoint.is_loopback() {
            // A proxy elsewhere cannot reach this machine's own address.
            config = config.proxy(None);
        }
        Ok(Caller {
            agent: config.build().into(),
            address,
            model: endpoint.model.clone(),
            bearer: endpoint.api_key.as_ref().map(|key| key.header()),
            variable: endpoint.api_key.as_ref().map(|key| key.variable().to_owned()),
            timeout: endpoint.timeout,
            attempts: endpoint.attempts,
            pause: endpoint.pause,
        })
    }

    /// The body of the answer.
    pub(super) fn call(&self, purpose: Purpose, body: &[u8]) -> Result<Vec<u8>> {
        let (attempts, timeout) = match purpose {
            Purpose::Query => (self.attempts.min(QUERY_ATTEMPTS), self.timeout.min(QUERY_TIMEOUT)),
            Purpose::Passage => (self.attempts, self.timeout),
        };
        let mut pause = self.pause;
        for attempt in 1.. {
            match self.once(timeout, body) {
                Ok(answer) => return Ok(answer),
                Err(Failure::Passing(_, wish)) if attempt < attempts => {
                    thread::sleep(wish.unwrap_or(pause).min(LONGEST_PAUSE));
                    pause *= 2;
                }
                Err(Failure::Passing(error, _) | Failure::Final(error)) => return Err(error),
            }
        }
        Err(self.error(Kind::Internal, "was never asked"))
    }

    fn once(&self, timeout: Duration, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut request = self
            .agent
            .post(&self.address)
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(bearer) = &self.bearer {
            request = request.header(header::AUTHORIZATION, bearer);
        }
        let mut response = request.send(body).map_err(|error| self.unsent(&error))?;
        if let Some(failure) = self.refused(&response) {
            return Err(failure);
        }
        let body = response.body_mut().with_config().limit(LONGEST_ANSWER);
        body.read_to_vec().map_err(|error| self.unsent(&error))
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

    /// An answer that is none, by its status.
    fn refused<B>(&self, response: &Response<B>) -> Option<Failure> {
        let status = response.status().as_u16();
        let error = |kind, what: &str| self.error(kind, &format!("{what} ({status})"));
        Some(match status {
            200..=299 => return None,
            300..=399 => Failure::Final(
                error(Kind::Unavailable, "points elsewhere")
                    .with_hint("set `base_url` to the address it has moved to"),
            ),
            401 | 403 => {
                let hint = match &self.variable {
                    Some(variable) => format!("check the key in {variable}"),
                    None => "name the variable with the key in `api_key_env`".into(),
                };
                Failure::Final(error(Kind::Denied, "refuses the key").with_hint(hint))
            }
            404 => {
                let hint = format!("is `{}` there, and is `base_url` right?", self.model);
                Failure::Final(error(Kind::NotFound, "does not know the model").with_hint(hint))
            }
            408 | 429 => Failure::Passing(error(Kind::Unavailable, "is busy"), wish(response)),
            500..=599 => Failure::Passing(error(Kind::Unavailable, "fails"), wish(response)),
            _ => Failure::Final(error(Kind::Invalid, "does not take the request")),
        })
    }

    fn error(&self, kind: Kind, what: &str) -> Error {
        Error::new(kind, format!("the embedding endpoint {} {what}", self.address))
    }
}

/// How long the server asks to be left alone, if it says so in seconds.
fn wish<B>(response: &Response<B>) -> Option<Duration> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse().ok().map(Duration::from_secs)
}
