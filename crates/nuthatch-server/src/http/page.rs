//! The page: files that are compiled in, served under rules that let nothing foreign run.
//!
//! They hold nothing that anybody remembered, so they need no token; everything the page
//! shows it asks for by the routes that do. Parts lie under the version of all of them
//! together, so they may be kept for ever, and a new binary is seen at once.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::answer;

/// Where it is.
pub const AT: &str = "/";
/// Where its parts are.
pub const PARTS: &str = "/ui/";

/// Nothing but our own files runs or is fetched, and nobody puts the page into theirs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; \
    form-action 'none'";

/// Stands in the page where the version belongs.
const VERSION: &str = "{{version}}";

macro_rules! parts {
    ($($name:literal),* $(,)?) => {
        /// Every part, by name.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../ui/", $name)))),*];
    };
}

/// The page itself, before it knows its version.
pub const PAGE: &str = include_str!("../../ui/index.html");

parts![
    "api.js",
    "app.js",
    "desk.js",
    "detail.js",
    "dom.js",
    "edit.js",
    "filters.js",
    "forgetting.js",
    "health.js",
    "hits.js",
    "inject.js",
    "jobs.js",
    "keys.js",
    "list.js",
    "memories.js",
    "overview.js",
    "plot.js",
    "review.js",
    "sessions.js",
    "style.css",
    "words.js",
    "mark.svg",
];

static VERSION_OF_ALL: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    (PAGE, FILES).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
});

static WHOLE: LazyLock<String> = LazyLock::new(|| PAGE.replace(VERSION, &VERSION_OF_ALL));

fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    }
}

fn served(name: &str, text: &'static str, keep: &'static str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", *VERSION_OF_ALL);
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(',')).map(str::trim);
    let mut response = match known.any(|one| one == tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => text.into_response(),
    };
    let own = [
        (CONTENT_TYPE, kind_of(name)),
        (CACHE_CONTROL, keep),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in own {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// The page.
pub(crate) async fn whole(headers: HeaderMap) -> Response {
    served("index.html", &WHOLE, "no-cache", &headers)
}

/// One part of it.
pub(crate) async fn part(
    Path((version, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((name, text)) if version == *VERSION_OF_ALL => {
            served(name, text, "public, max-age=31536000, immutable", &headers)
        }
        _ => answer::no_such_route().await,
    }
}
