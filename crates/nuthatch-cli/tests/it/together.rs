//! Many servers on one store: nothing is lost, nobody is refused, everybody sees everything.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

const AGENTS: usize = 9;
const SERVERS: usize = 2;
/// Writes of each.
const WRITES: usize = 200;
/// Memories on a page.
const PAGE: usize = 1000;

fn fact(who: usize, n: usize) -> Value {
    json!({"content": format!("fact {n} of writer {who}"), "scope": "global"})
}

#[test]
fn nine_agents_and_two_servers_share_one_store() {
    let sandbox = Sandbox::new();
    sandbox.configure("[limits]\nfacts = \"none\"\n");
    let mut agents: Vec<Agent> = (0..AGENTS).map(|_| Agent::start(&sandbox)).collect();
    let servers: Vec<Served> = (0..SERVERS).map(|_| Served::start(&sandbox)).collect();
    thread::scope(|scope| {
        for (who, agent) in agents.iter_mut().enumerate() {
            scope.spawn(move || {
                for n in 0..WRITES {
                    agent.done("memory_save", &fact(who, n));
                }
            });
        }
        for (who, served) in servers.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..WRITES {
                    let (status, told) = served.ask("POST /v1/memories", &fact(AGENTS + who, n));
                    assert_eq!(status, 201, "{told}");
                }
            });
        }
    });
    let all: BTreeSet<String> = (0..AGENTS + SERVERS)
        .flat_map(|who| (0..WRITES).map(move |n| fact(who, n)["content"].to_string()))
        .collect();
    for agent in &mut agents {
        let page = |offset| {
            agent.done(
                "memory_list",
                &json!({"limit": PAGE, "offset": offset, "scopes": ["global"]}),
            )
        };
        assert_eq!(seen(page), all);
    }
    for served in &servers {
        let page = |offset| {
            let route = format!("GET /v1/memories?limit={PAGE}&offset={offset}&scopes=global");
            served.ask(&route, &Value::Null).1
        };
        assert_eq!(seen(page), all);
    }
}

/// Everything that a reader sees, page by page.
fn seen(mut page: impl FnMut(usize) -> Value) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for offset in (0..).step_by(PAGE) {
        let memories = page(offset)["memories"].as_array().cloned().unwrap_or_default();
        seen.extend(memories.iter().map(|memory| memory["content"].to_string()));
        if memories.len() < PAGE {
            break;
        }
    }
    seen
}
