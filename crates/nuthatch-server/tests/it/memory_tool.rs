//! The memory tool, by the sentences of its documentation, and every path that must not be.

use nuthatch::Place;
use nuthatch::memory_tool::{Command, Told, run};
use serde_json::{Value, json};

use crate::client::{Server, place};

async fn ask(place: &Place, command: Value) -> Told {
    let command: Command = serde_json::from_value(command).unwrap();
    run(place, &command).await
}

async fn ok(place: &Place, command: Value) -> String {
    let told = ask(place, command.clone()).await;
    assert!(!told.is_error, "{command}: {told:?}");
    told.content
}

async fn refused(place: &Place, command: Value) -> String {
    let told = ask(place, command.clone()).await;
    assert!(told.is_error, "{command}: {told:?}");
    told.content
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

#[tokio::test]
async fn the_six_commands_say_what_their_documentation_says() {
    let place = place();
    let header = |path: &str| {
        format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden \
             items and node_modules:"
        )
    };
    assert_eq!(
        ok(&place, view("/memories")).await,
        format!("{}\n0B\t/memories", header("/memories"))
    );
    let text = "Hello World\nThis is line two\n";
    assert_eq!(
        ok(&place, create("/memories/notes.txt", text)).await,
        "File created successfully at: /memories/notes.txt"
    );
    assert_eq!(
        refused(&place, create("/memories/notes.txt", "x")).await,
        "Error: File /memories/notes.txt already exists"
    );
    assert_eq!(
        ok(&place, view("/memories/notes.txt")).await,
        "Here's the content of /memories/notes.txt with line numbers:\n     1\tHello World\n     \
         2\tThis is line two"
    );
    let ranged = json!({"command": "view", "path": "/memories/notes.txt", "view_range": [2, -1]});
    assert!(ok(&place, ranged).await.ends_with(":\n     2\tThis is line two"));
    assert_eq!(
        refused(&place, view("/memories/nowhere.txt")).await,
        "The path /memories/nowhere.txt does not exist. Please provide a valid path."
    );
    let replace = |old: &str, new: &str| {
        json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": old,
               "new_str": new})
    };
    assert_eq!(
        ok(&place, replace("line two", "line 2\nand three")).await,
        "The memory file has been edited.\n     1\tHello World\n     2\tThis is line 2\n     3\t\
         and three"
    );
    assert_eq!(
        refused(&place, replace("green", "x")).await,
        "No replacement was performed, old_str `green` did not appear verbatim in \
         /memories/notes.txt."
    );
    assert_eq!(
        refused(&place, replace("is", "x")).await,
        "No replacement was performed. Multiple occurrences of old_str `is` in lines: 2. Please \
         ensure it is unique"
    );
    assert_eq!(
        refused(&place, replace("l", "x")).await,
        "No replacement was performed. Multiple occurrences of old_str `l` in lines: 1, 2. \
         Please ensure it is unique"
    );
    let missing = json!({"command": "str_replace", "path": "/memories/no", "old_str": "a"});
    assert_eq!(
        refused(&place, missing).await,
        "Error: The path /memories/no does not exist. Please provide a valid path."
    );
}

