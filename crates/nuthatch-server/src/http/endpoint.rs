//! One route: how it is described, and how a request becomes arguments and an answer.
//!
//! Arguments come out of the path, and out of the query or the body; together they are what
//! the verb reads. An endpoint knows nothing of the verb behind it but shapes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, Query};
use axum::http::header::{CONTENT_TYPE, IF_MATCH};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, on};
use nuthatch::Place;
use nuthatch::error::{Error, Kind, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::caller::Caller;
use super::{answer, query};
use crate::schema::{self, Shape};
use crate::verbs;

type Running = Pin<Box<dyn Future<Output = Result<Value>> + Send>>;
type Run = Arc<dyn Fn(Place, Value) -> Running + Send + Sync>;

/// Where arguments come from, besides the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The query.
    Query,
    /// The body.
    Body,
}

/// What kind of tag an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tagging {
    /// None.
    Never,
    /// Of its bytes.
    Bytes,
    /// Of the memory in it, so that an edit can name it.
    Memory,
}

/// One route.
#[derive(Clone)]
pub struct Endpoint {
    /// The method.
    pub method: Method,
    /// The path, with `{names}`.
    pub path: &'static str,
    /// What it is called in the OpenAPI document.
    pub operation: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// The shape of all its arguments.
    pub arguments: Shape,
    /// The same as a body: what may be left out may be null.
    pub body: Shape,
    /// Where they come from.
    pub takes: Takes,
    /// The shape of its answer.
    pub answer: Shape,
    /// The status of an answer.
    pub status: StatusCode,
    /// What its tag is.
    pub tagging: Tagging,
    run: Run,
}

