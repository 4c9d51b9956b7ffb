//! `nuthatch install`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::doors;
use crate::sandbox::{Sandbox, assert_recorded};

pub(crate) const AGENTS: [&str; 7] =
    ["claude-code", "codex", "gemini-cli", "opencode", "cursor", "vscode", "goose"];

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.home().join(".cursor")).unwrap();
    let config =
        "{\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"docs\" } // mine\n  }\n}\n";
    fs::write(sandbox.home().join(".cursor/mcp.json"), config).unwrap();
    let transcript = sandbox.transcript(&[
        "nuthatch install --all --check",
        "nuthatch install --dry-run --program nuthatch cursor",
        "nuthatch install --yes --program nuthatch cursor codex",
        "cat $HOME/.cursor/mcp.json $HOME/.codex/config.toml",
        "nuthatch install --yes --program nuthatch --all",
        "nuthatch install --check --all --program nuthatch",
        "nuthatch install --check --json --program elsewhere/nuthatch codex",
    ]);
    assert_recorded("install", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("install").fails(2, "AGENT");
    sandbox.line("install emacs").fails(2, "no agent is called \"emacs\"");
    sandbox.line("install --all").fails(3, "none of the agents is found");
    sandbox.line("install cursor").fails(2, "only changed when you say so");
    sandbox.line("install --json cursor").fails_in_json(
        2,
        "invalid",
        "only changed when you say so",
    );
    fs::create_dir_all(sandbox.home().join(".cursor")).unwrap();
    let file = sandbox.home().join(".cursor/hooks.json");
    fs::write(&file, "{ \"version\": 1, ").unwrap();
    sandbox.line("install --yes cursor").fails(2, "hooks.json: not JSON at line 1");
    sandbox.line("install --yes --json cursor").fails_in_json(2, "invalid", "not JSON");
    assert_eq!(sandbox.line("install --check cursor").code, 2);
    assert_eq!(fs::read_to_string(file).unwrap(), "{ \"version\": 1, ");
    assert!(!sandbox.home().join(".cursor/mcp.json").exists() && !sandbox.data().exists());
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.ends_with(".local") {
            continue;
        }
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&path)),
            false => {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn every_agent_is_connected_checked_and_disconnected_to_the_byte() {
    for agent in AGENTS {
        for reach in ["--user", "--project"] {
            let sandbox = Sandbox::new();
            let all = || (files(&sandbox.home()), files(&sandbox.work()));
            let before = all();
            assert_eq!(sandbox.line(&format!("install --check {reach} {agent}")).code, 3);
            sandbox.line(&format!("install {reach} --dry-run {agent}")).ok();
            assert_eq!(all(), before, "{agent}: a look changes nothing");
            sandbox.line(&format!("install --yes {reach} {agent}")).ok();
            let (home, work) = all();
            // Everything but goose has files in projects.
            assert_eq!(work.is_empty(), reach == "--user" || agent == "goose", "{agent}");
            assert_eq!(home.is_empty(), reach == "--project" && agent != "goose", "{agent}");
            sandbox.line(&format!("install --check {reach} {agent}")).ok();
            sandbox.line(&format!("uninstall --yes {agent} {reach}")).ok();
            assert_eq!(all(), before, "{agent} {reach}");
        }
    }
}

/// The words that a product starts the server with, read from its file as the product does.
fn registered(sandbox: &Sandbox, agent: &str) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(sandbox.home().join(path)).unwrap();
    let json = |path: &str| -> Value { serde_json::from_str(&read(path)).unwrap() };
    let (entry, program) = match agent {
        "claude-code" => (json(".claude.json")["mcpServers"]["nuthatch"].clone(), "command"),
        "codex" => {
            let table: toml::Table = read(".codex/config.toml").parse().unwrap();
            let value = serde_json::to_value(table).unwrap();
            (value["mcp_servers"]["nuthatch"].clone(), "command")
        }
        "gemini-cli" => {
            (json(".gemini/settings.json")["mcpServers"]["nuthatch"].clone(), "command")
        }
        "opencode" => {
            (json(".config/opencode/opencode.json")["mcp"]["nuthatch"].clone(), "command")
        }
        "cursor" => (json(".cursor/mcp.json")["mcpServers"]["nuthatch"].clone(), "command"),
        "vscode" => (json(".config/Code/User/mcp.json")["servers"]["nuthatch"].clone(), "command"),
        _ => {
            let value: Value = serde_saphyr::from_str(&read(".config/goose/config.yaml")).unwrap();
            (value["extensions"]["nuthatch"].clone(), "cmd")
        }
    };
    let words = |value: &Value| match value {
        Value::String(word) => vec![word.clone()],
        Value::Array(words) => words.iter().map(|word| word.as_str().unwrap().to_owned()).collect(),
        _ => Vec::new(),
    };
    [words(&entry[program]), words(&entry["args"])].concat()
}

