//! Many servers on one store: nothing is lost, nobody is refused, everybody sees everything.

use std::thread;

use serde_json::{Value, json};

use crate::doors::{Agent, Served};
use crate::sandbox::Sandbox;

const AGENTS: usize = 9;
const SERVERS: usize = 2;
/// Writes of each.
const WRITES: usize = 200;

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
    let all = json!((AGENTS + SERVERS) * WRITES);
    for agent in &mut agents {
        assert_eq!(agent.done("memory_list", &json!({"limit": 0}))["total"], all);
    }
    for served in &servers {
        assert_eq!(served.ask("GET /v1/count", &Value::Null).1["count"], all);
    }
    for who in 0..AGENTS + SERVERS {
        let (content, last) = (fact(who, WRITES - 1)["content"].clone(), &json!({"limit": 1000}));
        let seen = |answer: &Value| {
            answer["memories"].as_array().unwrap().iter().any(|one| one["content"] == content)
        };
        let mut pages = (0..3).map(|page| {
            let mut args = last.clone();
            args["offset"] = json!(page * 1000);
            agents[who % AGENTS].done("memory_list", &args)
        });
        assert!(pages.any(|page| seen(&page)), "{content}");
    }
}