#[tokio::test]
async fn inserting_moving_and_deleting_say_what_their_documentation_says() {
    let place = place();
    ok(&place, create("/memories/notes.txt", "one\ntwo\nthree")).await;
    let insert = |path: &str, line: i64| json!({"command": "insert", "path": path, "insert_line": line, "insert_text": "first\n"});
    assert_eq!(
        ok(&place, insert("/memories/notes.txt", 0)).await,
        "The file /memories/notes.txt has been edited."
    );
    for line in [-1, 5] {
        assert_eq!(
            refused(&place, insert("/memories/notes.txt", line)).await,
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range \
                 of lines of the file: [0, 4]"
            )
        );
    }
    assert_eq!(
        refused(&place, insert("/memories/no", 0)).await,
        "Error: The path /memories/no does not exist"
    );
    let rename =
        |old: &str, new: &str| json!({"command": "rename", "old_path": old, "new_path": new});
    assert_eq!(
        ok(&place, rename("/memories/notes.txt", "/memories/a/b.txt")).await,
        "Successfully renamed /memories/notes.txt to /memories/a/b.txt"
    );
    assert_eq!(
        ok(&place, view("/memories/a/b.txt")).await.lines().nth(1).unwrap(),
        "     1\tfirst"
    );
    assert_eq!(
        refused(&place, rename("/memories/no", "/memories/x")).await,
        "Error: The path /memories/no does not exist"
    );
    ok(&place, create("/memories/c.txt", "")).await;
    assert_eq!(
        refused(&place, rename("/memories/c.txt", "/memories/a/b.txt")).await,
        "Error: The destination /memories/a/b.txt already exists"
    );
    let delete = |path: &str| json!({"command": "delete", "path": path});
    assert_eq!(ok(&place, delete("/memories/a")).await, "Successfully deleted /memories/a");
    assert_eq!(
        refused(&place, delete("/memories/a")).await,
        "Error: The path /memories/a does not exist"
    );
    refused(&place, delete("/memories")).await;
    refused(&place, rename("/memories", "/memories/x")).await;
}