#[test]
fn what_is_registered_starts_and_answers() {
    for agent in AGENTS {
        let sandbox = Sandbox::new();
        sandbox.line(&format!("install --yes {agent}")).ok();
        let words = registered(&sandbox, agent);
        assert!(Path::new(&words[0]).is_absolute(), "{agent}: {words:?}");
        let mut client = doors::Agent::start_as(&sandbox, &words);
        let text = format!("{agent} came in");
        let saved = client.done("memory_save", &json!({"content": text}));
        assert_eq!(saved["memory"]["content"], text);
        assert_eq!(client.hang_up(), Some(0));
    }
}

/// Every hook that a file of JSON registers, as the line a shell would run.
fn hooks(value: &Value, found: &mut Vec<(String, Vec<String>)>, event: &str) {
    match value {
        Value::Object(members) if members.contains_key("command") => {
            let command = members["command"].as_str().unwrap().to_owned();
            let args = members.get("args").and_then(Value::as_array).map(|args| {
                args.iter().map(|arg| arg.as_str().unwrap().to_owned()).collect::<Vec<_>>()
            });
            let words = match args {
                Some(args) => [vec![command], args].concat(),
                None => vec!["sh".to_owned(), "-c".to_owned(), command],
            };
            found.push((event.to_owned(), words));
        }
        Value::Object(members) => {
            for (key, value) in members {
                let event = if ["hooks", "version"].contains(&key.as_str()) { event } else { key };
                hooks(value, found, event);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|value| hooks(value, found, event)),
        _ => {}
    }
}

#[test]
fn every_hook_that_is_registered_runs_and_answers() {
    let files = [
        ("claude-code", ".claude/settings.json", 5),
        ("codex", ".codex/hooks.json", 5),
        ("gemini-cli", ".gemini/settings.json", 5),
        ("cursor", ".cursor/hooks.json", 4),
        ("vscode", ".copilot/hooks/nuthatch.json", 4),
    ];
    for (agent, file, count) in files {
        let sandbox = crate::hook::patient();
        sandbox.line("remember --pin the staging database listens on port 5433").ok();
        sandbox.line(&format!("install --yes {agent}")).ok();
        let text = fs::read_to_string(sandbox.home().join(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut found = Vec::new();
        hooks(&value["hooks"], &mut found, "");
        assert_eq!(found.len(), count, "{agent}: {found:?}");
        let mut reminded = 0;
        for (at, (event, words)) in found.iter().enumerate() {
            let said = json!({"hook_event_name": event, "session_id": at.to_string(),
                "cwd": sandbox.work(), "prompt": "which port has the staging database?"});
            let mut command = sandbox.command(&words[0]);
            command.args(&words[1..]);
            let ran = crate::hook::piped(command, said.to_string().as_bytes());
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{agent} {event}");
            reminded += usize::from(ran.stdout.contains("5433"));
        }
        assert_eq!(reminded, if agent == "cursor" { 1 } else { 2 }, "{agent}");
    }
}

#[test]
fn a_change_of_place_is_outdated_until_it_is_installed_again() {
    let sandbox = Sandbox::new();
    sandbox.line("install --yes --program /old/nuthatch codex").ok();
    let ran = sandbox.line("install --check codex");
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.contains("is not as it would be set up now"), "{ran:?}");
    sandbox.line("install --yes codex").ok();
    sandbox.line("install --check codex").ok();
    sandbox.line("uninstall --yes codex").ok();
    assert!(!sandbox.home().join(".codex").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn on_a_terminal_it_shows_what_changes_and_asks() {
    let sandbox = Sandbox::new();
    let shown = sandbox.on_terminal("nuthatch install goose", "n\n").stdout;
    assert!(shown.contains("+  nuthatch:") && shown.contains("Change these files?"), "{shown}");
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert!(!sandbox.home().join(".config/goose").exists());
    sandbox.on_terminal("nuthatch install goose", "y\n").ok();
    sandbox.line("install --check goose").ok();
}
