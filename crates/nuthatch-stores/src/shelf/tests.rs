//! Sets that are published whole, cut short, changed by hand, and taken back.

use std::fs;

use nuthatch::error::Kind;
use nuthatch::shelf::{MEMORY, SUMMARY, skill};

use super::*;

struct Bench {
    folder: tempfile::TempDir,
    shelf: DiskShelf,
    project: ProjectId,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let shelf = DiskShelf::at(folder.path().join("memories"));
        Bench { folder, shelf, project: ProjectId::new("harbour").unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("memories/harbour").join(name)
    }

    fn stage(&self, seen: Option<u64>, documents: &Documents) -> Result<Box<dyn Staged>> {
        let at = Timestamp::from_second(1_773_144_000).unwrap();
        self.shelf.stage(&self.project, &Edition { seen, documents, at, why: "a test" })
    }

    fn publish(&self, documents: &Documents) -> u64 {
        let seen = self.shelf.present(&self.project).unwrap().generation;
        self.stage(seen, documents).unwrap().publish().unwrap()
    }
}

fn documents(entries: &[(&str, &str)]) -> Documents {
    entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_set_is_there_whole_and_the_one_before_is_kept() {
    let bench = Bench::new();
    assert_eq!(bench.shelf.present(&bench.project).unwrap(), Present::default());
    let first = documents(&[(MEMORY, "one"), (SUMMARY, "s"), (&skill("run-tests"), "how")]);
    assert_eq!(bench.publish(&first), 1);
    let second = documents(&[(MEMORY, "two"), (SUMMARY, "s")]);
    assert_eq!(bench.publish(&second), 2);
    let present = bench.shelf.present(&bench.project).unwrap();
    assert_eq!((present.generation, present.documents), (Some(2), second));
    assert!(!bench.path("skills/run-tests").exists(), "what nothing stands behind goes");
    assert_eq!(bench.shelf.generation(&bench.project, 1).unwrap(), first);
    let numbers: Vec<u64> =
        bench.shelf.log(&bench.project).unwrap().iter().map(|one| one.number).collect();
    assert_eq!(numbers, [2, 1]);
}

#[test]
fn a_set_that_is_not_published_changes_nothing() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one")]));
    drop(bench.stage(Some(1), &documents(&[(MEMORY, "two")])).unwrap());
    assert_eq!(bench.shelf.present(&bench.project).unwrap().documents[MEMORY], "one");
    assert_eq!(bench.shelf.log(&bench.project).unwrap().len(), 1);
}

#[test]
fn of_two_sets_made_out_of_one_the_second_is_refused() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one")]));
    let mine = bench.stage(Some(1), &documents(&[(MEMORY, "mine")])).unwrap();
    let theirs = bench.stage(Some(1), &documents(&[(MEMORY, "theirs")])).unwrap();
    assert_eq!(theirs.publish().unwrap(), 2);
    assert_eq!(mine.publish().unwrap_err().kind(), Kind::Conflict);
    assert_eq!(bench.shelf.present(&bench.project).unwrap().documents[MEMORY], "theirs");
}

#[test]
fn a_set_that_was_cut_short_is_finished_by_whoever_looks() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one"), (SUMMARY, "s1"), (&skill("old"), "x")]));
    bench.publish(&documents(&[(MEMORY, "two"), (SUMMARY, "s2")]));
    // As a process leaves it that dies after the first of several files.
    fs::write(bench.path(".generations/published"), "1").unwrap();
    fs::write(bench.path(SUMMARY), "s1").unwrap();
    fs::create_dir_all(bench.path("skills/old")).unwrap();
    fs::write(bench.path("skills/old/SKILL.md"), "x").unwrap();
    let present = bench.shelf.present(&bench.project).unwrap();
    assert_eq!(present.documents, documents(&[(MEMORY, "two"), (SUMMARY, "s2")]));
    assert_eq!((present.generation, present.by_hand), (Some(2), Vec::new()));
}

