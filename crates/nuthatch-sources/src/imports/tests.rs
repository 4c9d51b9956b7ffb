//! Folders, archives and databases of other tools: what is read, and what is refused.

use std::io::Write as _;
use std::path::PathBuf;

use nuthatch::category::Category;
use nuthatch::interchange::{Fact, Item};
use nuthatch::scope::Scope;
use nuthatch::transcript::Skipped;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::*;

struct Told {
    facts: Vec<Fact>,
    talks: usize,
    skipped: Skipped,
    ended: Result<&'static str>,
}

fn told(path: &Path, format: Option<Format>) -> Told {
    let (mut facts, mut talks) = (Vec::new(), 0);
    let mut sink = |item| {
        match item {
            Item::Fact(fact) => facts.push(*fact),
            _ => talks += 1,
        }
        Ok(())
    };
    let mut telling = Telling::to(&mut sink);
    let ended = read(path, format, &mut telling, &mut |_, _| ());
    let skipped = std::mem::take(&mut telling.skipped);
    drop(telling);
    Told { facts, talks, skipped, ended }
}

fn place(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (dir, root)
}

fn zipped(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("export.zip");
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
    (dir, path)
}

const TALK: &str = r#"[{"uuid": "u", "chat_messages": [{"sender": "human", "text": "hello"}]}]"#;

#[test]
fn a_generated_folder_is_read_without_its_summary() {
    let (_dir, root) = place(&[
        ("MEMORY.md", "# Memory\n\n- [convention] uses tabs\n"),
        ("memory_summary.md", "- uses tabs\n"),
        ("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: how\n---\nRun it.\n"),
        ("memory/2026-03-01.md", "- [Conversation] **port**: 5433\n- rained\n"),
        ("memory/release_notes.md", "- two is out\n"),
        ("USER.md", "§ is a gardener\n"),
        ("picture.png", "x"),
    ]);
    let told = told(&root, None);
    assert_eq!(told.ended.unwrap(), "folder");
    let by = |text: &str| told.facts.iter().find(|fact| fact.content == text).unwrap();
    let category = |text: &str| by(text).category.as_ref().unwrap().to_string();
    assert_eq!(category("uses tabs"), "convention");
    assert_eq!((category("5433"), category("rained")), ("conversation".into(), "daily".into()));
    assert_eq!(category("two is out"), "release_notes");
    assert_eq!(by("rained").created_at.unwrap().to_string(), "2026-03-01T00:00:00Z");
    assert_eq!(by("is a gardener").scope, Some(Scope::User));
    assert_eq!(by("Run it.").key.as_deref(), Some("deploy"));
    assert_eq!(by("uses tabs").place.as_deref(), Some("MEMORY.md"));
    assert_eq!((told.facts.len(), told.skipped["other files"]), (6, 1));
}

#[test]
fn a_plan_is_known_by_its_folder() {
    let entry = r#"{"agent_id": "a", "output": "done", "timestamp": "2026-03-01T10:00:00Z"}"#;
    let (_dir, root) = place(&[("plan/REQ-1/memory/a.json", entry), ("package.json", "{}")]);
    for at in ["", "plan/REQ-1", "plan/REQ-1/memory"] {
        let told = told(&root.join(at), None);
        told.ended.unwrap();
        assert_eq!(told.facts[0].requirement.as_deref(), Some("REQ-1"), "{at:?}");
    }
}

#[test]
fn an_archive_is_read_like_its_folder_and_names_lead_nowhere() {
    let files: [(&str, &[u8]); 4] = [
        ("conversations.json", TALK.as_bytes()),
        ("users.json", b"[{\"full_name\": \"Ada\"}]"),
        ("memories.json", b"[{\"conversations_memory\": \"- is a gardener\"}]"),
        ("../outside/memory.json", b"[\"escaped\"]"),
    ];
    let (_dir, path) = zipped(&files);
    let told = told(&path, None);
    assert_eq!(told.ended.unwrap(), "zip");
    assert_eq!((told.talks, told.facts.len()), (1, 1));
    assert_eq!(told.skipped["entries whose names lead out of the archive"], 1);
}

#[test]
fn a_bomb_is_given_up() {
    let mut bomb = b"[\"one\", ".to_vec();
    bomb.resize(18 << 20, b' ');
    let (_dir, path) = zipped(&[("memory.json", &bomb), ("b.md", b"- after")]);
    assert!(fs::metadata(&path).unwrap().len() < 200_000);
    let error = told(&path, None).ended.unwrap_err();
    assert!(error.to_string().contains("unpacks to far more"), "{error}");
}

#[test]
fn an_archive_that_breaks_off_is_refused_and_one_bad_file_spoils_no_other() {
    let (_dir, path) = zipped(&[("conversations.json", TALK.as_bytes())]);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(told(&path, None).ended.unwrap_err().kind(), Kind::Invalid);
    let (_dir, path) = zipped(&[("a.jsonl", b"{\"type\": 7}\n"), ("b.md", b"- fine")]);
    let told = told(&path, None);
    assert!(told.ended.unwrap_err().to_string().starts_with("a.jsonl"));
    assert_eq!(told.facts[0].content, "fine");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let (dir, root) = place(&[("MEMORY.md", "- inside\n")]);
    fs::write(dir.path().join("secret.md"), "- outside\n").unwrap();
    std::os::unix::fs::symlink("../secret.md", root.join("link.md")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("loop")).unwrap();
    let told = told(&root, None);
    told.ended.unwrap();
    assert_eq!((told.facts.len(), told.skipped["links, pipes and folders too deep"]), (1, 2));
}

