//! Saves by hand that leave less, or the same twice: nothing is lost to a moment, and every
//! entry that is listed can be changed and forgotten.

use nuthatch::change::Change;
use nuthatch::error::{Error, Kind};
use nuthatch::filter::Filter;
use nuthatch::memory::Memory;

use super::bench::TextFile;
use super::hand::{by_key, read, write};
use super::probe::{ALL, Probe, must, remembering};

const TWINS: [(&str, &str); 2] =
    [("deploy", "deploys on fridays"), ("deploy", "deploys on fridays")];

/// A memory with one version, and another one.
async fn with_history(bench: &dyn TextFile) -> (Probe, Memory) {
    let probe = Probe::open(bench).await;
    probe.say(probe.keyed("editor", "writes in vim")).await;
    let keyed = probe.say(probe.keyed("editor", "writes in helix")).await.memory;
    probe.keep("deploys on fridays").await;
    (probe, keyed)
}

async fn all(probe: &Probe) -> Vec<Memory> {
    probe.list(&Filter::everything()).await
}

#[track_caller]
fn assert_names_the_file(bench: &dyn TextFile, error: &Error) {
    let path = bench.canonical().display().to_string();
    assert!(error.to_string().contains(&path), "{error} names {path}");
    assert!(error.hint().is_some());
}

/// Many editors empty a file before they fill it again.
pub async fn a_file_that_is_empty_for_a_moment_costs_no_history(bench: &dyn TextFile) {
    let (probe, keyed) = with_history(bench).await;
    let before = probe.snapshot().await;
    let file = read(bench);
    for nothing in ["", " \n", "\u{feff}"] {
        write(bench, nothing);
        assert!(probe.texts().await.is_empty());
        write(bench, &file);
        before.assert_same(&probe.snapshot().await);
        assert_eq!(probe.versions(keyed.id).await.len(), 1);
    }
}

/// What the person is about to save would go into a file that is no longer there.
pub async fn nothing_is_written_into_a_file_that_was_emptied(bench: &dyn TextFile) {
    let (probe, _) = with_history(bench).await;
    let before = probe.snapshot().await;
    let file = read(bench);
    write(bench, "");
    for _ in 0..2 {
        let set = probe.set(vec![remembering(probe.memory("sails at dawn"))]);
        let error = probe.store().apply(&set).await.expect_err("the file should not be empty");
        assert_eq!(error.kind(), Kind::Unavailable);
        assert_names_the_file(bench, &error);
        assert_eq!(read(bench), "");
        must("rebuilding", probe.store().reindex(&|_, _| {}).await);
    }
    write(bench, &file);
    before.assert_same(&probe.snapshot().await);
    probe.keep("sails at dawn").await;
    std::fs::remove_file(bench.canonical()).expect("the canonical file can be removed");
    probe.keep("sails at dusk").await;
    assert_eq!(probe.texts().await, ["sails at dusk"]);
}

/// A writer that is slow to fill the file finds everything that it wrote.
pub async fn a_slow_save_is_waited_for(bench: &dyn TextFile) {
    let (probe, keyed) = with_history(bench).await;
    let file = read(bench);
    let entry = bench.without_entry(&file, &keyed.content);
    write(bench, entry);
    let path = bench.canonical();
    let editor = std::thread::spawn(move || {
        std::fs::write(path, file).expect("the canonical file can be written");
    });
    probe.keep("sails at dawn").await;
    editor.join().expect("the editor saves");
    let texts = probe.texts().await;
    assert!(texts.contains(&keyed.content), "{texts:?}");
}

pub async fn an_error_names_the_file_in_full(bench: &dyn TextFile) {
    let (probe, _) = with_history(bench).await;
    write(bench, b"\xff\xfe\xff");
    let error = probe.store().list(&Filter::everything(), ALL).await;
    assert_names_the_file(bench, &error.expect_err("this is not UTF-8"));
}

