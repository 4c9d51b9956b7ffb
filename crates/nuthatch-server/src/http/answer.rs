//! How answers and failures look: JSON, with the status of the kind.
//!
//! The one table from kinds to statuses; what an answer says is the verb's.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use nuthatch::error::{Error, Kind};
use serde_json::{Value, json};

/// The status of each kind of failure.
pub fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::Invalid => StatusCode::BAD_REQUEST,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Conflict => StatusCode::CONFLICT,
        Kind::Denied => StatusCode::FORBIDDEN,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A value as JSON. Whose memory it is, is nobody else's: nothing on the way may keep it.
pub fn json(status: StatusCode, body: &Value) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
    ];
    (status, headers, body.to_string()).into_response()
}

/// A failure, under the status of its kind.
pub fn failed(error: &Error) -> Response {
    failed_as(status(error.kind()), error)
}

/// A failure under another status.
pub fn failed_as(status: StatusCode, error: &Error) -> Response {
    let mut told = json!({"kind": error.kind().name(), "message": error.to_string()});
    if let Some(hint) = error.hint() {
        told["hint"] = json!(hint);
    }
    json(status, &json!({"error": told}))
}

/// An answer with its tag; only the tag, where the caller has it already.
pub fn tagged(body: &Value, tag: &str, headers: &HeaderMap) -> Response {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(',')).map(str::trim);
    let mut response = if known.any(|one| one == tag || one == "*") {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        json(StatusCode::OK, body)
    };
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// A tag for an answer that has no version of its own.
pub fn tag_of(body: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    body.to_string().hash(&mut hasher);
    format!("W/\"{:016x}\"", hasher.finish())
}

/// Nothing is there.
pub async fn no_such_route() -> Response {
    failed(&Error::not_found("nothing is at this address").with_hint("see /openapi.json"))
}

/// Something is there, but not by this method.
pub async fn no_such_method() -> Response {
    let error = Error::invalid("this address has no such method").with_hint("see /openapi.json");
    failed_as(StatusCode::METHOD_NOT_ALLOWED, &error)
}
