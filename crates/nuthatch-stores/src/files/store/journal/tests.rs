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
        let path = self.shared.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.shared.root.join(name)).ok()
    }

    fn replacement(&self, name: &str, before: Option<&str>, after: Option<&str>) -> Replacement {
        Replacement {
            file: Canonical::memories(&self.shared, name),
            before: before.map(|text| stamp::hash(text.as_bytes())),
            after: after.map(|text| text.as_bytes().to_vec()),
        }
    }

    /// As [`Shared::commit`] of two files leaves things when it dies after the journal is in
    /// place and `done` of them were renamed.
    fn died_after(&self, done: usize) {
        self.write("MEMORY.md", "old a");
        self.write("memory/preference.md", "old b");
        let pairs = [("MEMORY.md", "old a", "new a"), ("memory/preference.md", "old b", "new b")];
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
            fs::rename(staged, self.shared.place_of(step).unwrap()).unwrap();
        }
    }
}

#[test]
fn several_files_are_replaced_and_removed_together() {
    let place = place();
    place.write("MEMORY.md", "old a");
    place.write("memory/workflow.md", "old");
    let done = place.shared.commit(vec![
        place.replacement("MEMORY.md", Some("old a"), Some("new a")),
        place.replacement("projects/p/MEMORY.md", None, Some("new b")),
        place.replacement("memory/workflow.md", Some("old"), None),
    ]);
    assert_eq!(done.unwrap(), Committed::Yes);
    assert_eq!(place.text("MEMORY.md").as_deref(), Some("new a"));
    assert_eq!(place.text("projects/p/MEMORY.md").as_deref(), Some("new b"));
    assert_eq!(place.text("memory/workflow.md"), None);
    assert!(!place.shared.has_journal());
}

#[test]
fn a_file_that_a_person_changed_stops_the_whole_change() {
    let place = place();
    place.write("MEMORY.md", "old a");
    place.write("memory/preference.md", "a person was here");
    let change = || {
        vec![
            place.replacement("MEMORY.md", Some("old a"), Some("new a")),
            place.replacement("memory/preference.md", Some("old b"), Some("new b")),
        ]
    };
    assert_eq!(place.shared.commit(change()).unwrap(), Committed::Overtaken);
    let appeared = vec![place.replacement("memory/preference.md", None, Some("new b"))];
    assert_eq!(place.shared.commit(appeared).unwrap(), Committed::Overtaken);
    assert_eq!(place.text("MEMORY.md").as_deref(), Some("old a"));
    assert_eq!(place.text("memory/preference.md").as_deref(), Some("a person was here"));
}

#[test]
fn whoever_finds_a_journal_finishes_the_change() {
    for done in 0..=2 {
        let place = place();
        place.died_after(done);
        place.shared.recover().unwrap();
        for (name, text) in [("MEMORY.md", "new a"), ("memory/preference.md", "new b")] {
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
    assert_eq!(place.text("MEMORY.md").as_deref(), Some("old a"));
    assert_eq!(fs::read_dir(place.shared.stage()).unwrap().count(), 0);
}

#[test]
fn a_file_that_a_person_changed_after_the_crash_stays_theirs() {
    let place = place();
    place.died_after(0);
    place.write("memory/preference.md", "a person was here");
    place.shared.recover().unwrap();
    assert_eq!(place.text("MEMORY.md").as_deref(), Some("new a"));
    assert_eq!(place.text("memory/preference.md").as_deref(), Some("a person was here"));
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

#[test]
fn a_journal_reaches_nothing_outside_its_store() {
    let place = place();
    let outside = place._folder.path().join("diary.txt");
    fs::write(&outside, "dear diary").unwrap();
    fs::write(place.shared.stage().join("0"), "pwned").unwrap();
    let elsewhere = place._folder.path().join("profile").display().to_string();
    for (name, staged) in [
        (outside.display().to_string(), None),
        (format!("memories:{}", outside.display()), None),
        ("memories:../diary.txt".to_owned(), None),
        ("state:../../diary.txt".to_owned(), None),
        ("state:turns/../../../diary.txt".to_owned(), None),
        ("memories:notes.txt".to_owned(), None),
        (elsewhere, Some("0")),
        ("memories:MEMORY.md".to_owned(), Some("../../diary.txt")),
    ] {
        let step = serde_json::json!([{"name": name, "before": null, "staged": staged}]);
        fs::write(place.shared.journal(), step.to_string()).unwrap();
        assert!(place.shared.recover().is_err(), "{name} was taken");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "dear diary");
        assert!(!place._folder.path().join("profile").exists());
    }
}
