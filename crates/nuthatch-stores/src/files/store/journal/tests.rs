//! Every moment at which a process can die, or a person can be faster.

use std::fs;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::files::store::FileStore;

struct Place {
    _folder: TempDir,
    shared: Arc<Shared>,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store: FileStore =
        runtime.block_on(crate::markdown::open(&folder.path().join("notes"))).unwrap();
    Place { _folder: folder, shared: store.shared }
}

impl Place {
    fn write(&self, name: &str, text: &str) {
        fs::write(self.shared.root.join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.shared.root.join(name)).ok()
    }

    fn replacement(&self, name: &str, before: Option<&str>, after: Option<&str>) -> Replacement {
        Replacement {
            path: self.shared.root.join(name),
            before: before.map(|text| stamp::hash(text.as_bytes())),
            after: after.map(|text| text.as_bytes().to_vec()),
        }
    }

    /// As [`Shared::commit`] of two files leaves things when it dies after the journal is in
    /// place and `done` of them were renamed.
    fn died_after(&self, done: usize) {
        self.write("a.md", "old a");
        self.write("b.md", "old b");
        let pairs = [("a.md", "old a", "new a"), ("b.md", "old b", "new b")];
        let steps: Vec<Step> = pairs
            .iter()
            .enumerate()
            .map(|(number, (name, old, new))| {
                let replacement = self.replacement(name, Some(old), Some(new));
                self.shared.stage_one(number, replacement).unwrap()
            })
            .collect();
        fs::write(self.shared.journal(), serde_json::to_vec(&steps).unwrap()).unwrap();
        for step in &steps[..done] {
            let staged = self.shared.stage().join(step.staged.as_ref().unwrap());
            fs::rename(staged, &step.path).unwrap();
        }
    }
}

#[test]
fn several_files_are_replaced_and_removed_together() {
    let place = place();
    place.write("a.md", "old a");
    place.write("gone.md", "old");
    let done = place.shared.commit(vec![
        place.replacement("a.md", Some("old a"), Some("new a")),
        place.replacement("deep/b.md", None, Some("new b")),
        place.replacement("gone.md", Some("old"), None),
    ]);
    assert_eq!(done.unwrap(), Committed::Yes);
    assert_eq!(place.text("a.md").as_deref(), Some("new a"));
    assert_eq!(place.text("deep/b.md").as_deref(), Some("new b"));
    assert_eq!(place.text("gone.md"), None);
    assert!(!place.shared.has_journal());
}

#[test]
fn a_file_that_a_person_changed_stops_the_whole_change() {
    let place = place();
    place.write("a.md", "old a");
    place.write("b.md", "a person was here");
    let change = || {
        vec![
            place.replacement("a.md", Some("old a"), Some("new a")),
            place.replacement("b.md", Some("old b"), Some("new b")),
        ]
    };
    assert_eq!(place.shared.commit(change()).unwrap(), Committed::Overtaken);
    let appeared = vec![place.replacement("b.md", None, Some("new b"))];
    assert_eq!(place.shared.commit(appeared).unwrap(), Committed::Overtaken);
    assert_eq!(place.text("a.md").as_deref(), Some("old a"));
    assert_eq!(place.text("b.md").as_deref(), Some("a person was here"));
}

#[test]
fn whoever_finds_a_journal_finishes_the_change() {
    for done in 0..=2 {
        let place = place();
        place.died_after(done);
        place.shared.recover().unwrap();
        for (name, text) in [("a.md", "new a"), ("b.md", "new b")] {
            assert_eq!(place.text(name).as_deref(), Some(text), "after {done} renames");
        }
        assert!(!place.shared.has_journal());
        assert_eq!(fs::read_dir(place.shared.stage()).unwrap().count(), 0);
    }
}

#[test]
fn what_was_only_staged_never_happened() {
    let place = place();
    place.died_after(0);
    fs::remove_file(place.shared.journal()).unwrap();
    place.shared.recover().unwrap();
    assert_eq!(place.text("a.md").as_deref(), Some("old a"));
    assert_eq!(fs::read_dir(place.shared.stage()).unwrap().count(), 0);
}

#[test]
fn a_file_that_a_person_changed_after_the_crash_stays_theirs() {
    let place = place();
    place.died_after(0);
    place.write("b.md", "a person was here");
    place.shared.recover().unwrap();
    assert_eq!(place.text("a.md").as_deref(), Some("new a"));
    assert_eq!(place.text("b.md").as_deref(), Some("a person was here"));
    let aside: Vec<_> = fs::read_dir(place.shared.conflicts()).unwrap().flatten().collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(fs::read_to_string(aside[0].path()).unwrap(), "new b");
}

#[test]
fn a_journal_that_cannot_be_read_is_an_error_that_names_it() {
    let place = place();
    fs::write(place.shared.journal(), "{half").unwrap();
    let error = place.shared.recover().unwrap_err();
    assert!(error.to_string().contains("journal") && error.hint().is_some());
}
