//! `nuthatch mcp`: the protocol over the real binary.

use serde_json::{Value, json};

use crate::doors::Agent;
use crate::sandbox::{Sandbox, assert_recorded};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"me","version":"1"}}}"#;

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let stateless = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let save = json!({"name": "memory_save", "arguments": {"content": "uses tabs"}});
    let messages = [
        HELLO.to_owned(),
        stateless("server/discover", json!({})),
        stateless("tools/call", save),
        stateless("tools/call", json!({"name": "memory_search"})),
        stateless("prompts/list", json!({})),
    ];
    let lines: Vec<String> =
        messages.iter().map(|message| format!("echo '{message}' | nuthatch mcp")).collect();
    // The apostrophes of the instructions are the server's, not the shell's.
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_recorded("mcp", &sandbox.transcript(&lines));
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.line("mcp --nonsense").fails(2, "--nonsense");
    // Nothing was asked: that is no failure.
    assert_eq!(sandbox.run_with_stdin(&["mcp"], b"").ok().stdout, "");
}

#[test]
fn listing_the_tools_makes_no_store_and_a_hang_up_ends_it_well() {
    let sandbox = Sandbox::new();
    let mut agent = Agent::start(&sandbox);
    let listed = agent.request("tools/list", &json!({}));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 8);
    assert!(!sandbox.data().exists());
    assert_eq!(agent.hang_up(), Some(0));
}

#[test]
fn an_agent_in_a_repository_keeps_to_its_project() {
    let sandbox = Sandbox::new();
    let (shop, blog) = (sandbox.repository("shop"), sandbox.repository("blog"));
    let within = |folder: &std::path::Path, text: &str| {
        let input = [HELLO, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, text, ""];
        std::fs::write(folder.join("in.jsonl"), input.join("\n")).unwrap();
        sandbox.sh_in(folder, "nuthatch mcp < in.jsonl").ok().stdout
    };
    let call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).to_string()
    };
    within(&shop, &call("memory_save", json!({"content": "the shop sells seeds"})));
    let search = call("memory_search", json!({"query": "seeds"}));
    assert!(within(&shop, &search).contains("the shop sells seeds"));
    assert!(!within(&blog, &search).contains("the shop sells seeds"));
}

#[test]
fn what_is_no_message_does_not_end_the_conversation() {
    let sandbox = Sandbox::new();
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for junk in
        [&b"not json\n"[..], b"\n", b"{}\n", b"[]\n", b"\xff\xfe\n", b"{\"jsonrpc\":\"2.0\"}\n"]
    {
        let mut input = format!("{HELLO}\n{ready}\n").into_bytes();
        input.extend(junk);
        input.extend(format!("{ping}\n").as_bytes());
        let ran = sandbox.run_with_stdin(&["mcp"], &input);
        assert!(ran.stdout.contains(r#""id":2,"result":{}"#), "{junk:?}: {ran:#?}");
    }
}
