//! Endpoints: what is asked of them, what is believed, what is tried again.

use std::time::Duration;

use nuthatch::embedder::{Embedder, Purpose};
use nuthatch::error::{Error, Kind};
use nuthatch::vector::Vector;
use nuthatch_models::{ApiKey, Endpoint, Remote, Wire};
use nuthatch_testkit::scripted::{Answer, Asked, ScriptedServer};
use pollster::block_on;
use serde_json::json;

use crate::server::{ok, status, texts};

fn endpoint(wire: Wire, url: &str) -> Endpoint {
    Endpoint {
        base_url: url.into(),
        dimensions: Some(2),
        pause: Duration::ZERO,
        ..Endpoint::new(wire, "tiny")
    }
}

fn open(endpoint: Endpoint) -> Remote {
    block_on(Remote::open(endpoint)).expect("the endpoint is well configured")
}

fn refusal(endpoint: Endpoint) -> Error {
    block_on(Remote::open(endpoint)).err().expect("it is refused")
}

fn embed(remote: &Remote, texts: &[&str]) -> nuthatch::Result<Vec<Vector>> {
    block_on(remote.embed(Purpose::Passage, texts))
}

/// A vector that tells the length of its text.
fn by_length(asked: &Asked) -> Vec<Vec<f64>> {
    texts(asked).iter().map(|text| vec![1.0, text.len() as f64]).collect()
}

fn openai(_: usize, asked: &Asked) -> Answer {
    let data = by_length(asked).into_iter().enumerate();
    let mut data: Vec<_> = data.map(|(i, v)| json!({"index": i, "embedding": v})).collect();
    data.reverse();
    ok(&json!({"data": data, "model": "tiny", "usage": {}}))
}

fn ollama(_: usize, asked: &Asked) -> Answer {
    ok(&json!({"embeddings": by_length(asked)}))
}

#[test]
fn both_languages_are_spoken_in_batches_with_prefixes_and_the_order_is_kept() {
    for (wire, path, script) in [
        (Wire::OpenAi, "/embeddings", openai as fn(usize, &Asked) -> Answer),
        (Wire::Ollama, "/api/embed", ollama),
    ] {
        let server = ScriptedServer::start(script);
        let mut endpoint = endpoint(wire, &format!("{}/", server.url()));
        endpoint.batch = 2;
        endpoint.query_prefix = "query: ".into();
        let remote = open(endpoint);
        let vectors = embed(&remote, &["a", "bb", "ccc"]).unwrap();
        let right = [1.0, 2.0, 3.0].map(|length| Vector::quantise(&[1.0, length]));
        assert_eq!(vectors, right);
        block_on(remote.embed(Purpose::Query, &["", "a"])).unwrap();
        let asked = server.asked();
        let texts: Vec<Vec<&str>> = asked.iter().map(texts).collect();
        assert_eq!(texts, [vec!["a", "bb"], vec!["ccc"], vec!["query: ", "query: a"]]);
        assert_eq!((asked[0].path.as_str(), &asked[0].body["model"]), (path, &json!("tiny")));
        assert_eq!(asked[0].body["dimensions"], 2);
        let info = remote.info();
        assert_eq!((info.origin.as_str(), info.dimensions), (wire.name(), 2));
        let id = format!("tiny@{}#{}", wire.name(), &info.hash[..16]);
        assert_eq!(info.id.as_str(), id);
    }
}

#[test]
fn a_text_is_asked_for_once_and_an_empty_one_becomes_a_blank() {
    let server = ScriptedServer::start(ollama);
    let remote = open(endpoint(Wire::Ollama, server.url()));
    let first = embed(&remote, &["a", "", "bb"]).unwrap();
    assert_eq!(embed(&remote, &["bb", "ccc", "a"]).unwrap()[2], first[0]);
    assert!(embed(&remote, &[]).unwrap().is_empty());
    let asked = server.asked();
    let texts: Vec<Vec<&str>> = asked.iter().map(texts).collect();
    assert_eq!(texts, [vec!["a", " ", "bb"], vec!["ccc"]]);
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let server = ScriptedServer::start(ollama);
    embed(&open(endpoint(Wire::Ollama, server.url())), &[&"é".repeat(50_000)]).unwrap();
    assert_eq!(texts(&server.asked()[0])[0].chars().count(), 8_000);
}

#[test]
fn dimensions_are_asked_of_the_endpoint_where_they_are_not_configured() {
    let server = ScriptedServer::start(ollama);
    let unknown = Endpoint { dimensions: None, ..endpoint(Wire::Ollama, server.url()) };
    let remote = open(unknown.clone());
    assert_eq!(remote.info().dimensions, 2);
    assert!(server.asked()[0].body.get("dimensions").is_none());
    let other = Endpoint { model: "other".into(), ..unknown.clone() };
    let prefixed = Endpoint { passage_prefix: "p ".into(), ..unknown };
    let ids = [other, prefixed].map(|endpoint| open(endpoint).info().id);
    assert!(ids[0] != ids[1] && !ids.contains(&remote.info().id));
}

