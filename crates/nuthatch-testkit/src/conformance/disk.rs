//! Stores with files: private, never overwriting what they cannot read, true without indexes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nuthatch::Result;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::clock::{Clock, Ids};
use nuthatch::error::{Error, Kind};
use nuthatch::filter::Filter;
use nuthatch::id::{ChangeSetId, MemoryId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::store::Severity;
use rustix::fs::Mode;

use super::bench::{Bench, OnDisk};
use super::drive;
use super::fields::restoring;
use super::probe::{ALL, Probe, editing, must, new_text, remembering};
use super::scene::Scene;
use super::snapshot::Snapshot;
use crate::fakes::{FixedClock, SequentialIds};
use crate::generate;

/// No database of ours, no JSON, and not even UTF-8: another program's file.
const FOREIGN: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe not ours \xc3\x28\n";

/// The umask belongs to the whole process: one case at a time may change it.
static UMASK: Mutex<()> = Mutex::new(());

fn under_umask(mask: u32, work: impl FnOnce() + Send) {
    let _alone = UMASK.lock().unwrap_or_else(PoisonError::into_inner);
    let before = rustix::process::umask(Mode::from_raw_mode(mask));
    let outcome = std::thread::scope(|threads| threads.spawn(work).join());
    rustix::process::umask(before);
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
}

/// Everything below a folder, folders included.
pub(super) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder below the root can be read") {
        let path = entry.expect("an entry of a folder can be read").path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(walk(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

fn assert_private(root: &Path) {
    for path in walk(root) {
        let metadata = fs::symlink_metadata(&path).expect("a file below the root can be looked at");
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        let mode = metadata.permissions().mode() & 0o7777;
        assert_eq!(mode, expected, "{} is {mode:o}, not {expected:o}", path.display());
    }
}

pub async fn files_and_folders_are_private_whatever_the_umask(bench: &dyn OnDisk) {
    let root = bench.root();
    under_umask(0o000, || {
        drive(async {
            let probe = Probe::open(bench).await;
            Scene::furnish(&probe).await;
            probe.apply(restoring(&generate::records(400, 60))).await;
            must("reindexing", probe.store().reindex(&|_, _| ()).await);
            assert_private(&root);
        });
    });
    assert_private(&root);
}

pub(super) async fn attempt_to_read(bench: &dyn Bench) -> Result<Vec<Memory>> {
    let store = bench.open().await?;
    Ok(store.list(&Filter::everything(), ALL).await?.memories)
}

pub(super) async fn attempt_to_write(bench: &dyn Bench) -> Result<Applied> {
    let store = bench.open().await?;
    let at = FixedClock::default().now();
    // Far from the ids of the case itself.
    let ids = SequentialIds::starting_at(1_000_000);
    let memory = Memory::new(MemoryId(ids.fresh(at)), "never written", Scope::Global, at);
    let id = ChangeSetId(ids.fresh(at));
    store.apply(&ChangeSet::unguarded(id, at, vec![remembering(memory)])).await
}

/// Neither reads nor writes, and says what to do.
async fn refusals(bench: &dyn OnDisk) -> [Error; 2] {
    let read = attempt_to_read(bench).await.expect_err("what cannot be read is refused");
    let write = attempt_to_write(bench).await.expect_err("what cannot be read is not written");
    for error in [&read, &write] {
        assert!(error.hint().is_some(), "no hint with: {error}");
    }
    [read, write]
}

/// Refused as unavailable, naming the file.
pub(super) async fn assert_unavailable(bench: &dyn OnDisk) {
    let name = file_name(&bench.canonical());
    for error in refusals(bench).await {
        assert_eq!(error.kind(), Kind::Unavailable, "{error}");
        assert!(error.to_string().contains(&name), "{name} is not named: {error}");
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().expect("the path of a file ends in a name");
    name.to_string_lossy().into_owned()
}

/// Fills the store, closes it, and says what it held.
async fn furnished(bench: &dyn OnDisk) -> Snapshot {
    let probe = Probe::open(bench).await;
    Scene::furnish(&probe).await;
    probe.apply(restoring(&generate::records(410, 30))).await;
    probe.snapshot().await
}

fn remove(path: &Path) {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    if let Err(error) = removed {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{}: {error}", path.display());
    }
}

/// Takes the canonical file away, with everything that could answer in its place.
fn clear(bench: &dyn OnDisk) -> PathBuf {
    let canonical = bench.canonical();
    remove(&canonical);
    bench.derived().iter().for_each(|path| remove(path));
    let folder = canonical.parent().expect("a canonical file is in a folder");
    fs::create_dir_all(folder).expect("the folder of the canonical file can be made");
    canonical
}

/// Not even root reads a folder as a file.
pub async fn a_folder_in_place_of_the_file_is_refused_and_kept(bench: &dyn OnDisk) {
    furnished(bench).await;
    let canonical = clear(bench);
    let inside = canonical.join("precious.txt");
    fs::create_dir(&canonical).expect("the place is free");
    fs::write(&inside, FOREIGN).expect("a new folder can be written to");
    assert_unavailable(bench).await;
    assert_eq!(fs::read(&inside).ok().as_deref(), Some(FOREIGN));
}

pub async fn a_foreign_file_is_refused_and_kept(bench: &dyn OnDisk) {
    let canonical = clear(bench);
    fs::write(&canonical, FOREIGN).expect("the place is free");
    assert_unavailable(bench).await;
    assert_eq!(fs::read(&canonical).ok().as_deref(), Some(FOREIGN));
}

/// What is derived is still in order and must not stand in for what is damaged.
pub async fn a_damaged_store_is_refused_and_kept(bench: &dyn OnDisk) {
    furnished(bench).await;
    let canonical = bench.canonical();
    fs::write(&canonical, FOREIGN).expect("our own file can be written");
    assert_unavailable(bench).await;
    assert_eq!(fs::read(&canonical).ok().as_deref(), Some(FOREIGN));
}

/// Where links are followed, the target is not ours; where they are not, the link is enough.
pub async fn a_link_to_a_foreign_file_is_refused_and_its_target_kept(bench: &dyn OnDisk) {
    furnished(bench).await;
    let canonical = clear(bench);
    let elsewhere = tempfile::tempdir().expect("a temporary folder can be made");
    let target = elsewhere.path().join("shopping.txt");
    let text = "milk\nbread\n";
    fs::write(&target, text).expect("a temporary file can be written");
    std::os::unix::fs::symlink(&target, &canonical).expect("the place is free");
    for error in refusals(bench).await {
        let names = [file_name(&canonical), file_name(&target)];
        let message = error.to_string();
        assert!(names.iter().any(|name| message.contains(name)), "no file is named: {error}");
    }
    assert_eq!(fs::read_to_string(&target).ok().as_deref(), Some(text));
    assert!(canonical.is_symlink(), "the link is kept as well");
}

pub async fn leftovers_of_a_crash_are_harmless(bench: &dyn OnDisk) {
    let before = furnished(bench).await;
    let canonical = bench.canonical();
    let folder = canonical.parent().expect("a canonical file is in a folder");
    let name = file_name(&canonical);
    let half = &FOREIGN[..FOREIGN.len() / 2];
    for stray in [
        format!("{name}.tmp"),
        format!(".{name}.tmp"),
        format!(".{name}.x1Y2z3"),
        ".tmpAb12Cd".into(),
    ] {
        fs::write(folder.join(stray), half).expect("a stray file can be left");
    }
    let probe = Probe::open(bench).await;
    before.assert_same(&probe.snapshot().await);
    let findings = must("checking", probe.store().check().await);
    assert!(findings.iter().all(|found| found.severity != Severity::Failure), "{findings:?}");
    must("writing beside leftovers", attempt_to_write(bench).await);
}

fn assert_nothing_but_the_canonical_file(bench: &dyn OnDisk) {
    let files: Vec<_> = walk(&bench.root()).into_iter().filter(|path| !path.is_dir()).collect();
    assert_eq!(files, [bench.canonical()], "nothing is said to be derived");
}

pub async fn everything_derived_can_be_deleted(bench: &dyn OnDisk) {
    let before = furnished(bench).await;
    let derived = bench.derived();
    if derived.is_empty() {
        assert_nothing_but_the_canonical_file(bench);
    }
    derived.iter().for_each(|path| remove(path));
    let probe = Probe::open(bench).await;
    before.assert_same(&probe.snapshot().await);
}

pub async fn a_damaged_index_is_built_again(bench: &dyn OnDisk) {
    let before = furnished(bench).await;
    let derived = bench.derived();
    if derived.is_empty() {
        assert_nothing_but_the_canonical_file(bench);
    }
    for path in
        derived.iter().flat_map(|path| if path.is_dir() { walk(path) } else { vec![path.clone()] })
    {
        if path.is_file() {
            fs::write(&path, FOREIGN).expect("a derived file can be written");
        }
    }
    let probe = Probe::open(bench).await;
    before.assert_same(&probe.snapshot().await);
}

pub async fn a_refused_set_leaves_no_files_behind(bench: &dyn OnDisk) {
    let probe = Probe::open(bench).await;
    Scene::furnish(&probe).await;
    let before = walk(&bench.root());
    let impossible = editing(probe.fresh_id(), new_text("never said"));
    let changes = vec![remembering(probe.memory("sails at dawn")), impossible];
    probe.refuse(Kind::NotFound, changes).await;
    assert_eq!(walk(&bench.root()), before);
}
