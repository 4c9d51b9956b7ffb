//! The library touches no disk, network, environment, terminal or system clock; only the
//! endpoints of models and the sources of context are connected to, and only the server
//! listens.
//!
//! Test-only code is exempt. An alias such as `use jiff::Timestamp as T` can hide a call
//! from this check; reviewers see the alias.

use crate::report::{Violation, assert_caught, assert_clean};
use crate::syntax::{mentions, parse};
use crate::workspace::{is_test_path, rust_files};

/// Where the strict rule holds.
const LIBRARY: &str = "crates/nuthatch/src/";

/// What the library must not mention: a run of neighbouring path segments, and why.
const IMPURE: &[(&[&str], &str)] = &[
    (&["std", "*"], "hides which module is used"),
    (&["std", "fs"], "files belong to the stores"),
    (&["std", "net"], "the network belongs to the doors"),
    (&["std", "path"], "paths on disk belong to the stores and the CLI"),
    (&["std", "env"], "the environment belongs to the CLI"),
    (&["std", "process"], "processes belong to the CLI"),
    (&["std", "io", "*"], "hides which stream is used"),
    (&["io", "stdin"], "the terminal belongs to the CLI"),
    (&["io", "stdout"], "the terminal belongs to the CLI"),
    (&["io", "stderr"], "the terminal belongs to the CLI"),
    (&["println!"], "the terminal belongs to the CLI"),
    (&["print!"], "the terminal belongs to the CLI"),
    (&["eprintln!"], "the terminal belongs to the CLI"),
    (&["eprint!"], "the terminal belongs to the CLI"),
    (&["std", "time", "*"], "hides which clock is used"),
    (&["time", "SystemTime"], "time comes from the Clock port"),
    (&["time", "Instant"], "time comes from the Clock port"),
    (&["SystemTime", "now"], "time comes from the Clock port"),
    (&["Instant", "now"], "time comes from the Clock port"),
    (&["Timestamp", "now"], "time comes from the Clock port"),
    (&["Zoned", "now"], "time comes from the Clock port"),
    (&["Uuid", "now_v7"], "time comes from the Clock port"),
    (&["TimeZone", "system"], "the zone is part of the request"),
    (&["TimeZone", "try_system"], "the zone is part of the request"),
];

/// Where connections are made: SECURITY.md says that these are the only ones, and that they
/// go to an address that the user configured. The test kit ships with nothing, and the example
/// plays a model on loopback.
const CONNECTED: &[&str] = &[
    "crates/nuthatch-models/src/http.rs",
    "crates/nuthatch-rig/examples/agent/scripted.rs",
    "crates/nuthatch-sources/src/web/",
    "crates/nuthatch-stores/src/postgres/connect.rs",
    "crates/nuthatch-testkit/src/scripted.rs",
];

/// What nothing else may mention. Values such as `SocketAddr` open nothing, and configuration
/// may hold one.
const NETWORK: &[(&[&str], &str)] = &[
    (&["std", "net", "*"], "hides whether a socket is used"),
    (&["TcpStream"], "only endpoints of models connect"),
    (&["TcpListener"], "only the server listens"),
    (&["UdpSocket"], "only endpoints of models connect"),
    (&["ToSocketAddrs"], "resolving a name asks the network"),
    (&["unix", "net"], "only endpoints of models connect"),
    (&["tokio", "net"], "only endpoints of models connect"),
    (&["hyper"], "only endpoints of models connect"),
    (&["reqwest"], "only endpoints of models connect"),
    (&["ureq"], "only endpoints of models connect"),
    (&["deadpool_postgres"], "only the store on PostgreSQL connects"),
];

/// Who may mention one word of it all the same, and why.
const LISTENING: &[(&str, &str, &str)] = &[(
    "crates/nuthatch-server/src/http/",
    "TcpListener",
    "`nuthatch serve` listens where it is told to, and never calls out",
)];

fn listens(path: &str, segments: &[String]) -> bool {
    LISTENING.iter().any(|(place, word, _)| {
        path.starts_with(place) && segments.iter().any(|segment| segment == word)
    })
}

fn check(path: &str, text: &str) -> Vec<Violation> {
    if is_test_path(path) {
        return Vec::new();
    }
    let file = match parse(path, text) {
        Ok(file) => file,
        Err(violations) => return violations,
    };
    let impure = IMPURE.iter().filter(|_| path.starts_with(LIBRARY));
    let connected = CONNECTED.iter().any(|place| path.starts_with(place));
    let network = NETWORK.iter().filter(|_| !connected);
    let rules: Vec<_> = network.chain(impure).collect();
    let mut violations = Vec::new();
    for mention in mentions(&file) {
        if listens(path, &mention.segments) {
            continue;
        }
        let broken = rules.iter().find(|(run, _)| {
            mention.segments.windows(run.len()).any(|window| window.iter().eq(run.iter()))
        });
        if let Some((_, why)) = broken {
            let name = mention.segments.join("::");
            violations.push(Violation::at_line(path, mention.line, format!("`{name}`: {why}")));
        }
    }
    violations
}

#[test]
fn the_library_is_pure_and_the_network_is_used_where_it_is_said() {
    assert_clean(rust_files().iter().flat_map(|file| check(&file.path, &file.text)));
}

#[test]
fn a_file_a_clock_and_a_print_are_caught_in_the_library() {
    let code = r#"
        use std::{collections::HashMap, fs};
        use std::io;
        fn f() -> jiff::Timestamp {
            println!("{:?}", std::env::var("HOME"));
            io::stdin();
            jiff::Timestamp::now()
        }
    "#;
    assert_caught(
        &check("crates/nuthatch/src/recall.rs", code),
        &["2: `std::fs`", "5: `println!`", "5: `std::env::var`", "6: `io::stdin`", "7: `jiff::"],
    );
}

#[test]
fn a_socket_is_caught_in_every_crate() {
    let code = "use std::net::TcpStream;\nuse tokio::net as n;\nuse std::os::unix::net;\n\
                use std::net;\nfn f() { net::TcpListener::bind(()); }";
    assert_caught(&check("crates/nuthatch-cli/src/main.rs", code), &["1: ", "2: ", "3: ", "5: "]);
}

#[test]
fn a_server_may_listen_and_not_call_out() {
    let code = "use tokio::net::TcpListener;\nuse std::net::TcpStream;";
    let path = "crates/nuthatch-server/src/http/mod.rs";
    assert_caught(&check(path, code), &["2: "]);
    let elsewhere = "crates/nuthatch-server/src/mcp/mod.rs";
    assert_caught(&check(elsewhere, code), &["1: ", "2: "]);
}

#[test]
fn only_the_endpoints_of_models_may_connect() {
    let code = "use ureq::Agent;";
    assert_clean(check("crates/nuthatch-models/src/http.rs", code));
    assert_caught(&check("crates/nuthatch-models/src/encoder.rs", code), &["1: `ureq::Agent`"]);
}

#[test]
fn tests_comments_and_strings_may_say_anything() {
    let code = r#"
        // println!("std::fs")
        const TEXT: &str = "std::fs::read, Timestamp::now()";
        #[cfg(test)]
        mod tests { use std::fs; fn now() { jiff::Timestamp::now(); } }
    "#;
    assert_clean(check("crates/nuthatch/src/recall.rs", code));
    assert_clean(check("crates/nuthatch/src/recall/tests.rs", "use std::fs;"));
}

#[test]
fn outside_the_library_files_and_address_values_are_allowed() {
    let code = "use std::fs;\nuse std::net::SocketAddr;";
    assert_clean(check("crates/nuthatch-stores/src/json/open.rs", code));
}