#[test]
fn a_database_of_another_tool_is_read_and_one_of_ours_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("brain.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    let sql = "CREATE TABLE memories (id TEXT, key TEXT, content TEXT, category TEXT, created_at TEXT,
        embedding BLOB);
        INSERT INTO memories VALUES ('1', 'editor', 'uses tabs', 'core', '2026-03-01T10:00:00Z', x'00'),
        ('2', NULL, '', 'core', NULL, NULL);";
    database.execute_batch(sql).unwrap();
    let read = told(&path, None);
    assert_eq!(read.ended.unwrap(), "sqlite");
    assert_eq!((read.facts.len(), read.facts[0].key.as_deref()), (1, Some("editor")));
    assert_eq!(read.skipped["rows without a text"], 1);
    database.execute_batch("ALTER TABLE memories ADD COLUMN content_hash BLOB").unwrap();
    let error = told(&path, None).ended.unwrap_err();
    assert!(error.hint().unwrap().contains("migrate"));
}

#[test]
fn what_is_nothing_known_is_refused_and_so_is_the_wrong_name() {
    let (_dir, root) = place(&[("x.bin", "\0\0binary"), ("a.json", "[\"fact\"]")]);
    assert_eq!(told(&root.join("x.bin"), None).ended.unwrap_err().kind(), Kind::Invalid);
    assert_eq!(told(&root.join("none"), None).ended.unwrap_err().kind(), Kind::NotFound);
    for format in [Format::Jsonl, Format::Mif, Format::McpMemory, Format::Notes] {
        let error = told(&root.join("a.json"), Some(format)).ended.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{format}");
    }
    assert_eq!(told(&root, None).ended.unwrap_err().kind(), Kind::Invalid);
}

/// As claude-mem keeps them: no text of its own, the parts of it, lists as JSON.
#[test]
fn an_observation_told_in_parts_is_one_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("observations.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    let sql = "CREATE TABLE observations (id INTEGER, project TEXT, text TEXT, type TEXT, \
               title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, created_at TEXT, \
               created_at_epoch INTEGER); \
               INSERT INTO observations VALUES \
               (1, 'mill', NULL, 'bugfix', 'The wheel stood still', NULL, \
                '[\"ice in the race\", \"the gate was shut\"]', 'It was opened again.', \
                '2026-03-01T10:00:00.000Z', 1772359200000), \
               (2, 'mill', 'said at once', 'note', 'a title', NULL, '[]', NULL, NULL, NULL), \
               (3, 'mill', NULL, 'note', NULL, NULL, NULL, NULL, NULL, NULL); \
               CREATE TABLE session_summaries (id INTEGER, project TEXT, request TEXT, \
               learned TEXT, completed TEXT, notes TEXT, created_at TEXT); \
               INSERT INTO session_summaries VALUES \
               (1, 'mill', 'Why is it still?', 'Ice stops the wheel.', '', NULL, NULL)";
    database.execute_batch(sql).unwrap();
    let read = told(&path, None);
    assert_eq!(read.ended.unwrap(), "sqlite");
    let texts: Vec<&str> = read.facts.iter().map(|fact| fact.content.as_str()).collect();
    let first =
        "The wheel stood still\nIt was opened again.\n- ice in the race\n- the gate was shut";
    let summary = "Why is it still?\nIce stops the wheel.";
    assert_eq!(texts, [first, "said at once", summary]);
    assert_eq!(read.facts[0].created_at, "2026-03-01T10:00:00Z".parse().ok());
    assert_eq!(read.facts[0].category.as_ref().map(Category::as_str), Some("bugfix"));
    assert_eq!(read.facts[0].metadata, [("project".to_owned(), "mill".to_owned())]);
    assert_eq!(read.skipped.values().sum::<u64>(), 1);
}

/// As basic-memory writes them: the address is unique, the title is not.
#[test]
fn two_notes_of_one_title_are_both_read_with_their_tags() {
    let note = |folder: &str| {
        format!(
            "---\ntitle: The mill\ntype: note\npermalink: {folder}/the-mill\ntags:\n- '#water'\n- wood\n\
             ---\n\n# The mill\n\n- [fact] of {folder} #x\n- turns [[The wheel]]\n"
        )
    };
    let (_dir, root) =
        place(&[("notes/The mill.md", &note("notes")), ("other/The mill.md", &note("other"))]);
    let read = told(&root, None);
    let keys: Vec<_> = read.facts.iter().filter_map(|fact| fact.key.as_deref()).collect();
    assert_eq!(keys, ["notes/the-mill", "other/the-mill"]);
    for (name, value) in [("title", "The mill"), ("tags", "water, wood")] {
        let label = (name.to_owned(), value.to_owned());
        assert!(read.facts[0].metadata.contains(&label), "{:?}", read.facts[0]);
    }
    assert!(read.facts[0].content.contains("- turns [[The wheel]]"));
}
