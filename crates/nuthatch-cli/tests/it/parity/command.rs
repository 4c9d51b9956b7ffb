//! The verbs as the command has them.

use serde_json::{Value, json};

use super::{Door, names_of, secret};
use crate::sandbox::{Ran, Sandbox};

pub(super) fn door(sandbox: Sandbox) -> Door {
    Box::new(move |step| {
        let ran = ran(&sandbox, step)?;
        let answer = ran.json();
        if let Some(error) = answer.get("error") {
            return Some(json!({"kind": error["kind"]}));
        }
        Some(match step {
            "count" => answer["total"].clone(),
            "learn" | "learn again" => super::lesson_of(&answer["memory"]),
            "rate" => super::lesson_of(&answer),
            "lessons" => super::lessons_of(&answer),
            "seen" => json!({}),
            "record" => json!({"sessions": answer["sessions"], "turns": answer["turns"]}),
            "stats" => super::counts_of(&answer),
            "growth" => super::growth_of(&answer),
            "health" => {
                let checks = answer["checks"].as_array().unwrap().iter().filter_map(|check| {
                    let name = check["name"].as_str()?.strip_prefix("store: ")?;
                    Some(json!({"name": name, "severity": check["severity"]}))
                });
                // What the command looks at besides the store itself.
                let own = ["erasure", "limits"];
                let checks = checks.filter(|check| !own.iter().any(|name| check["name"] == *name));
                names_of(&checks.collect::<Value>())
            }
            _ => answer,
        })
    })
}

fn ran(sandbox: &Sandbox, step: &str) -> Option<Ran> {
    let line = match step {
        "remember" | "again" => {
            "remember --origin agent --key editor --category preference uses tabs".to_owned()
        }
        "refused" => format!("remember --origin agent it is {}", secret()),
        "recall" => "recall --mode text which tabs".to_owned(),
        "show" | "gone" => "show editor".to_owned(),
        "edit" => "edit editor uses spaces".to_owned(),
        "list" => "list".to_owned(),
        "count" => "list --limit 0".to_owned(),
        "preamble" => "preamble --budget 500 spaces".to_owned(),
        "remind" => "preamble --remind".to_owned(),
        "missing" => "show nowhere".to_owned(),
        "seen" => {
            sandbox.line("remember --origin tool --key odd the odd mirror moved").ok();
            "remember --origin tool --key strange the strange mirror moved".to_owned()
        }
        "learn" => "learn strategy --scope global write the test first".to_owned(),
        "learn again" => "learn strategy --scope global always write the test first".to_owned(),
        "mistake without fix" => "learn mistake it broke".to_owned(),
        "lessons" => "learn list".to_owned(),
        "rate" => {
            let lessons = sandbox.line("learn list --json").ok().json();
            format!("learn helpful {}", lessons[0]["id"].as_str().unwrap())
        }
        "review" => "review".to_owned(),
        "examine" => "review show odd".to_owned(),
        "scan" => "scan --stored".to_owned(),
        "scan a text" => {
            let text = format!("it is {}", secret());
            return Some(sandbox.run_with_stdin(&["scan", "--json"], text.as_bytes()));
        }
        "approve" => "review approve odd".to_owned(),
        "reject" => "review reject strange".to_owned(),
        "stats" => "stats".to_owned(),
        "growth" => "stats --growth --days 2".to_owned(),
        "health" => "doctor".to_owned(),
        "reindex" => "reindex".to_owned(),
        "forget" => "forget --yes editor".to_owned(),
        "record" => {
            let said = json!({"session": "s-1", "seq": 0, "time": "2026-03-01T10:00:00Z",
                              "role": "user", "text": "where is the mirror?"});
            sandbox.write("talk.jsonl", &format!("{said}\n"));
            "record --later talk.jsonl".to_owned()
        }
        "note" => return None,
        other => panic!("no step {other}"),
    };
    Some(sandbox.line(&format!("{line} --json")))
}
