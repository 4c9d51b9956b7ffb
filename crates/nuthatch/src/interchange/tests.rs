//! Formats read and written: small files made from their documented shapes, whole and damaged.

use std::io::Cursor;

use super::*;
use crate::session::Role;
use crate::transcript::Skipped;

/// What a text is read as, what was passed over, and how it ended.
fn told(format: Format, bytes: &[u8]) -> (Vec<Item>, Skipped, Result<()>) {
    let mut items = Vec::new();
    let mut sink = |item| {
        items.push(item);
        Ok(())
    };
    let mut telling = Telling::to(&mut sink);
    let ended = read(format, &mut Cursor::new(bytes), &mut telling);
    let skipped = std::mem::take(&mut telling.skipped);
    drop(telling);
    (items, skipped, ended)
}

fn facts(format: Format, text: &str) -> Vec<Fact> {
    let (items, _, ended) = told(format, text.as_bytes());
    ended.unwrap();
    let fact = |item| match item {
        Item::Fact(fact) => *fact,
        other => panic!("{other:?} is no fact"),
    };
    items.into_iter().map(fact).collect()
}

fn said(format: Format, text: &str) -> Vec<String> {
    facts(format, text).into_iter().map(|fact| fact.content).collect()
}

#[test]
fn a_fact_array_is_read_with_whatever_it_says() {
    let text = r#"[{"fact": "uses tabs", "category": "Personal Fact", "created_at":
        "2026-03-01T10:00:00Z", "tags": ["a", "b"]}, "likes tea", {"category": "core"}]"#;
    let read = facts(Format::Facts, text);
    assert_eq!(read[0].category.as_ref().unwrap().as_str(), "personal_fact");
    assert_eq!(read[0].metadata, [("tags".to_owned(), "a, b".to_owned())]);
    assert_eq!(read[0].created_at.unwrap().to_string(), "2026-03-01T10:00:00Z");
    assert_eq!((read[1].content.as_str(), read.len()), ("likes tea", 2));
}

#[test]
fn a_document_that_breaks_off_tells_what_stands_before() {
    let (items, _, ended) = told(Format::Facts, br#"[{"fact": "one"}, {"fact": "tw"#);
    assert_eq!(items.len(), 1);
    assert!(ended.unwrap_err().to_string().contains("breaks off"));
    let (items, _, ended) = told(Format::Facts, b"[\"fine\", \"\xff\"]");
    assert_eq!((items.len(), ended.is_err()), (1, true));
}

#[test]
fn a_document_of_another_shape_is_not_taken_for_an_empty_one() {
    let formats = [Format::Facts, Format::Letta, Format::Chatgpt, Format::Claude, Format::Mif];
    for format in formats {
        let (items, _, ended) = told(format, br#"{"things": [{"fact": "one"}]}"#);
        let error = ended.unwrap_err().to_string();
        assert!(items.is_empty() && error.contains("holds none of"), "{format:?}: {error}");
    }
}

#[test]
fn notes_begin_with_a_section_sign_and_go_on() {
    let text = "# head\nstray\n§ uses tabs\n§first\nsecond\n\n§ third\n";
    assert_eq!(said(Format::Notes, text), ["uses tabs", "first\nsecond", "third"]);
    assert!(told(Format::Notes, b"nothing").2.is_err());
}

#[test]
fn entities_and_relations_become_sentences() {
    let text = concat!(
        r#"{"type":"entity","name":"Ada_L","entityType":"person","observations":["likes tea","Ada L codes"]}"#,
        "\nbroken\n",
        r#"{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}"#,
    );
    let (items, skipped, ended) = told(Format::McpMemory, text.as_bytes());
    ended.unwrap();
    assert_eq!((items.len(), skipped["lines that cannot be read"]), (3, 1));
    let texts = said(Format::McpMemory, text);
    assert_eq!(texts, ["Ada L: likes tea", "Ada L codes", "Ada works at Acme"]);
}

#[test]
fn markdown_has_items_paragraphs_scopes_and_marks() {
    let text = "# Memory\n\n## user\n\n- [preference] **editor**: uses tabs\n- first\n  second\n\n\
                ## Other things\nA paragraph\nof two lines.\n\n<!-- none -->\n* [ ] a task\n";
    let read = facts(Format::Markdown, text);
    let texts: Vec<&str> = read.iter().map(|fact| fact.content.as_str()).collect();
    assert_eq!(texts, ["uses tabs", "first\nsecond", "A paragraph\nof two lines.", "[ ] a task"]);
    assert_eq!(read[0].key.as_deref(), Some("editor"));
    assert_eq!((&read[0].scope, &read[2].scope), (&Some(Scope::User), &None));
}

#[test]
fn front_matter_says_what_a_note_is() {
    let text = "---\nname: deploy\ntype: workflow\n---\n# Deploy\n\n- one\n- two\n";
    let read = facts(Format::Markdown, text);
    assert_eq!((read.len(), read[0].key.as_deref()), (1, Some("deploy")));
    assert_eq!(read[0].content, "# Deploy\n\n- one\n- two");
    assert_eq!(said(Format::Markdown, "---\nnever closed\n"), ["never closed"]);
}

#[test]
fn plan_memory_knows_both_ways_to_write_a_time() {
    let text = r#"{"agent_id": "code-agent", "output": "done", "timestamp":
        {"secs_since_epoch": 1772359200, "nanos_since_epoch": 0}, "metadata": {"model": "m"}}"#;
    let read = facts(Format::PlanMemory, text);
    assert_eq!(read[0].key.as_deref(), Some("code-agent"));
    assert_eq!(read[0].created_at.unwrap().to_string(), "2026-03-01T10:00:00Z");
    assert!(told(Format::PlanMemory, b"{\"a\": 1}").2.is_err());
}

#[test]
fn an_agent_of_letta_has_blocks_and_messages() {
    let text = r#"{"agents": [{"id": "a-1", "messages": [
        {"role": "system", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "hello"}], "created_at": "2026-03-01T10:00:00Z"},
        {"role": "assistant", "content": "hi"}]}],
        "blocks": [{"label": "human", "value": "Name is Ada", "limit": 5000}, {"label": "x", "value": ""}],
        "tools": [{"name": "t"}]}"#;
    let (items, skipped, ended) = told(Format::Letta, text.as_bytes());
    ended.unwrap();
    let Item::Talk(talk) = &items[0] else { panic!("{items:?}") };
    assert_eq!((talk.turns.len(), talk.turns[0].role), (2, Role::User));
    let Item::Fact(fact) = &items[1] else { panic!("{items:?}") };
    assert_eq!((fact.key.as_deref(), &fact.scope), (Some("human"), &Some(Scope::User)));
    assert_eq!((skipped["empty blocks"], skipped["messages of the system"]), (1, 1));
}

