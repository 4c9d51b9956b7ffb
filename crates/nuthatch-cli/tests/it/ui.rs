//! `nuthatch ui`: the page, by a server that is found or started; its token leaks nowhere.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::doors::Served;
use crate::sandbox::{NUTHATCH, Sandbox, assert_recorded};

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let lines = ["timeout --preserve-status 2 nuthatch ui --no-open | \
                  sed -E 's/[0-9a-f]{64}/[TOKEN]/; s/:[0-9]+\\//:[PORT]\\//'"];
    assert_recorded("ui", &sandbox.transcript(&lines));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("ui --nonsense").fails(2, "nonsense");
    sandbox.line("ui --no-open --store nowhere:x").fails(2, "nowhere");
    sandbox.line("ui --no-open --json --store nowhere:x").fails_in_json(2, "invalid", "nowhere");
}

/// A running `nuthatch ui`, which ends with the test, and what it said first.
struct Opened(Child, Value);

impl Opened {
    fn start(sandbox: &Sandbox, screen: Option<&std::path::Path>) -> Opened {
        let mut command = sandbox.command(NUTHATCH);
        command.args(["ui", "--json"]);
        match screen {
            Some(programs) => command.env("DISPLAY", ":0").env("PATH", programs),
            None => command.arg("--no-open"),
        };
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told = serde_json::from_str(&line).unwrap();
        Opened(child, told)
    }

    fn url(&self) -> &str {
        self.1["url"].as_str().unwrap()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_of_this_place_is_found_and_another_is_not() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox);
    let told = sandbox.line("ui --no-open --json").ok().json();
    assert_eq!(told["serving"], false);
    let expected = format!("http://{}/#token={}", served.addr, served.token);
    assert_eq!(told["url"].as_str().unwrap(), expected);
    let mut elsewhere = sandbox.command(NUTHATCH);
    elsewhere.args(["ui", "--no-open", "--json", "--store", "sqlite:other.db"]);
    let mut child = elsewhere.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let other = Opened(child, serde_json::from_str(&line).unwrap());
    assert_eq!(other.1["serving"], true, "another store needs another server");
    assert!(!other.url().contains(&served.addr));
}

#[test]
fn a_server_that_is_killed_is_not_found_any_more() {
    let sandbox = Sandbox::new();
    let served = Served::start(&sandbox);
    let pid = served.pid().to_string();
    std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap();
    drop(served);
    let opened = Opened::start(&sandbox, None);
    assert_eq!(opened.1["serving"], true);
}

#[cfg(unix)]
#[test]
fn a_browser_is_started_without_the_token_in_its_arguments() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let programs = sandbox.root().join("programs");
    fs::create_dir(&programs).unwrap();
    // It writes down what it was asked, and says so by renaming.
    let told = sandbox.root().join("told");
    let script =
        format!("#!/bin/sh\necho \"$@\" > {0}.part\n/bin/mv {0}.part {0}\n", told.display());
    let browser = programs.join("xdg-open");
    fs::write(&browser, script).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let opened = Opened::start(&sandbox, Some(&programs));
    let token = opened.url().split("#token=").nth(1).unwrap().to_owned();
    while !told.exists() {
        std::thread::yield_now();
    }
    let asked = fs::read_to_string(&told).unwrap();
    assert!(!asked.contains(&token), "{asked}");
    let file = std::path::PathBuf::from(asked.trim());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&file).unwrap().contains(opened.url()));
    let line = fs::read_to_string(format!("/proc/{}/cmdline", opened.0.id())).unwrap();
    assert!(!line.contains(&token));
}
