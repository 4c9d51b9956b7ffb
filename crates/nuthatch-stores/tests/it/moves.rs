//! Entries that a person moves or copies from one Markdown file to another.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet, Edit, Patch, Remember, Said};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::{ChangeSetId, MemoryId};
use nuthatch::limits::ScopeLimits;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::store::Store;
use nuthatch_stores::StoreUrl;
use tempfile::TempDir;
use uuid::Uuid;

use crate::places::block_on;

/// A store with one entry that stays and one, of two versions, that is about to move.
struct Desk {
    folder: TempDir,
    store: Arc<dyn Store>,
    /// How many sets were applied: each has an id of its own.
    sets: Cell<u128>,
}

const MOVES: MemoryId = MemoryId(Uuid::from_u128(2));

impl Desk {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::Markdown(folder.path().to_path_buf());
        let store = nuthatch_stores::open(&url).await.unwrap();
        fs::create_dir_all(folder.path().join("memory")).unwrap();
        Desk { folder, store, sets: Cell::new(0) }
    }

    async fn furnished() -> Self {
        let desk = Self::open().await;
        for (number, text) in [(1, "stays"), (2, "moved"), (2, "moves")] {
            let id = MemoryId(Uuid::from_u128(number));
            let memory = Memory::new(id, text, Scope::Global, Timestamp::UNIX_EPOCH);
            let memory = Memory { key: Some(format!("key-{number}")), ..memory };
            let (limits, supersedes) = (ScopeLimits::NONE, Vec::new());
            desk.apply(Change::Remember(Box::new(Remember {
                memory,
                limits,
                supersedes,
                said: Said::default(),
            })))
            .await;
        }
        desk
    }

    async fn apply(&self, change: Change) {
        self.sets.set(self.sets.get() + 1);
        let id = ChangeSetId(Uuid::from_u128(self.sets.get()));
        let set = ChangeSet::unguarded(id, Timestamp::UNIX_EPOCH, vec![change]);
        self.store.apply(&set).await.unwrap();
    }

    async fn reindex(&self) {
        self.store.reindex(&|_, _| {}).await.unwrap();
    }

    async fn all(&self) -> Vec<Memory> {
        self.store.list(&Filter::everything(), Page::first(99)).await.unwrap().memories
    }

    /// Those that say `text`.
    async fn saying(&self, text: &str) -> Vec<Memory> {
        self.all().await.into_iter().filter(|memory| memory.content.contains(text)).collect()
    }

    fn core(&self) -> PathBuf {
        self.folder.path().join("MEMORY.md")
    }

    fn preference(&self) -> PathBuf {
        self.folder.path().join("memory/preference.md")
    }

    fn copy(&self) {
        let line = lines(&self.core(), "moves").concat();
        fs::write(self.preference(), line).unwrap();
    }

    fn cut(&self) {
        let text = fs::read_to_string(self.core()).unwrap();
        let kept: String = text.split_inclusive('\n').filter(|l| !l.contains("moves")).collect();
        fs::write(self.core(), kept).unwrap();
    }

    fn written(&self) -> usize {
        [self.core(), self.preference()].iter().map(|path| lines(path, "moves").len()).sum()
    }

    /// The entry is in the other file only, with its history, and stays so.
    async fn assert_moved(&self) {
        for _ in 0..2 {
            let found = self.saying("moves").await;
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((found[0].id, found[0].category.as_str()), (MOVES, "preference"));
            let versions = self.store.versions(&[MOVES]).await.unwrap();
            let said: Vec<_> =
                versions.iter().map(|v| (v.content.as_str(), v.category.as_str())).collect();
            assert_eq!(said, [("moved", "core"), ("moves", "core")]);
            self.apply(Change::Use { ids: vec![MOVES] }).await;
            assert_eq!(self.written(), 1);
            self.reindex().await;
        }
        self.apply(Change::Forget { ids: vec![MOVES] }).await;
        assert_eq!(self.written(), 0);
    }
}