const CHATGPT: &str = r#"[{"title": "Tea", "create_time": 1772359200.5, "current_node": "c",
    "conversation_id": "abc", "mapping": {
    "r": {"parent": null, "children": ["i"], "message": null},
    "i": {"parent": "r", "children": ["a"], "message": {"author": {"role": "user"}, "content":
        {"content_type": "user_editable_context", "user_profile": "I am a gardener"}}},
    "a": {"parent": "i", "children": ["b", "c"], "message": {"author": {"role": "user"},
        "create_time": 1772359201, "content": {"content_type": "text", "parts": ["Which tea?"]}}},
    "b": {"parent": "a", "children": [], "message": {"author": {"role": "assistant"},
        "content": {"content_type": "text", "parts": ["An answer that was replaced"]}}},
    "c": {"parent": "a", "children": [], "message": {"author": {"role": "assistant"},
        "content": {"content_type": "text", "parts": ["Green."]}}}}}]"#;

#[test]
fn chatgpt_is_read_along_the_branch_that_was_last_seen() {
    let (items, _, ended) = told(Format::Chatgpt, CHATGPT.as_bytes());
    ended.unwrap();
    let Item::Fact(fact) = &items[0] else { panic!("{items:?}") };
    assert_eq!((fact.content.as_str(), &fact.scope), ("I am a gardener", &Some(Scope::User)));
    let Item::Talk(talk) = &items[1] else { panic!("{items:?}") };
    let texts: Vec<&str> = talk.turns.iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!(texts, ["Which tea?", "Green."]);
    assert_eq!(talk.session.id.as_str(), "chatgpt:abc");
}

#[test]
fn a_circle_in_a_conversation_ends() {
    let text = r#"[{"id": "x", "current_node": "a", "mapping": {
        "a": {"parent": "b", "message": {"author": {"role": "user"}, "content": {"parts": ["one"]}}},
        "b": {"parent": "a", "message": {"author": {"role": "user"}, "content": {"parts": ["two"]}}}}}]"#;
    let (items, _, ended) = told(Format::Chatgpt, text.as_bytes());
    ended.unwrap();
    assert_eq!(items.len(), 1);
}

const CLAUDE: &str = r#"[{"uuid": "u-1", "name": "Tea", "created_at": "2026-03-01T10:00:00Z",
    "chat_messages": [{"sender": "human", "text": "Which tea?", "content": [], "attachments": [{}]},
    {"sender": "assistant", "content": [{"type": "text", "text": "Green."}]}]}]"#;

#[test]
fn claude_tells_conversations_and_what_it_remembers() {
    let (items, skipped, ended) = told(Format::Claude, CLAUDE.as_bytes());
    ended.unwrap();
    let Item::Talk(talk) = &items[0] else { panic!("{items:?}") };
    assert_eq!((talk.turns.len(), talk.turns[1].role), (2, Role::Assistant));
    assert_eq!(skipped["attachments"], 1);
    let text = r###"[{"conversations_memory": "## Work\n\n- is a gardener\n", "project_memories":
        {"p": "builds sheds"}}]"###;
    assert_eq!(said(Format::Claude, text), ["is a gardener", "builds sheds"]);
    assert!(told(Format::Claude, b"[{\"other\": 1}]").2.is_err());
}

