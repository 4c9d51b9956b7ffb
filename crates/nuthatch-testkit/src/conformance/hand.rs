//! Files that a person or another tool wrote: read as they are, damaged or not, and kept.

use std::fs;

use nuthatch::category::Category;
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;

use super::bench::{OnDisk, TextFile};
use super::disk::{assert_unavailable, attempt_to_read, attempt_to_write};
use super::probe::{ALL, Probe, must, new_text, remembering};

const ENTRIES: [(&str, &str); 3] = [
    ("editor", "writes in helix every morning"),
    ("deploy", "deploys on fridays"),
    ("staging", "the staging database listens on 5433"),
];

pub(super) fn read(bench: &dyn OnDisk) -> String {
    let bytes = fs::read(bench.canonical()).expect("the canonical file can be read");
    String::from_utf8(bytes).expect("a text file is UTF-8")
}

/// Writes in place, as an editor does that makes no copy.
pub(super) fn write(bench: &dyn OnDisk, file: impl AsRef<[u8]>) {
    let canonical = bench.canonical();
    let folder = canonical.parent().expect("a canonical file is in a folder");
    fs::create_dir_all(folder).expect("the folder of the canonical file can be made");
    fs::write(canonical, file).expect("the canonical file can be written");
}

/// The one memory of this key in the global scope.
pub(super) async fn by_key(probe: &Probe, key: &str) -> Memory {
    let scopes = Scopes::These(vec![Scope::Global]);
    let filter = Filter { key: Some(key.to_owned()), ..Filter::scoped(scopes) };
    let mut found = probe.list(&filter).await;
    assert_eq!(found.len(), 1, "one memory has the key {key:?}: {found:?}");
    found.remove(0)
}

/// The foreign parts stand in the file, in order.
#[track_caller]
fn assert_foreign_kept(file: &str, foreign: &[String]) {
    let mut rest = file;
    for part in foreign {
        let Some(at) = rest.find(part.as_str()) else {
            panic!("{part:?} is no longer in its place in:\n{file}");
        };
        rest = &rest[at + part.len()..];
    }
}

/// One write of each kind: a new entry, a new text, an entry less.
async fn change_something(probe: &Probe) {
    probe.say(probe.keyed("added", "sails at dawn")).await;
    let edited = by_key(probe, "deploy").await;
    probe.edit(edited.id, new_text("deploys on mondays")).await;
    let forgotten = by_key(probe, "editor").await;
    probe.forget(&[forgotten.id]).await;
    let expected = ["deploys on mondays", "sails at dawn", "the staging database listens on 5433"];
    assert_eq!(probe.texts().await, expected);
}

pub async fn entries_written_by_hand_are_read(bench: &dyn TextFile) {
    write(bench, bench.by_hand(&ENTRIES).file);
    let probe = Probe::open(bench).await;
    for (key, text) in ENTRIES {
        let memory = by_key(&probe, key).await;
        assert_eq!(memory.content, text);
        assert_eq!((memory.scope, memory.category), (Scope::Global, Category::default()));
        assert!(memory.superseded_by.is_none());
    }
    assert_eq!(probe.texts().await.len(), ENTRIES.len());
    assert_eq!(probe.search("helix").await, [by_key(&probe, "editor").await.id]);
}

pub async fn reading_leaves_the_file_as_it_is(bench: &dyn TextFile) {
    let file = bench.by_hand(&ENTRIES).file;
    write(bench, &file);
    let probe = Probe::open(bench).await;
    probe.snapshot().await;
    must("checking", probe.store().check().await);
    must("rehearsing", probe.store().rehearse(&probe.set(Vec::new())).await);
    drop(probe);
    assert_eq!(read(bench), file);
}

pub async fn foreign_material_stays_byte_for_byte(bench: &dyn TextFile) {
    let hand = bench.by_hand(&ENTRIES);
    assert_foreign_kept(&hand.file, &hand.foreign);
    write(bench, &hand.file);
    let probe = Probe::open(bench).await;
    change_something(&probe).await;
    assert_foreign_kept(&read(bench), &hand.foreign);
    let all = probe.list(&Filter::everything()).await;
    let ids: Vec<_> = all.iter().map(|memory| memory.id).collect();
    probe.forget(&ids).await;
    assert!(probe.texts().await.is_empty());
    assert_foreign_kept(&read(bench), &hand.foreign);
}

pub async fn windows_line_ends_stay(bench: &dyn TextFile) {
    let hand = bench.by_hand(&ENTRIES);
    let windows = |text: &String| text.replace('\n', "\r\n");
    write(bench, windows(&hand.file));
    let probe = Probe::open(bench).await;
    assert_eq!(by_key(&probe, "deploy").await.content, "deploys on fridays");
    change_something(&probe).await;
    let file = read(bench);
    let foreign: Vec<String> = hand.foreign.iter().map(windows).collect();
    assert_foreign_kept(&file, &foreign);
    assert!(!file.replace("\r\n", "").contains('\n'), "a line ends otherwise in:\n{file:?}");
}