fn lines(path: &Path, text: &str) -> Vec<String> {
    let file = fs::read_to_string(path).unwrap_or_default();
    file.split_inclusive('\n').filter(|line| line.contains(text)).map(str::to_owned).collect()
}

#[test]
fn an_entry_moved_by_hand_is_moved() {
    block_on(async {
        let desk = Desk::furnished().await;
        desk.copy();
        desk.cut();
        desk.assert_moved().await;
    });
}

#[test]
fn an_entry_copied_and_then_cut_is_moved() {
    block_on(async {
        let desk = Desk::furnished().await;
        desk.copy();
        assert_eq!(desk.saying("moves").await.len(), 2);
        desk.cut();
        desk.assert_moved().await;
    });
}

#[test]
fn a_file_renamed_by_hand_takes_its_entries_along() {
    block_on(async {
        let desk = Desk::furnished().await;
        desk.all().await;
        fs::rename(desk.core(), desk.preference()).unwrap();
        desk.assert_moved().await;
    });
}

#[test]
fn a_copy_of_an_entry_is_a_memory_of_its_own() {
    block_on(async {
        let desk = Desk::furnished().await;
        desk.copy();
        let found = desk.saying("moves").await;
        let copy = found.iter().find(|memory| memory.id != MOVES).unwrap().id;
        desk.apply(Change::Forget { ids: vec![MOVES] }).await;
        for _ in 0..2 {
            let left: Vec<_> = desk.saying("moves").await.iter().map(|m| m.id).collect();
            assert_eq!(left, [copy]);
            desk.reindex().await;
        }
        desk.apply(Change::Forget { ids: vec![copy] }).await;
        desk.reindex().await;
        assert_eq!((desk.saying("moves").await.len(), desk.written()), (0, 0));
    });
}

#[test]
fn a_copy_can_be_forgotten_without_the_entry() {
    block_on(async {
        let desk = Desk::furnished().await;
        desk.copy();
        let found = desk.saying("moves").await;
        let copy = found.iter().find(|memory| memory.id != MOVES).unwrap().id;
        desk.apply(Change::Forget { ids: vec![copy] }).await;
        desk.reindex().await;
        let left = desk.saying("moves").await;
        assert_eq!((left.len(), left[0].id, desk.written()), (1, MOVES, 1));
    });
}

#[test]
fn equal_lines_by_hand_can_be_used_and_forgotten_in_any_order() {
    block_on(async {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let desk = Desk::open().await;
            fs::write(desk.core(), "- moves\n- moves\n- moves\n- other\n").unwrap();
            let twins: Vec<_> = desk.saying("moves").await.iter().map(|m| m.id).collect();
            for (gone, place) in order.into_iter().enumerate() {
                desk.apply(Change::Use { ids: vec![twins[order[2]]] }).await;
                desk.apply(Change::Forget { ids: vec![twins[place]] }).await;
                assert_eq!(desk.written(), 2 - gone);
                assert_eq!(desk.saying("moves").await.len(), 2 - gone);
            }
            assert_eq!(fs::read_to_string(desk.core()).unwrap(), "- other\n");
        }
    });
}

#[test]
fn an_entry_goes_where_its_category_belongs_if_its_file_cannot_hold_it() {
    block_on(async {
        let desk = Desk::open().await;
        fs::write(desk.folder.path().join("memory/daily.md"), "- moves\n").unwrap();
        let memory = desk.saying("moves").await.remove(0);
        let patch = Patch { category: Some(Category::conversation()), ..Patch::default() };
        let (id, limits, expected) = (memory.id, ScopeLimits::NONE, None);
        desk.apply(Change::Edit(Box::new(Edit { id, expected, limits, patch }))).await;
        desk.reindex().await;
        let found = desk.saying("moves").await;
        assert_eq!((found.len(), found[0].id), (1, id));
        assert_eq!(found[0].category, Category::conversation());
    });
}