#[test]
fn what_may_pass_is_tried_again() {
    let server = ScriptedServer::start(|before, asked| match before {
        0 => Answer::Say(429, "retry-after: 0\r\n", String::new()),
        1 => status(503),
        2 => Answer::HangUp,
        _ => ollama(before, asked),
    });
    let remote = open(endpoint(Wire::Ollama, server.url()));
    assert_eq!(embed(&remote, &["a"]).unwrap().len(), 1);
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn patience_ends() {
    let server = ScriptedServer::start(|_, _| status(500));
    let remote = open(endpoint(Wire::Ollama, server.url()));
    let error = embed(&remote, &["a"]).unwrap_err();
    assert_eq!((error.kind(), server.asked().len()), (Kind::Unavailable, 4));
    assert!(error.to_string().contains("fails (500)"), "{error}");
    // A person waits for a query.
    block_on(remote.embed(Purpose::Query, &["a"])).unwrap_err();
    assert_eq!(server.asked().len(), 6);
}

#[test]
fn a_silent_server_is_left_after_the_time_that_was_given() {
    let server = ScriptedServer::start(|_, _| Answer::Silence);
    let mut endpoint = endpoint(Wire::Ollama, server.url());
    endpoint.timeout = Duration::from_millis(50);
    endpoint.attempts = 2;
    let error = embed(&open(endpoint), &["a"]).unwrap_err();
    assert_eq!(error.kind(), Kind::Unavailable);
    assert!(error.to_string().contains("did not answer in time"), "{error}");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_server_that_is_not_there_is_not_waited_for() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", taken.local_addr().unwrap());
    drop(taken);
    let mut endpoint = endpoint(Wire::Ollama, &url);
    endpoint.pause = Duration::from_secs(3_600);
    let error = embed(&open(endpoint), &["a"]).unwrap_err();
    assert_eq!(error.kind(), Kind::Unavailable);
    assert!(error.to_string().contains("is not running"), "{error}");
}

#[test]
fn refusals_have_their_kind_come_once_and_echo_nothing() {
    for (status, kind) in [
        (400, Kind::Invalid),
        (401, Kind::Denied),
        (403, Kind::Denied),
        (404, Kind::NotFound),
        (302, Kind::Unavailable),
    ] {
        let server = ScriptedServer::start(move |_, _| crate::server::status(status));
        let mut endpoint = endpoint(Wire::OpenAi, server.url());
        let key = ["k", "e", "y", "-1234"].concat();
        endpoint.api_key = Some(ApiKey::new("SOME_KEY", key.clone()).unwrap());
        assert!(!format!("{endpoint:?}").contains(&key));
        let error = embed(&open(endpoint), &["a secret plan"]).unwrap_err();
        assert_eq!(error.kind(), kind, "{status}");
        let told = format!("{error:?} {error} {:?}", error.hint());
        assert!(!told.contains("secret plan") && !told.contains(&key), "{told}");
        if kind == Kind::Denied {
            assert!(told.contains("SOME_KEY"), "{told}");
        }
        let asked = server.asked();
        assert_eq!(asked.len(), 1, "{status}");
        assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
    }
}

#[test]
fn an_answer_that_does_not_fit_is_not_believed() {
    let item = |index: usize, v: &str| format!(r#"{{"index": {index}, "embedding": {v}}}"#);
    let data = |items: &[String]| format!(r#"{{"data": [{}]}}"#, items.join(","));
    for (body, why) in [
        ("nothing".to_owned(), "is not what"),
        ("{}".into(), "is not what"),
        (data(&[item(0, "[1, 2]")]), "1 vectors for 2 texts"),
        (data(&[item(0, "[1, 2]"), item(0, "[1, 2]")]), "whose"),
        (data(&[item(0, "[1, 2]"), item(2, "[1, 2]")]), "whose"),
        (data(&[item(0, "[1, 2]"), item(1, "[1, 2, 3]")]), "3 dimensions, not 2"),
        (data(&[item(0, "[]"), item(1, "[]")]), "0 dimensions"),
        (data(&[item(0, "[1, 1e999]"), item(1, "[1, 2]")]), "is not what"),
        (data(&[item(0, "[1, 1e300]"), item(1, "[1, 2]")]), "without direction"),
        (data(&[item(0, "[0, 0]"), item(1, "[1, 2]")]), "without direction"),
        (data(&[item(0, "[1, null]"), item(1, "[1, 2]")]), "is not what"),
    ] {
        let server = ScriptedServer::start(move |_, _| ok(&body));
        let error = embed(&open(endpoint(Wire::OpenAi, server.url())), &["a", "b"]).unwrap_err();
        assert_eq!(error.kind(), Kind::Unavailable);
        assert!(error.to_string().contains(why), "{error}, not {why}");
    }
}

#[test]
fn addresses_and_keys_that_cannot_be_right_are_refused() {
    let at = |url: &str| endpoint(Wire::OpenAi, url);
    for url in ["", "example.com", "ftp://example.com", "http://", "http://a b", "https://"] {
        assert_eq!(refusal(at(url)).kind(), Kind::Invalid, "{url}");
    }
    let named = refusal(at("https://somebody:word@example.com/v1"));
    assert!(!named.to_string().contains("word@"), "{named}");
    refusal(at("https://example.com/v1?key=1"));
    let keyed = |url: &str| Endpoint { api_key: Some(ApiKey::new("K", "x").unwrap()), ..at(url) };
    let error = refusal(keyed("http://192.0.2.1/v1"));
    assert!(error.to_string().contains("https"), "{error}");
    for url in
        ["https://192.0.2.1/v1", "http://localhost:1", "http://127.0.0.9:1", "http://[::1]:1"]
    {
        open(keyed(url));
    }
    open(at("http://192.0.2.1/v1"));
    assert_eq!(refusal(Endpoint { batch: 0, ..at("https://a.example") }).kind(), Kind::Invalid);
    let missing = ApiKey::from_env("NUTHATCH_NO_SUCH_VARIABLE").unwrap_err();
    assert!(missing.to_string().contains("NUTHATCH_NO_SUCH_VARIABLE"), "{missing}");
    assert!(ApiKey::new("K", "two words").is_err() && ApiKey::new("K", "a\r\nb").is_err());
}
