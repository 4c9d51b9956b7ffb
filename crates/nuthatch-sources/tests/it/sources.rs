//! Sources against servers on loopback: what is had, and what becomes a note.

use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use nuthatch_sources::Keeping;
use nuthatch_sources::source::{Address, Freshness, Gathered, Had, Sources};
use nuthatch_sources::trackers::{Braingrid, Jira, Token};
use nuthatch_sources::web::{Guard, Web, WebLimits};
use serde_json::json;

use crate::server::{Answer, Server};

const TOKEN: &str = "a-token-of-a-test";

fn web() -> Web {
    let limits = WebLimits { time: Duration::from_millis(500), ..WebLimits::default() };
    Web::new(Guard::public(), limits)
}

fn sources(root: &Path) -> Sources {
    Sources { root: root.to_owned(), web: web(), jira: None, braingrid: None, keeping: None }
}

fn token() -> Token {
    Token::new("TOKEN", TOKEN).unwrap()
}

fn jira(server: &Server) -> Jira {
    Jira::new(&server.url, Some("you@example.org"), token()).unwrap()
}

fn braingrid(server: &Server) -> Braingrid {
    Braingrid::new(&server.url, Braingrid::PATH, "PROJ-14", token()).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn gather(sources: &Sources, address: &str) -> Gathered {
    sources.gather(&Address::parse(address).unwrap(), Freshness::Usual, at(0))
}

fn issue() -> String {
    json!({"key": "PROJ-7", "fields": {
        "summary": "Slow start",
        "status": {"name": "In Progress"},
        "issuetype": {"name": "Bug"},
        "labels": ["speed"],
        "description": "It takes ten seconds.",
        "comment": {"comments": [
            {"author": {"displayName": "Alice"}, "created": "2026-03-01", "body": "Here too."},
        ]},
    }})
    .to_string()
}

#[test]
fn an_issue_is_asked_for_as_documented_and_becomes_text() {
    let server = Server::start(|_| Answer::Say(200, "", issue()));
    let dir = tempfile::tempdir().unwrap();
    let all = Sources { jira: Some(jira(&server)), ..sources(dir.path()) };
    let gathered = gather(&all, "jira:PROJ-7");
    assert_eq!(gathered.title, "PROJ-7: Slow start");
    assert_eq!(
        gathered.text.unwrap(),
        "status: In Progress\ntype: Bug\nlabels: speed\n\nIt takes ten seconds.\n\n\
         comment by Alice 2026-03-01\nHere too."
    );
    let asked = &server.asked()[0];
    assert!(asked.starts_with("GET /rest/api/2/issue/PROJ-7?fields=summary,"), "{asked}");
    // you@example.org and the token, as basic authentication wants them.
    let login = "Basic eW91QGV4YW1wbGUub3JnOmEtdG9rZW4tb2YtYS10ZXN0";
    assert!(asked.contains(login), "{asked}");
}

#[test]
fn without_an_account_the_token_is_a_bearer() {
    let server = Server::start(|_| Answer::Say(200, "", issue()));
    let dir = tempfile::tempdir().unwrap();
    let own = Jira::new(&server.url, None, token()).unwrap();
    gather(&Sources { jira: Some(own), ..sources(dir.path()) }, "jira:PROJ-7");
    assert!(server.asked()[0].contains(&format!("Bearer {TOKEN}")));
}

#[test]
fn a_requirement_is_asked_for_and_becomes_text() {
    let body = json!({"data": {"title": "Login", "status": "ready", "content": "With a key."}});
    let server = Server::start(move |_| Answer::Say(200, "", body.to_string()));
    let dir = tempfile::tempdir().unwrap();
    let all = Sources { braingrid: Some(braingrid(&server)), ..sources(dir.path()) };
    let gathered = gather(&all, "braingrid:REQ-12");
    assert_eq!(gathered.title, "REQ-12: Login");
    assert_eq!(gathered.text.unwrap(), "status: ready\n\nWith a key.");
    let asked = &server.asked()[0];
    assert!(asked.starts_with("GET /api/v1/projects/PROJ-14/requirements/REQ-12 "), "{asked}");
    assert!(asked.contains(&format!("Bearer {TOKEN}")));
}

#[test]
fn what_trackers_refuse_is_a_note_without_the_token() {
    for (status, headers, words) in [
        (401, "", "refuses the credentials (401)"),
        (403, "", "refuses the credentials (403)"),
        (404, "", "knows no"),
        (429, "retry-after: 30\r\n", "left alone for 30 s (429)"),
        (500, "", "fails (500)"),
        (302, "location: http://127.0.0.1:9/\r\n", "points elsewhere (302)"),
    ] {
        let body = format!("your token {TOKEN} is wrong");
        let server = Server::start(move |_| Answer::Say(status, headers, body.clone()));
        let dir = tempfile::tempdir().unwrap();
        let all = Sources {
            jira: Some(jira(&server)),
            braingrid: Some(braingrid(&server)),
            ..sources(dir.path())
        };
        for address in ["jira:PROJ-7", "braingrid:REQ-12"] {
            let gathered = gather(&all, address);
            assert_eq!((gathered.had, &gathered.text), (Had::Missing, &None), "{address} {status}");
            let note = gathered.note.clone().unwrap();
            assert!(note.contains(words), "{address} {status}: {note}");
            assert!(!format!("{gathered:?}").contains(TOKEN), "{address} {status}");
        }
    }
}

#[test]
fn silence_rubbish_and_nobody_are_notes() {
    let silent = Server::start(|_| Answer::Silence);
    let rubbish = Server::start(|_| Answer::Say(200, "", "<html>".into()));
    let dir = tempfile::tempdir().unwrap();
    for (server, words) in [(&silent, "in time"), (&rubbish, "no JSON")] {
        let all = Sources { jira: Some(jira(server)), ..sources(dir.path()) };
        let note = gather(&all, "jira:PROJ-7").note.unwrap();
        assert!(note.contains(words), "{note}");
    }
    let nobody = sources(dir.path());
    assert!(gather(&nobody, "jira:PROJ-7").note.unwrap().contains("not configured"));
    assert!(gather(&nobody, "braingrid:REQ-1").hint.unwrap().contains("BRAINGRID_TOKEN"));
}

#[test]
fn an_answer_is_kept_and_given_again_when_the_server_is_gone() {
    let server = Server::start(|path| match path.contains("PROJ-7") {
        true => Answer::Say(200, "", issue()),
        false => Answer::Say(500, "", String::new()),
    });
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("kept");
    let keeping = Some((Keeping::in_folder(folder.clone()), Duration::from_secs(60)));
    let all = Sources { jira: Some(jira(&server)), keeping, ..sources(dir.path()) };
    let address = Address::parse("jira:PROJ-7").unwrap();
    let had = |freshness, seconds| all.gather(&address, freshness, at(seconds)).had;
    assert_eq!(had(Freshness::Usual, 0), Had::Fresh);
    assert_eq!(had(Freshness::Usual, 60), Had::Kept);
    assert_eq!(had(Freshness::Anew, 60), Had::Fresh);
    assert_eq!(had(Freshness::Usual, 121), Had::Fresh);
    assert_eq!(had(Freshness::Usual, -1), Had::Fresh);
    assert_eq!(server.asked().len(), 4);

    let gone = Jira::new(&server.url, None, token()).unwrap();
    let limits = WebLimits { bytes: 1, ..WebLimits::default() };
    let web = Web::new(Guard::public(), limits);
    let all = Sources { jira: Some(gone), web, ..all };
    let stale = all.gather(&address, Freshness::Anew, at(500));
    assert_eq!(stale.had, Had::Stale);
    assert!(stale.text.is_some() && stale.note.unwrap().contains("this is from"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert_eq!(mode(&file), 0o600);
        fs::write(&file, "broken").unwrap();
    }
    assert_eq!(all.gather(&address, Freshness::Usual, at(501)).had, Had::Missing);
}

#[test]
fn a_page_is_fetched_as_text_and_its_secrets_are_taken_out() {
    let secret = ["ghp", "_", "0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let body = format!("<h1>Wiki</h1><script>x</script><p>token {secret}</p>");
    let server =
        Server::start(move |_| Answer::Say(200, "content-type: text/html\r\n", body.clone()));
    let dir = tempfile::tempdir().unwrap();
    let own = server.url.trim_start_matches("http://").to_owned();
    let web = Web::new(Guard::public().allowing([own]), WebLimits::default());
    let all = Sources { web, ..sources(dir.path()) };
    let gathered = gather(&all, &server.url);
    let text = gathered.text.unwrap();
    assert!(text.starts_with("Wiki") && !text.contains(&secret), "{text}");
    assert!(gathered.note.unwrap().contains("1 secrets"));
    // Nobody named this server, so it is not asked at all.
    let refused = gather(&sources(dir.path()), &server.url);
    assert!(refused.note.unwrap().contains("not on the open internet"));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_file_is_read_within_the_project_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir_all(root.join("docs")).unwrap();
    fs::write(root.join("docs/spec.md"), "the spec").unwrap();
    fs::write(dir.path().join("secret"), "the secret").unwrap();
    let all = sources(&root);
    assert_eq!(gather(&all, "docs/spec.md").text.unwrap(), "the spec");
    assert_eq!(gather(&all, "file:docs/spec.md").text.unwrap(), "the spec");
    assert!(gather(&all, "../secret").note.unwrap().contains("outside the project"));
    assert!(gather(&all, "gone.md").note.unwrap().contains("no such file"));
}

#[test]
fn addresses_that_mean_nothing_are_errors() {
    for address in ["", "ftp://example.org", "jira:../x", "braingrid:a/b", "http://", "jira:"] {
        assert!(Address::parse(address).is_err(), "{address}");
    }
    for address in ["jira:PROJ-1", "jira://PROJ-1", "braingrid://REQ-1", "https://example.org/"] {
        Address::parse(address).expect(address);
    }
}

#[test]
fn a_token_never_travels_in_the_open() {
    assert!(Jira::new("http://jira.example.org", None, token()).is_err());
    assert!(Jira::new("https://user@jira.example.org", None, token()).is_err());
    assert!(Braingrid::new("https://x.example.org", "/no-id", "P", token()).is_err());
    assert!(Token::new("TOKEN", "line\nbreak").is_err());
    assert_eq!(format!("{:?}", token()), "Token(***)");
}