impl Endpoint {
    /// A route that reads `A` and answers `O`.
    pub fn new<A, O, F, R>(route: &'static str, summary: &'static str, run: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send,
        O: Serialize + JsonSchema,
        F: Fn(Place, A) -> R + Send + Sync + Clone + 'static,
        R: Future<Output = Result<O>> + Send + 'static,
    {
        let (method, path) = route.split_once(' ').unwrap_or(("GET", route));
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
        let run = move |place: Place, arguments: Value| -> Running {
            let run = run.clone();
            Box::pin(async move {
                let running = run(place, verbs::read(arguments)?);
                let answer = running.await?;
                serde_json::to_value(answer)
                    .map_err(|error| Error::internal("the answer is no JSON").with_source(error))
            })
        };
        let is_get = method == Method::GET;
        Endpoint {
            takes: if is_get || method == Method::DELETE { Takes::Query } else { Takes::Body },
            tagging: if is_get { Tagging::Bytes } else { Tagging::Never },
            method,
            path,
            operation: "",
            summary,
            arguments: schema::body::<A>(),
            body: schema::nullable::<A>(),
            answer: schema::output::<O>(),
            status: StatusCode::OK,
            run: Arc::new(run),
        }
    }

    /// Its name in the OpenAPI document.
    #[must_use]
    pub fn named(mut self, operation: &'static str) -> Self {
        self.operation = operation;
        self
    }

    /// The status of its answers.
    #[must_use]
    pub fn answering(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Its answers carry the tag of the memory in them.
    #[must_use]
    pub fn of_memory(mut self) -> Self {
        self.tagging = Tagging::Memory;
        self
    }

    /// The names in its path.
    pub fn path_names(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Whether an edit may name the tag it saw.
    pub fn takes_tag(&self) -> bool {
        self.tagging == Tagging::Memory && self.method == Method::PATCH
    }

    pub(crate) fn method_router(self) -> MethodRouter<super::State> {
        let filter = match self.method {
            Method::POST => axum::routing::MethodFilter::POST,
            Method::PATCH => axum::routing::MethodFilter::PATCH,
            Method::PUT => axum::routing::MethodFilter::PUT,
            Method::DELETE => axum::routing::MethodFilter::DELETE,
            _ => axum::routing::MethodFilter::GET,
        };
        let endpoint = Arc::new(self);
        on(
            filter,
            move |Extension(caller): Extension<Caller>,
                  Path(path): Path<Vec<(String, String)>>,
                  query: std::result::Result<Query<Vec<(String, String)>>, _>,
                  headers: HeaderMap,
                  body: std::result::Result<Bytes, _>| async move {
                let query: std::result::Result<_, axum::extract::rejection::QueryRejection> = query;
                let body: std::result::Result<_, axum::extract::rejection::BytesRejection> = body;
                let body = match body {
                    Ok(body) => body,
                    Err(refused) => return too_large(refused.into_response().status()),
                };
                let query = query.map(|Query(pairs)| pairs).map_err(|_| {
                    Error::invalid("the query cannot be read").with_hint("is it percent-encoded?")
                });
                match query.and_then(|query| endpoint.gather(path, query, &headers, &body)) {
                    Ok(arguments) => endpoint.respond(&caller, arguments, &headers).await,
                    Err(error) => answer::failed(&error),
                }
            },
        )
    }

    /// All arguments as one object.
    fn gather(
        &self,
        path: Vec<(String, String)>,
        query: Vec<(String, String)>,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Value> {
        let mut arguments = match self.takes {
            Takes::Query => query::arguments(query, &self.arguments)?,
            Takes::Body if query.is_empty() => from_body(headers, body)?,
            Takes::Body => {
                return Err(Error::invalid("this address takes no query")
                    .with_hint("send the arguments as a JSON object in the body"));
            }
        };
        for (name, value) in path {
            // A part of the path that is a list of its own holds one.
            let is_list = self.arguments.get("properties").is_some_and(|known| {
                known.get(&name).is_some_and(|shape| shape.get("type") == Some(&json!("array")))
            });
            let value = if is_list { json!([value]) } else { json!(value) };
            if arguments.insert(name.clone(), value).is_some() {
                return Err(Error::invalid(format!("`{name}` is part of the address already")));
            }
        }
        match headers.get(IF_MATCH) {
            None => {}
            Some(tag) if self.takes_tag() => {
                if let Some(expected) = expected(tag.to_str().unwrap_or_default())? {
                    arguments.insert("expected".to_owned(), json!(expected));
                }
            }
            Some(_) => {
                return Err(Error::invalid("If-Match is understood by PATCH of a memory only"));
            }
        }
        Ok(Value::Object(arguments))
    }

    async fn respond(&self, caller: &Caller, arguments: Value, headers: &HeaderMap) -> Response {
        let answered = match caller.room.place().await {
            Ok(place) => (self.run)(place.clone(), arguments).await,
            Err(error) => Err(error),
        };
        match answered {
            Err(error) if error.kind() == Kind::Conflict && headers.contains_key(IF_MATCH) => {
                answer::failed_as(StatusCode::PRECONDITION_FAILED, &error)
            }
            Err(error) => answer::failed(&error),
            Ok(_) if self.status == StatusCode::NO_CONTENT => self.status.into_response(),
            Ok(body) => match self.tagging {
                Tagging::Never => answer::json(self.status, &body),
                Tagging::Bytes => answer::tagged(&body, &answer::tag_of(&body), headers),
                Tagging::Memory => answer::tagged(&body, &memory_tag(&body), headers),
            },
        }
    }
}

fn from_body(headers: &HeaderMap, body: &Bytes) -> Result<Map<String, Value>> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    // A browser sends other kinds to other origins without asking.
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Error::invalid("the body must be application/json"));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Error::invalid("the body must be a JSON object")),
        Err(error) => Err(Error::invalid(format!(
            "the body is not JSON: line {}, column {}",
            error.line(),
            error.column()
        ))),
    }
}

/// The tag of a memory: when it was last edited, and how often it was used.
fn memory_tag(body: &Value) -> String {
    let memory = body.get("memory").unwrap_or(body);
    let updated = memory.get("updated_at").and_then(Value::as_str).unwrap_or_default();
    format!("\"{updated}+{}\"", memory.get("used").and_then(Value::as_u64).unwrap_or_default())
}

/// The time in a tag that the caller saw; use does not stand in the way of an edit.
fn expected(tag: &str) -> Result<Option<String>> {
    if tag.trim() == "*" {
        return Ok(None);
    }
    let inside = tag.trim().strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    let time = inside.and_then(|inside| inside.split_once('+')).map(|(time, _)| time);
    match time {
        Some(time) if time.parse::<jiff::Timestamp>().is_ok() => Ok(Some(time.to_owned())),
        _ => Err(Error::invalid("If-Match is not a tag of this server")
            .with_hint("send the ETag of the memory as it was received")),
    }
}

fn too_large(status: StatusCode) -> Response {
    answer::failed_as(status, &Error::invalid("the body is too large, or was cut off"))
}