pub async fn keys_renamed_in_a_row_are_the_keys(bench: &dyn TextFile) {
    let probe = Probe::open(bench).await;
    let mut ids = Vec::new();
    for name in ["alpha", "beta", "gamma"] {
        ids.push(probe.say(probe.keyed(name, format!("is about {name}s"))).await.memory.id);
    }
    let rename = |pairs: [(&str, &str); 3]| {
        let mut file = read(bench);
        for (old, _) in pairs {
            file = file.replace(&format!("*{old}*"), &format!("*<{old}>*"));
            file = file.replace(&format!("\"{old}\""), &format!("\"<{old}>\""));
        }
        for (old, new) in pairs {
            file = file.replace(&format!("<{old}>"), new);
        }
        write(bench, file);
    };
    for pairs in [
        [("alpha", "beta"), ("beta", "gamma"), ("gamma", "delta")],
        [("beta", "gamma"), ("gamma", "beta"), ("delta", "alpha")],
    ] {
        rename(pairs);
        for (_, new) in pairs {
            by_key(&probe, new).await;
        }
    }
    for (id, (key, text)) in ids.into_iter().zip([("gamma", "alpha"), ("beta", "beta")]) {
        let memory = probe.get(id).await;
        assert_eq!(
            (memory.key.as_deref(), memory.content),
            (Some(key), format!("is about {text}s"))
        );
        assert_eq!(probe.versions(id).await.len(), 2);
    }
}

pub async fn a_key_written_twice_goes_to_who_is_left(bench: &dyn TextFile) {
    let twice = [("deploy", "deploys on fridays"), ("deploy", "deploys on mondays")];
    write(bench, bench.by_hand(&twice).file);
    let probe = Probe::open(bench).await;
    let [second]: [_; 1] = probe.search("mondays").await.try_into().expect("one is about mondays");
    assert!(probe.get(second).await.key.is_none());
    probe.apply(vec![Change::Use { ids: vec![second] }]).await;
    assert!(!read(bench).contains("deploy: "), "the file says what the person wrote");
    assert_eq!(by_key(&probe, "deploy").await.content, "deploys on fridays");
    write(bench, bench.without_entry(&read(bench), "deploys on fridays"));
    let left = by_key(&probe, "deploy").await;
    assert_eq!((left.id, left.content.as_str()), (second, "deploys on mondays"));
    assert!(probe.versions(second).await.is_empty());
}

pub async fn each_of_two_equal_entries_can_be_forgotten(bench: &dyn TextFile) {
    let mut probe = Probe::open(bench).await;
    for first in [0, 1] {
        write(bench, bench.by_hand(&TWINS).file);
        let mut ids: Vec<_> = all(&probe).await.into_iter().map(|memory| memory.id).collect();
        assert_eq!(ids.len(), 2);
        let gone = ids.remove(first);
        assert_eq!(probe.forget(&[gone]).await, [gone]);
        let left = by_key(&probe, "deploy").await;
        assert_eq!(left.id, ids[0]);
        assert_eq!(left.content, "deploys on fridays");
        probe = probe.reopen(bench).await;
        must("rebuilding", probe.store().reindex(&|_, _| {}).await);
        assert_eq!(probe.forget(&ids).await, ids);
        must("rebuilding", probe.store().reindex(&|_, _| {}).await);
        assert!(all(&probe).await.is_empty());
        assert!(!read(bench).contains("fridays"));
    }
}

pub async fn an_entry_written_by_hand_keeps_its_time_when_the_index_is_rebuilt(
    bench: &dyn TextFile,
) {
    write(bench, bench.by_hand(&TWINS[..1]).file);
    let probe = Probe::open(bench).await;
    let before = by_key(&probe, "deploy").await;
    probe.keep("sails at dawn").await;
    must("rebuilding", probe.store().reindex(&|_, _| {}).await);
    assert_eq!(by_key(&probe, "deploy").await, before);
}
