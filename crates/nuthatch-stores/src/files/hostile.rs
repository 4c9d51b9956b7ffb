//! Memories and files made to break a file format: what the property tests feed on.
//!
//! Strings are put together from fragments that mean something to Markdown, JSON or us,
//! because random characters alone would never meet a comment's end or a forged id.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::id::{MemoryId, ProjectId, RequirementId, SessionId};
use nuthatch::memory::{Importance, Memory};
use nuthatch::scope::Scope;
use nuthatch::trust::{Origin, Source, Trust};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use uuid::Uuid;

const FRAGMENTS: [&str; 48] = [
    "a",
    "word",
    "key",
    "é",
    "日本",
    "🪿",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\0",
    "\u{7}",
    "\u{1b}[0m",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{202e}",
    "*",
    "**",
    "***",
    "**a**: b",
    "**a**:",
    ":",
    "\\",
    "\\*",
    "`",
    "```",
    "~~~",
    "#",
    "# H",
    "-",
    "--",
    "---",
    "- x",
    "[Conversation]",
    "[Conversation] ",
    "[ ] x",
    "<!--",
    "-->",
    "\"",
    "{",
    "<!-- {\"id\":",
    "<!-- {\"id\":\"01890a5d-ac96-774b-bcce-b302099a8057\",\"trust\":\"confirmed\"} -->",
];

const LINES: [&str; 40] = [
    "",
    "",
    "   ",
    "# Heading",
    "prose",
    "---",
    "...",
    "***",
    "```",
    "```md",
    "~~~",
    "<!--",
    "-->",
    "<!-- note -->",
    "- a",
    "- a",
    "* b",
    "+ c  ",
    "- **k**: v",
    "- **k**: v",
    "- **k\\***:  v",
    "- [Conversation] x",
    "- [Conversation] **k**: y",
    "- [ ] task",
    "-",
    "- ",
    "- - -",
    " - one",
    "  - nested",
    "  indented",
    "\tindented",
    "    code",
    "1. one",
    "> quote",
    "| a | b |",
    "- **k**:",
    "- x <!-- {\"id\":\"01890a5d-ac96-774b-bcce-b302099a8057\"} -->",
    "- y <!-- {\"id\":\"01890a5d-ac96-774b-bcce-b302099a8058\",\"new\":[1, 2],\"trust\":7} --> z",
    "- z <!-- {\"id\":\"nonsense\"} -->",
    "  <!-- {\"id\":\"01890a5d-ac96-774b-bcce-b302099a8059\",\"created_at\":\"2026-01-01T00:00:00Z\"} -->",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => vec(select(&FRAGMENTS[..]), 0..8).prop_map(|parts| parts.concat()),
        1 => vec(any::<char>(), 0..20).prop_map(String::from_iter),
    ]
}

/// A file as a person, an editor and an accident may leave it.
pub(crate) fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![4 => select(&LINES[..]).prop_map(str::to_owned), 1 => text()];
    let end = select(&["\n", "\n", "\n", "\r\n", ""][..]);
    (any::<bool>(), vec((line, end), 0..24)).prop_map(|(bom, lines)| {
        let lines = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]);
        let bom = if bom { "\u{feff}" } else { "" };
        bom.to_owned() + &String::from_iter(lines)
    })
}

fn time() -> impl Strategy<Value = Timestamp> {
    let (min, max) = (Timestamp::MIN.as_microsecond(), Timestamp::MAX.as_microsecond());
    prop_oneof![min..=max, 1_700_000_000_000_000..1_700_000_900_000_000_i64]
        .prop_map(|at| Timestamp::from_microsecond(at).unwrap_or(Timestamp::UNIX_EPOCH))
}

fn session() -> impl Strategy<Value = SessionId> {
    let long = (select(&["x", "ü", "/", "."][..]), 30..512_usize).prop_map(|(c, n)| c.repeat(n));
    prop_oneof![text(), long, Just("tg:42".to_owned())]
        .prop_map(|id| SessionId::new(id).unwrap_or_else(|_| SessionId::new("plain").unwrap()))
}

fn scope() -> impl Strategy<Value = Scope> {
    let project = || select(&["abc", "A.b-c_1"][..]).prop_map(|id| ProjectId::new(id).unwrap());
    prop_oneof![
        2 => Just(Scope::Global),
        1 => Just(Scope::User),
        1 => project().prop_map(Scope::Project),
        1 => session().prop_map(Scope::Session),
        1 => project().prop_map(|project| Scope::Plan {
            project,
            requirement: RequirementId::new("REQ-069").unwrap(),
        }),
    ]
}

fn source() -> impl Strategy<Value = Source> {
    (option::of(session()), vec(any::<u64>(), 0..3), option::of(text()))
        .prop_map(|(session, turns, place)| Source { session, turns, place })
}

fn metadata() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop_oneof![Just(BTreeMap::new()), btree_map(text(), text(), 0..3)]
}

pub(crate) fn memory() -> impl Strategy<Value = Memory> {
    let categories = ["core", "daily", "conversation", "preference", "release_notes"];
    let said = (
        any::<u128>(),
        option::of(text()),
        text(),
        select(categories.to_vec()),
        scope(),
        option::of(session()),
        time(),
        prop_oneof![Just(None), time().prop_map(Some)],
    );
    let judged = (
        select(&Origin::ALL[..]),
        option::of(source()),
        select(&Trust::ALL[..]),
        any::<bool>(),
        prop_oneof![Just(0.5), 0.0..=1.0],
        metadata(),
    );
    let used = (option::of(any::<u128>()), any::<u64>(), option::of(time()));
    (said, judged, used).prop_map(|(said, judged, used)| Memory {
        id: MemoryId(Uuid::from_u128(said.0)),
        key: said.1,
        content: said.2,
        category: Category::new(said.3).unwrap(),
        scope: said.4,
        session_id: said.5,
        created_at: said.6,
        updated_at: said.7.unwrap_or(said.6),
        origin: judged.0,
        source: judged.1,
        trust: judged.2,
        pinned: judged.3,
        importance: Importance::new(judged.4).unwrap(),
        metadata: judged.5,
        superseded_by: used.0.map(|id| MemoryId(Uuid::from_u128(id))),
        used: used.1,
        last_used_at: used.2,
    })
}
