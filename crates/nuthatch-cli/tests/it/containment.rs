//! Nothing outside a store is read or written through a door: links planted in a store of
//! files, and paths where names are expected.
//!
//! The memory tool's own paths are tried in the server's `tests/it/memory_tool.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

/// What stands outside, and in no answer.
const OUTSIDE: &str = "the vault opens at noon";

/// Links below a Markdown store, each with what it leads to: `file`, `folder`, or nothing.
const LINKS: &[(&str, &str)] = &[
    ("MEMORY.md", "file"),
    ("MEMORY.md", "nothing"),
    ("memory", "folder"),
    ("memory/preference.md", "file"),
    ("memory/2026-01-01.md", "file"),
    ("memory/preference.md", "nothing"),
    ("user", "folder"),
    ("user/MEMORY.md", "file"),
    (".nuthatch", "folder"),
    (".nuthatch/turns", "folder"),
];

/// What callers try with each of them.
fn requests() -> Vec<(&'static str, Value)> {
    let tool = |command: &str, path: &str| json!({"command": command, "path": path});
    let mut create = tool("create", "/memories/MEMORY.md");
    create["file_text"] = json!("x");
    let new = json!({"content": "likes tea", "category": "preference"});
    vec![
        ("GET /v1/memories?limit=100", Value::Null),
        ("POST /v1/recall", json!({"query": "when does the vault open"})),
        ("POST /v1/memories", json!({"content": "uses tabs", "scope": "global"})),
        ("POST /v1/memories", new),
        ("POST /dev/memory/profile", json!({"action": "add", "content": "likes tea"})),
        ("POST /dev/memory/commit", json!({"action": "snapshot", "target": "global_memory"})),
        ("POST /v1/memory-tool", create),
        ("POST /v1/memory-tool", tool("view", "/memories/MEMORY.md")),
        ("POST /v1/memory-tool", tool("delete", "/memories/MEMORY.md")),
        ("GET /v1/preamble", Value::Null),
        ("GET /v1/scan", Value::Null),
        ("POST /v1/reindex", json!({})),
    ]
}

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn no_link_in_a_store_leads_out_of_it() {
    let mut tried = 0;
    for (link, target) in LINKS {
        let sandbox = Sandbox::new().with_env("NUTHATCH_STORE", "markdown:notes");
        sandbox.line("remember --scope global --category preference uses spaces").ok();
        sandbox.line("profile add works at night").ok();
        let outside = sandbox.root().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secrets.md"), format!("- {OUTSIDE}\n")).unwrap();
        let store = sandbox.work().join("notes");
        let link = store.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::remove_dir_all(&link).or_else(|_| fs::remove_file(&link));
        let target = match *target {
            "file" => outside.join("secrets.md"),
            "folder" => outside.clone(),
            _ => outside.join("made.md"),
        };
        symlink(&target, &link).unwrap();
        let before = contents(&outside);
        for (route, body) in requests() {
            // A store that is refused as a whole may also refuse to be served.
            let Some(served) = Served::attempt(&sandbox) else { continue };
            let (status, answer) = served.ask(route, &body);
            assert!(status != 500, "{} {route}: {answer}", link.display());
            assert!(!answer.to_string().contains("vault opens at noon"), "{route}: {answer}");
            assert_eq!(contents(&outside), before, "{} {route}", link.display());
            tried += 1;
        }
        let mut agent = Agent::start(&sandbox);
        for tool in ["memory_list", "memory_context"] {
            let told = agent.call(tool, &json!({})).to_string();
            assert!(!told.contains(OUTSIDE), "{}: {told}", link.display());
            tried += 1;
        }
        assert_eq!(contents(&outside), before, "{}", link.display());
    }
    assert!(tried >= 20, "only {tried} were tried");
}

/// Where the name of something is expected.
const ADDRESSES: &[&str] = &[
    "GET /v1/memories/{}",
    "DELETE /v1/memories/{}",
    "GET /v1/review/{}",
    "GET /v1/sessions/{}/turns",
    "DELETE /v1/sessions/{}",
    "POST /dev/memory/{}",
    "GET /{}",
];

const PATHS: &[&str] = &[
    "..",
    "../..",
    "..%2f..%2f..%2fetc%2fpasswd",
    "..%2F..%2Foutside.md",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "%252e%252e%252fetc",
    "....//....//etc/passwd",
    "%2fetc%2fpasswd",
    "file:%2f%2f%2fetc%2fpasswd",
    "..%5c..%5coutside.md",
    "..%c0%af..%c0%afetc",
    "memory.db",
    "..%2ftoken",
    "token",
    "%00",
    "a%00.md",
    "~%2foutside.md",
    "$HOME",
];

#[test]
fn no_path_where_a_name_is_expected_leads_to_a_file() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("outside.md"), OUTSIDE).unwrap();
    sandbox.line("remember --scope global uses tabs").ok();
    let served = Served::start(&sandbox);
    let mut tried = 0;
    for address in ADDRESSES {
        for path in PATHS {
            let route = address.replace("{}", path);
            let (status, answer) = served.ask(&route, &Value::Null);
            let told = answer.to_string();
            // In a conversation that nobody knows, nothing was said.
            let is_nothing = answer == json!({"turns": []});
            assert!((400..500).contains(&status) || is_nothing, "{route}: {status} {told}");
            for leaked in [OUTSIDE, "root:", &served.token, "SQLite format"] {
                assert!(!told.contains(leaked), "{route}: {told}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 60, "only {tried} were tried");
    assert_eq!(sandbox.line("list --json").ok().json()["total"], 1);
    assert_eq!(fs::read_to_string(sandbox.root().join("outside.md")).unwrap(), OUTSIDE);
}
