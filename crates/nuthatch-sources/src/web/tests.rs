//! The guard against requests that were meant to stay at home: no connection is made.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;

use super::*;

/// Addresses that lead to this machine, into private networks or to metadata.
const HOME: &[&str] = &[
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/admin",
    "http://127.1/",
    "http://127.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0x7f.0.0.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://2852039166/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://192.88.99.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:1::1]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://db.localhost/",
    "http://printer.local/",
    "http://router.lan/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata/",
    "http://instance-data/",
    "http://user:pass@example.org/",
    "http://example.org@127.0.0.1/",
    "http://127.0.0.1#@example.org/",
    "http://127.0.0.1\\@example.org/",
    "http://example.org:0/",
    "http://exa mple.org/",
    "http://１２７.0.0.1/",
    "http://ⓛocalhost/",
    "http://127.0.0.1%2f@example.org/",
    "http://%31%32%37.0.0.1/",
    "file:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1:6379/_INFO",
    "dict://127.0.0.1:11211/stats",
    "//127.0.0.1/",
    "http:/127.0.0.1/",
    "http://",
    "",
];

/// Says what a name stands for, another thing each time.
struct Script(Mutex<VecDeque<Vec<IpAddr>>>);

impl Lookup for Script {
    fn lookup(&self, _: &str, _: Duration) -> io::Result<Vec<IpAddr>> {
        Ok(self.0.lock().unwrap().pop_front().unwrap_or_default())
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn web(guard: Guard, answers: &[&[&str]]) -> Web {
    let answers = answers.iter().map(|all| all.iter().map(|one| ip(one)).collect()).collect();
    Web::with_lookup(guard, WebLimits::default(), Arc::new(Script(Mutex::new(answers))))
}

fn dialled(web: &Web) -> Vec<SocketAddr> {
    web.dialled.lock().unwrap().clone()
}

/// Answers each connection with the next of these, and counts them.
fn serve(answers: Vec<String>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    thread::spawn(move || {
        for (connection, answer) in listener.incoming().zip(answers) {
            let mut connection = connection.unwrap();
            let mut lines = Vec::new();
            for line in BufReader::new(&connection).lines() {
                match line {
                    Ok(line) if !line.is_empty() => lines.push(line),
                    _ => break,
                }
            }
            kept.lock().unwrap().push(lines.join("\n"));
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    (port, asked)
}

fn page(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n{body}")
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
}

#[test]
fn no_address_that_leads_home_is_connected_to() {
    assert!(HOME.len() >= 40);
    for address in HOME {
        // Even a lookup that answers with an innocent number must not be believed.
        let web = web(Guard::public(), &[&["93.184.215.14"]]);
        let error = web.get(address, Ask::default()).expect_err(address);
        assert!(matches!(error.kind(), Kind::Denied | Kind::Invalid), "{address}: {error}");
        assert_eq!(dialled(&web), [], "{address}");
    }
}

#[test]
fn no_redirection_that_leads_home_is_followed() {
    for address in HOME.iter().filter(|address| !address.is_empty()) {
        let (port, asked) = serve(vec![redirect(address), page("stolen")]);
        let own = format!("127.0.0.1:{port}");
        let web = web(Guard::public().allowing([own.clone()]), &[&["93.184.215.14"]]);
        let ended = web.get(&format!("http://{own}/"), Ask::default());
        assert!(ended.is_err(), "{address}");
        assert_eq!(dialled(&web).len(), 1, "{address}");
        assert_eq!(asked.lock().unwrap().len(), 1, "{address}");
    }
}

#[test]
fn names_that_stand_for_private_numbers_are_refused_whole() {
    let lists: [&[&str]; 6] = [
        &["127.0.0.1"],
        &["93.184.215.14", "10.0.0.1"],
        &["::1"],
        &["2606:2800:21f::1", "fd00::1"],
        &["::ffff:192.168.0.1"],
        &["169.254.169.254"],
    ];
    for numbers in lists {
        let web = web(Guard::public(), &[numbers]);
        let error = web.get("http://rebind.example.org/", Ask::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Denied, "{numbers:?}");
        assert_eq!(dialled(&web), [], "{numbers:?}");
    }
}

#[test]
fn a_name_that_changes_its_mind_is_connected_to_as_it_was_judged() {
    let (port, _) = serve(vec![redirect("/again"), page("stolen")]);
    let url = format!("http://rebind.example.org:{port}/");
    // Judged as one number, the connection goes there, though the next answer is another.
    let guard = Guard::public().allowing([format!("rebind.example.org:{port}")]);
    let first = web(guard, &[&["127.0.0.1"], &["169.254.169.254"]]);
    let error = first.get(&url, Ask::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert_eq!(dialled(&first), [SocketAddr::new(ip("127.0.0.1"), port)]);
}

#[test]
fn a_server_that_the_user_names_may_be_private_but_never_metadata() {
    let (port, _) = serve(vec![page("hello")]);
    let own = format!("127.0.0.1:{port}");
    let named = web(Guard::public().allowing([own.clone()]), &[]);
    let reply = named.get(&format!("http://{own}/"), Ask::default()).unwrap();
    assert_eq!((reply.status, reply.body.as_slice()), (200, b"hello".as_slice()));
    let named = web(Guard::public().allowing(["169.254.169.254", "[fe80::1]"]), &[]);
    for address in ["http://169.254.169.254/", "http://[fe80::1]/"] {
        assert_eq!(named.get(address, Ask::default()).unwrap_err().kind(), Kind::Denied);
    }
    assert_eq!(dialled(&named), []);
}

#[test]
fn three_redirections_are_followed_and_a_fourth_is_not() {
    for (count, arrives) in [(3, true), (4, false)] {
        let mut answers = vec![redirect("/next"); count];
        answers.push(page("there"));
        let (port, _) = serve(answers);
        let own = format!("127.0.0.1:{port}");
        let web = web(Guard::public().allowing([own.clone()]), &[]);
        assert_eq!(web.get(&format!("http://{own}/"), Ask::default()).is_ok(), arrives);
    }
}

#[test]
fn headers_stay_with_the_server_that_was_asked() {
    let (second, asked) = serve(vec![page("there")]);
    let (first, _) = serve(vec![redirect(&format!("http://127.0.0.1:{second}/"))]);
    let hosts = [first, second].map(|port| format!("127.0.0.1:{port}"));
    let web = web(Guard::public().allowing(hosts), &[]);
    let headers = &[("authorization", "Basic c2VjcmV0")];
    let ask = Ask { headers, ..Ask::default() };
    web.get(&format!("http://127.0.0.1:{first}/"), ask).unwrap();
    let asked = asked.lock().unwrap();
    assert!(asked.len() == 1 && !asked[0].to_lowercase().contains("authorization"), "{asked:?}");
}

#[test]
fn an_answer_without_end_and_a_silent_server_are_given_up() {
    let (port, _) = serve(vec![page(&"a".repeat(2000))]);
    let guard = Guard::public().allowing(["127.0.0.1"]);
    let limits = WebLimits { bytes: 1000, ..WebLimits::default() };
    let web = Web::new(guard.clone(), limits);
    let error = web.get(&format!("http://127.0.0.1:{port}/"), Ask::default()).unwrap_err();
    assert!(error.to_string().contains("more than is taken"), "{error}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let limits = WebLimits { time: Duration::from_millis(100), ..WebLimits::default() };
    let web = Web::new(guard, limits);
    let error = web.get(&format!("http://127.0.0.1:{port}/"), Ask::default()).unwrap_err();
    assert!(error.to_string().contains("in time"), "{error}");
}

#[test]
fn numbers_of_the_open_internet_pass() {
    for number in ["93.184.215.14", "8.8.8.8", "2606:2800:21f::1", "64:ff9b::808:808"] {
        assert!(guard::is_public(ip(number)), "{number}");
    }
}