pub async fn a_byte_order_mark_stays(bench: &dyn TextFile) {
    let hand = bench.by_hand(&ENTRIES);
    write(bench, format!("\u{feff}{}", hand.file));
    let probe = Probe::open(bench).await;
    assert_eq!(probe.texts().await.len(), ENTRIES.len());
    change_something(&probe).await;
    let file = read(bench);
    assert!(file.starts_with('\u{feff}'));
    assert_eq!(file.matches('\u{feff}').count(), 1);
    assert_foreign_kept(&file, &hand.foreign);
}

pub async fn invalid_utf8_is_refused_and_kept(bench: &dyn TextFile) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("deploy", "deploys on fridays")).await;
    drop(probe);
    let file = read(bench);
    let at = file.find("fridays").expect("a text stands in the file as it is");
    let mut bytes = file.into_bytes();
    bytes[at] = 0xff;
    write(bench, &bytes);
    assert_unavailable(bench).await;
    assert_eq!(fs::read(bench.canonical()).ok(), Some(bytes));
}

/// Cuts a file of ours off. It may be refused, or served as far as it goes; in neither case
/// does a write cost what is left.
async fn cut_off(bench: &dyn TextFile, kept: impl Fn(usize) -> usize, whole_entries: usize) {
    let probe = Probe::open(bench).await;
    for n in 0..8 {
        probe.say(probe.keyed(&format!("key-{n}"), format!("note number {n}"))).await;
    }
    drop(probe);
    let file = read(bench);
    let rest = &file[..file.floor_char_boundary(kept(file.len()))];
    write(bench, rest);
    let Ok(served) = attempt_to_read(bench).await else {
        assert_unavailable(bench).await;
        assert_eq!(read(bench), rest);
        return;
    };
    assert!(served.len() >= whole_entries, "what is whole is served: {served:?}");
    must("writing to what is left", attempt_to_write(bench).await);
    let texts = Probe::open(bench).await.texts().await;
    assert!(served.iter().all(|memory| texts.contains(&memory.content)), "{texts:?}");
}

pub async fn half_a_file_loses_nothing_more(bench: &dyn TextFile) {
    cut_off(bench, |bytes| bytes / 2, 3).await;
}

pub async fn a_torn_last_line_loses_nothing_more(bench: &dyn TextFile) {
    cut_off(bench, |bytes| bytes - 10, 7).await;
}

pub async fn a_missing_last_line_end_keeps_entries_apart(bench: &dyn TextFile) {
    write(bench, bench.by_hand(&ENTRIES).file.trim_end());
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("added", "sails at dawn")).await;
    write(bench, read(bench).trim_end());
    probe.say(probe.keyed("another", "sails at dusk")).await;
    let probe = probe.reopen(bench).await;
    for (key, text) in
        ENTRIES.into_iter().chain([("added", "sails at dawn"), ("another", "sails at dusk")])
    {
        assert_eq!(by_key(&probe, key).await.content, text);
    }
    assert_eq!(probe.texts().await.len(), ENTRIES.len() + 2);
}

/// A person may write a key twice; the store must not choose one and drop the other.
pub async fn a_key_written_twice_loses_neither_text(bench: &dyn TextFile) {
    let twice = [("deploy", "deploys on fridays"), ("deploy", "deploys on mondays")];
    write(bench, bench.by_hand(&twice).file);
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("added", "sails at dawn")).await;
    let file = read(bench);
    for text in ["deploys on fridays", "deploys on mondays", "sails at dawn"] {
        assert!(file.contains(text), "{text:?} is not in:\n{file}");
    }
    let edited = probe.search("fridays").await;
    assert_eq!(edited.len(), 1, "both can be found");
    assert_eq!(probe.search("mondays").await.len(), 1);
}

/// The refusal is no dead end: once the file is mended, everything is there.
pub async fn a_mended_file_is_read_again(bench: &dyn TextFile) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("deploy", "deploys on fridays")).await;
    let before = probe.snapshot().await;
    let file = read(bench);
    write(bench, b"\xff\xfe\xff");
    let read = probe.store().list(&Filter::everything(), ALL).await.err();
    let set = probe.set(vec![remembering(probe.memory("never written"))]);
    let write_refused = probe.store().apply(&set).await.err();
    for error in [read, write_refused] {
        assert_eq!(error.map(|error| error.kind()), Some(Kind::Unavailable));
    }
    write(bench, file);
    before.assert_same(&probe.snapshot().await);
}