#[test]
fn what_people_wrote_is_never_touched_and_what_they_changed_is_kept() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one"), (&skill("ours"), "ours")]));
    fs::create_dir_all(bench.path("skills/theirs")).unwrap();
    fs::write(bench.path("skills/theirs/SKILL.md"), "theirs").unwrap();
    fs::write(bench.path("skills/ours/SKILL.md"), "ours, but better").unwrap();
    fs::write(bench.path(MEMORY), "one, and a line by hand").unwrap();
    let present = bench.shelf.present(&bench.project).unwrap();
    assert_eq!(present.by_hand, [MEMORY.to_owned(), skill("ours"), skill("theirs")]);
    let next = documents(&[(MEMORY, "two"), (&skill("ours"), "new"), (&skill("theirs"), "new")]);
    assert_eq!(bench.publish(&next), 3, "what was changed by hand is a set of its own");
    assert_eq!(
        bench.shelf.generation(&bench.project, 2).unwrap()[MEMORY],
        "one, and a line by hand"
    );
    let read = |name: &str| fs::read_to_string(bench.path(name)).unwrap();
    assert_eq!(read(MEMORY), "two");
    assert_eq!(read("skills/ours/SKILL.md"), "ours, but better");
    assert_eq!(read("skills/theirs/SKILL.md"), "theirs");
    let cleared = bench.shelf.clear(&bench.project).unwrap();
    assert_eq!((cleared.documents, cleared.generations), (1, 3));
    assert_eq!(read("skills/theirs/SKILL.md"), "theirs");
    assert!(!bench.path(MEMORY).exists() && !bench.path(".generations").exists());
}

#[test]
fn earlier_sets_can_be_let_go() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "a secret place")]));
    bench.publish(&documents(&[(MEMORY, "a place")]));
    let words = ["secret".to_owned()];
    assert_eq!(bench.shelf.mentioning(&words).unwrap(), std::slice::from_ref(&bench.project));
    bench.shelf.forget_earlier(&bench.project).unwrap();
    assert_eq!(bench.shelf.mentioning(&words).unwrap(), []);
    assert_eq!(bench.shelf.log(&bench.project).unwrap().len(), 1);
    assert_eq!(
        bench.publish(&documents(&[(MEMORY, "another")])),
        3,
        "numbers are never given twice"
    );
}

#[test]
fn only_so_many_sets_are_kept() {
    let bench = Bench::new();
    for n in 0..25 {
        bench.publish(&documents(&[(MEMORY, &format!("{n}"))]));
    }
    let log = bench.shelf.log(&bench.project).unwrap();
    assert_eq!((log.len(), log[0].number), (20, 25));
}

#[cfg(unix)]
#[test]
fn nothing_is_read_or_written_through_a_link() {
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one"), (&skill("a"), "x")]));
    let outside = bench.folder.path().join("secret");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("SKILL.md"), "not yours").unwrap();
    std::os::unix::fs::symlink(&outside, bench.path("skills/b")).unwrap();
    let read = |name: &str| bench.shelf.document(&bench.project, name);
    assert_eq!(read(MEMORY).unwrap(), "one");
    for name in [skill("b"), "../harbour/MEMORY.md".into(), ".lock".into(), skill("missing")] {
        assert_eq!(read(&name).unwrap_err().kind(), Kind::NotFound, "{name}");
    }
    let next = documents(&[(MEMORY, "two"), (&skill("b"), "ours")]);
    let staged = bench.stage(Some(1), &next).unwrap();
    staged.publish().unwrap();
    assert!(!bench.shelf.present(&bench.project).unwrap().documents.contains_key(&skill("b")));
    assert_eq!(fs::read_to_string(outside.join("SKILL.md")).unwrap(), "not yours");
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    bench.publish(&documents(&[(MEMORY, "one"), (&skill("a"), "x")]));
    for name in ["", MEMORY, "skills/a", "skills/a/SKILL.md", ".generations/000001/MEMORY.md"] {
        let mode = fs::metadata(bench.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}