#[test]
fn mif_says_its_version_and_comes_back() {
    let text = r#"{"mif_version": "2.1", "memories": [{"id": "x", "content": "uses tabs",
        "memory_type": "decision", "created_at": "2026-03-01T10:00:00Z", "tags": ["style"],
        "metadata": {"by": "Ada", "floor": 3}}]}"#;
    let read = facts(Format::Mif, text);
    assert_eq!(read[0].category.as_ref().unwrap().as_str(), "decision");
    let labels = [("by", "Ada"), ("floor", "3"), ("tags", "style")];
    assert_eq!(read[0].metadata, labels.map(|(name, value)| (name.into(), value.into())));
    assert!(told(Format::Mif, br#"{"memories": []}"#).2.is_err());
    assert!(told(Format::Mif, br#"{"mif_version": "9.0", "memories": []}"#).2.is_err());
}

#[test]
fn formats_are_told_by_how_they_begin() {
    let known: [(&str, Format); 10] = [
        (CHATGPT, Format::Chatgpt),
        (CLAUDE, Format::Claude),
        ("[{\"fact\": \"x\"}]", Format::Facts),
        ("{\"mif_version\": \"2.0\"}", Format::Mif),
        ("{\"type\":\"entity\",\"name\":\"x\"}\n", Format::McpMemory),
        ("{\"nuthatch\":1,\"exported_at\":\"x\"}\n{}", Format::Jsonl),
        ("{\"agents\": [], \"blocks\": []}", Format::Letta),
        ("{\"agent_id\": \"a\", \"output\": \"x\"}", Format::PlanMemory),
        ("# Notes\n§ one\n", Format::Notes),
        ("[link](x)\n- one\n", Format::Markdown),
    ];
    for (text, format) in known {
        assert_eq!(sniff(text.as_bytes()), Some(format), "{text}");
    }
    assert_eq!(sniff(b"SQLite format 3\0rest"), Some(Format::Sqlite));
    assert_eq!(sniff(b"PK\x03\x04\0\0"), None);
    assert_eq!(sniff(b""), None);
    for format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), format);
    }
}

#[test]
fn our_own_lines_survive_a_bad_one_and_a_missing_end_is_noticed() {
    let head = "{\"nuthatch\":1,\"exported_at\":\"2026-03-01T10:00:00Z\"}\n";
    let end = "{\"end\":{\"memories\":0,\"versions\":0,\"sessions\":0,\"turns\":0}}\n";
    let (_, skipped, ended) = told(Format::Jsonl, format!("{head}nonsense\n{end}").as_bytes());
    ended.unwrap();
    assert_eq!(skipped["lines that cannot be read"], 1);
    let (_, _, ended) = told(Format::Jsonl, head.as_bytes());
    assert!(ended.unwrap_err().to_string().contains("breaks off"));
    assert!(told(Format::Jsonl, b"hello\n").2.is_err());
    let newer = head.replace(":1,", ":2,");
    assert!(told(Format::Jsonl, newer.as_bytes()).2.unwrap_err().to_string().contains("version 2"));
}

#[test]
fn nothing_that_is_read_breaks_a_reader() {
    let hostile: [&[u8]; 8] = [
        b"",
        b"\xff\xfe\x00",
        b"[[[[[[",
        b"{\"memories\": 7}",
        b"{\"mapping\": {}}",
        b"null",
        b"[1, null, true, {\"mapping\": 3, \"chat_messages\": 1}]",
        b"\"text\"",
    ];
    let deep = "[".repeat(100_000);
    for format in Format::ALL {
        for bytes in hostile.iter().copied().chain([deep.as_bytes()]) {
            let _ = told(format, bytes);
        }
    }
}

/// As mem0 answers when it is asked for everything.
#[test]
fn an_answer_with_results_is_an_array_of_facts() {
    let text = r#"{"results": [
        {"id": "338b618e", "memory": "likes dark roast", "hash": "03cf", "metadata":
            {"category": "preference", "tags": ["food", "drink"]},
         "created_at": "2026-03-01T08:13:37.640922+00:00", "updated_at": null, "user_id": "ada"},
        {"id": "761d29a6", "memory": "deploys on mondays", "metadata": null, "role": "user"}]}"#;
    assert_eq!(sniff(text.as_bytes()), Some(Format::Facts));
    let read = facts(Format::Facts, text);
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].content, "likes dark roast");
    assert_eq!(read[0].category.as_ref().map(Category::as_str), Some("preference"));
    assert_eq!(read[0].created_at, "2026-03-01T08:13:37.640922Z".parse().ok());
    assert!(read[0].metadata.contains(&("tags".to_owned(), "food, drink".to_owned())));
    assert!(read[0].metadata.contains(&("user_id".to_owned(), "ada".to_owned())));
}
