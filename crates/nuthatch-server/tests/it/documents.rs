//! The documents in `docs/` are what the code says; with `INSTA_UPDATE=always` they are
//! written anew.

use std::fs;
use std::path::PathBuf;

use nuthatch_server::http::openapi;
use nuthatch_server::mcp::{INSTRUCTIONS, tools};
use serde_json::json;

fn docs(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn assert_current(name: &str, text: &str) {
    let path = docs(name);
    if std::env::var("INSTA_UPDATE").is_ok_and(|wish| wish == "always") {
        fs::write(&path, text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{name} is out of date; INSTA_UPDATE=always writes it anew");
}

#[test]
fn the_tools_that_are_offered_are_those_of_the_code() {
    let lines: Vec<String> = tools::describe().iter().map(|tool| json!(tool).to_string()).collect();
    assert_current("../crates/nuthatch-server/src/mcp/tools.jsonl", &(lines.join("\n") + "\n"));
    let offered: Vec<String> = tools::all().iter().map(|tool| json!(tool).to_string()).collect();
    assert_eq!(offered, lines, "compiled before it was written anew?");
}

#[test]
fn the_tool_list_is_as_documented() {
    let list = json!({"tools": tools::describe()});
    assert_current("mcp-tools.json", &format!("{list:#}\n"));
}

#[test]
fn the_openapi_document_is_as_documented() {
    assert_current("openapi.json", &format!("{:#}\n", openapi::document()));
}

#[test]
fn the_instructions_are_as_documented_and_short() {
    assert!(INSTRUCTIONS.len() < 2048, "clients cut at 2 KB");
    let quoted: Vec<String> =
        INSTRUCTIONS.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    let page = fs::read_to_string(docs("mcp.md")).unwrap();
    assert!(page.contains(&quoted.join("\n")), "docs/mcp.md has other instructions");
}
