//! The plugin folder: what it says is valid, and what it names runs.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::doors;
use crate::hook::{patient, piped};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> Value {
    let text = fs::read_to_string(repository().join(path)).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_manifest_says_what_it_must_in_the_types_it_must_have() {
    let manifest = read("plugin/.claude-plugin/plugin.json");
    let texts = ["name", "version", "description", "license", "mcpServers", "hooks", "skills"];
    for key in manifest.as_object().unwrap().keys() {
        assert!(texts.contains(&key.as_str()) || key == "author" || key == "keywords", "{key}");
    }
    let name = manifest["name"].as_str().unwrap();
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    // Codex wants paths that begin with a dot, and everybody wants what they name to be there.
    for key in ["mcpServers", "hooks", "skills"] {
        let path = manifest[key].as_str().unwrap();
        assert!(path.starts_with("./"), "{path}");
        assert!(repository().join("plugin").join(path).exists(), "{path}");
    }
    let market = read(".claude-plugin/marketplace.json");
    assert!(market["name"].is_string() && market["owner"]["name"].is_string());
    assert_eq!(market["plugins"][0]["name"], name);
    assert_eq!(market["plugins"][0]["source"], "./plugin");
}

#[test]
fn its_server_starts_and_its_hooks_answer() {
    let sandbox = patient();
    let server = &read("plugin/.mcp.json")["mcpServers"]["nuthatch"];
    let args =
        server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned());
    let words: Vec<String> =
        std::iter::once(server["command"].as_str().unwrap().to_owned()).chain(args).collect();
    let mut client = doors::Agent::start_as(&sandbox, &words);
    client.done("memory_save", &json!({"content": "the staging database listens on port 5433"}));
    client.hang_up();
    let hooks = read("plugin/hooks/hooks.json");
    let known = ["SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"];
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), known.len());
    for event in known {
        let hook = &hooks["hooks"][event][0]["hooks"][0];
        assert_eq!(hook["type"], "command");
        assert!(hook["timeout"].as_u64().is_some_and(|seconds| seconds <= 10));
        let mut command = sandbox.command("sh");
        // One line for both products: neither knows the other's way to name arguments apart.
        command.arg("-c").arg(hook["command"].as_str().unwrap());
        let said = json!({"hook_event_name": event, "session_id": event, "cwd": sandbox.work(),
            "prompt": "which port has the staging database?"});
        let ran = piped(command, said.to_string().as_bytes()).ok();
        let carries = ["SessionStart", "UserPromptSubmit"].contains(&event);
        assert_eq!(ran.stdout.contains("5433"), carries, "{event}: {ran:?}");
    }
}

#[test]
fn its_skill_is_valid() {
    let text = fs::read_to_string(repository().join("plugin/skills/memory/SKILL.md")).unwrap();
    let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let front: Value = serde_saphyr::from_str(front).unwrap();
    let keys: Vec<&String> = front.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["description", "name"]);
    assert_eq!(front["name"], "memory");
    assert!(front["description"].as_str().unwrap().len() <= 1024);
    assert!(body.lines().count() < 500);
}