#[tokio::test]
async fn folders_show_two_levels_and_hide_what_is_hidden() {
    let place = place();
    for path in
        ["a.md", "d/b.md", "d/e/c.md", "d/e/f/g.md", ".hidden/x", "node_modules/y", "..notes"]
    {
        ok(&place, create(&format!("/memories/{path}"), &"x".repeat(2048))).await;
    }
    let shown = ok(&place, view("/memories")).await;
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "14.0K\t/memories",
            "2.0K\t/memories/a.md",
            "6.0K\t/memories/d",
            "2.0K\t/memories/d/b.md",
            "4.0K\t/memories/d/e"
        ]
    );
    let moved = json!({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/z"});
    ok(&place, moved).await;
    ok(&place, view("/memories/z/e/f/g.md")).await;
    let inside =
        json!({"command": "rename", "old_path": "/memories/z", "new_path": "/memories/z/y"});
    refused(&place, inside).await;
    refused(&place, create("/memories/a.md/b", "x")).await;
    refused(&place, create("/memories/z/e", "x")).await;
    ok(&place, view("/memories/..notes")).await;
}

#[tokio::test]
async fn files_of_one_text_stay_two_and_are_found_and_guarded_like_memories() {
    let place = place();
    ok(&place, create("/memories/one.md", "- same text")).await;
    ok(&place, create("/memories/two.md", "- same text")).await;
    assert!(ok(&place, view("/memories/two.md")).await.ends_with("     1\t- same text"));
    let secret = format!("{}{}", "gh", "p_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ");
    let told = refused(&place, create("/memories/key.md", &format!("my key {secret}"))).await;
    assert!(!told.contains(&secret), "{told}");
    refused(&place, view("/memories/key.md")).await;
    let large = "x".repeat(256 * 1024 + 1);
    refused(&place, create("/memories/large.md", &large)).await;
    let request = nuthatch_server::verbs::read(json!({"query": "same text"})).unwrap();
    let found = nuthatch_server::verbs::recall::recall(&place, request).await.unwrap();
    assert_eq!(found.hits.len(), 2);
    let long = (0..1500).map(|n| format!("line number {n}")).collect::<Vec<_>>().join("\n");
    ok(&place, create("/memories/long.md", &long)).await;
    let shown = ok(&place, view("/memories/long.md")).await;
    assert!(shown.len() < 17_000 && shown.contains("view_range"));
}

/// Paths that must never be taken, whatever the command.
fn strange_paths() -> Vec<String> {
    let mut paths: Vec<String> = [
        "",
        "/",
        ".",
        "..",
        "memories",
        "memories/a",
        "/memorie",
        "/memories-evil",
        "/memories-evil/a",
        "/memoriesevil",
        "/Memories/a",
        "/MEMORIES/a",
        "//memories/a",
        "/memories//a",
        "/memories/a//b",
        "/memories/.",
        "/memories/./a",
        "/memories/a/.",
        "/memories/..",
        "/memories/../etc/passwd",
        "/memories/a/../b",
        "/memories/a/..",
        "/memories/a/../../b",
        "/memories/../memories/a",
        "/memories/..\\etc",
        "/memories/a\\b",
        "\\memories\\a",
        "/memories\\..\\a",
        "C:\\memories\\a",
        "/memories/%2e%2e/a",
        "/memories/%2E%2E/a",
        "/memories/%2e%2e%2fetc",
        "/memories/a%2fb",
        "/memories/a%5cb",
        "/memories/%252e%252e/a",
        "/memories/a%00",
        "/memories/.%2e/a",
        "/memories%2fa",
        "%2fmemories/a",
        "/etc/passwd",
        "etc/passwd",
        "~/.ssh/id_rsa",
        "/memories/../../../../etc/shadow",
        "/proc/self/environ",
        "file:///memories/a",
        "memory://root",
        "http://127.0.0.1/memories",
        "/memories /a",
        " /memories/a",
        "/memories/a ",
        "/memories/a//",
        "/memories/\u{0}",
        "/memories/a\u{0}b",
        "/memories/a\nb",
        "/memories/a\rb",
        "/memories/a\tb",
        "/memories/a\u{7f}",
        "/memories/\u{1b}[31m",
        "/memories/a\u{200b}b",
        "/memories/\u{202e}gnp",
        "/memories/a\u{feff}",
        "/memories/e\u{301}",
        "/memories/a  b",
        "/memories/\u{2028}",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.push(format!("/memories/{}", "a".repeat(600)));
    paths.push(format!("/memories/{}", "a/".repeat(2000)));
    paths
}

#[tokio::test]
async fn no_command_takes_a_path_that_is_not_plainly_below_the_root() {
    let place = place();
    ok(&place, create("/memories/a", "x")).await;
    let paths = strange_paths();
    assert!(paths.len() >= 60, "{}", paths.len());
    for path in &paths {
        for command in [
            view(path),
            create(path, "x"),
            json!({"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"}),
            json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": "y"}),
            json!({"command": "delete", "path": path}),
            json!({"command": "rename", "old_path": path, "new_path": "/memories/b"}),
            json!({"command": "rename", "old_path": "/memories/a", "new_path": path}),
        ] {
            refused(&place, command).await;
        }
    }
    assert_eq!(place.engine().stats().await.unwrap().memories, 1);
    assert!(ok(&place, view("/memories/a")).await.ends_with("     1\tx"));
}

#[tokio::test]
async fn names_that_only_look_strange_are_names() {
    let place = place();
    for name in
        ["..notes", "a..b", "...", "a b", "日本語.md", "．．", "a:b", "-rf", "$HOME", "a'b\"c", "*"]
    {
        let path = format!("/memories/{name}");
        ok(&place, create(&path, name)).await;
        assert!(ok(&place, view(&path)).await.contains(name), "{name}");
    }
}

#[tokio::test]
async fn edits_at_the_same_time_are_both_kept() {
    let place = place();
    ok(&place, create("/memories/a", "start")).await;
    let edits = (0..8).map(|n| {
        let place = place.clone();
        tokio::spawn(async move {
            let line = format!("line {n}");
            let command = json!({"command": "insert", "path": "/memories/a", "insert_line": 1,
                                 "insert_text": line});
            ask(&place, command).await
        })
    });
    let mut done = 0;
    for edit in edits.collect::<Vec<_>>() {
        done += usize::from(!edit.await.unwrap().is_error);
    }
    let lines = ok(&place, view("/memories/a")).await.lines().count() - 2;
    assert_eq!(lines, done);
}

#[tokio::test]
async fn it_is_served_by_http() {
    let server = Server::start().await;
    let made = server.ask("POST /v1/memory-tool", create("/memories/a", "x")).await;
    assert_eq!(made.json()["is_error"], false, "{made:?}");
    let told = server.ask("POST /v1/memory-tool", view("/memories/nowhere")).await;
    assert_eq!((told.status, &told.json()["is_error"]), (200, &json!(true)));
    let wrong = server.ask("POST /v1/memory-tool", json!({"command": "view"})).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
}
