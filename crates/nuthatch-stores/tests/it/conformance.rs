//! Every backend against the one suite.
//!
//! A failure reads `conformance::sqlite::a_superseded_memory_is_hidden`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use nuthatch::Result;
use nuthatch::scope::ScopeKind;
use nuthatch::store::Store;
use nuthatch_stores::{CompositeStore, InMemoryStore, StoreUrl};
use nuthatch_testkit::conformance::{Bench, HandWritten, OnDisk, TextFile};
use nuthatch_testkit::{conformance, disk_conformance, text_file_conformance};
use tempfile::TempDir;

/// A store in RAM: every handle is the same store.
#[derive(Default)]
struct InMemory(InMemoryStore);

#[async_trait]
impl Bench for InMemory {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(self.0.clone()))
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A store in one SQLite file.
struct Sqlite(TempDir);

#[async_trait]
impl Bench for Sqlite {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        nuthatch_stores::open(&StoreUrl::Sqlite(self.canonical())).await
    }
}

impl OnDisk for Sqlite {
    fn root(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn canonical(&self) -> PathBuf {
        self.root().join("memory.db")
    }

    fn derived(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// A store in a folder of Markdown files.
struct Markdown(TempDir);

#[async_trait]
impl Bench for Markdown {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        nuthatch_stores::open(&StoreUrl::Markdown(self.root())).await
    }
}

impl OnDisk for Markdown {
    fn root(&self) -> PathBuf {
        self.0.path().join("notes")
    }

    fn canonical(&self) -> PathBuf {
        self.root().join("MEMORY.md")
    }

    fn derived(&self) -> Vec<PathBuf> {
        index_files(&self.root().join(".nuthatch"))
    }
}

/// What a store of files can lose without harm.
fn index_files(state: &std::path::Path) -> Vec<PathBuf> {
    let names = ["index.db", "index.db-wal", "index.db-shm", "lock", "stage"];
    names.iter().map(|name| state.join(name)).collect()
}

impl TextFile for Markdown {
    fn by_hand(&self, entries: &[(&str, &str)]) -> HandWritten {
        let before = "# My notes\n\nSome prose that is nobody's memory.\n\n".to_owned();
        let after = "\n## Afterwards\n\n<!-- a comment -->\nThe end.\n".to_owned();
        let mut file = before.clone();
        for (key, text) in entries {
            file.push_str(&format!("- **{key}**: {text}\n"));
        }
        file.push_str(&after);
        HandWritten { file, foreign: vec![before, after] }
    }

    fn with_entry(&self, file: &str, key: &str, text: &str) -> String {
        format!("{file}- **{key}**: {text}\n")
    }

    fn without_entry(&self, file: &str, text: &str) -> String {
        file.split_inclusive('\n').filter(|line| !line.contains(text)).collect()
    }
}

/// A store in one JSON file.
struct Json(TempDir);

#[async_trait]
impl Bench for Json {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        nuthatch_stores::open(&StoreUrl::Json(self.canonical())).await
    }
}

impl OnDisk for Json {
    fn root(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn canonical(&self) -> PathBuf {
        self.root().join("memory.json")
    }

    fn derived(&self) -> Vec<PathBuf> {
        index_files(&self.root().join("memory.json.nuthatch"))
    }
}

fn json_entry(key: &str, text: &str) -> String {
    format!(
        "  {{ \"fact\": {}, \"key\": {}, \"category\": \"core\", \"mood\": \"good\" }}",
        serde_json::Value::from(text),
        serde_json::Value::from(key)
    )
}

impl TextFile for Json {
    fn by_hand(&self, entries: &[(&str, &str)]) -> HandWritten {
        let before = "  { \"note\": \"not a fact\" }".to_owned();
        let after = "  [1, 2.50, \"three\"]".to_owned();
        let mut elements = vec![before.clone()];
        elements.extend(entries.iter().map(|(key, text)| json_entry(key, text)));
        elements.push(after.clone());
        let file = format!("[\n{}\n]\n", elements.join(",\n"));
        HandWritten { file, foreign: vec![before, after] }
    }

    fn with_entry(&self, file: &str, key: &str, text: &str) -> String {
        let head = file.trim_end().trim_end_matches(']').trim_end();
        let comma = if head.ends_with('[') { "" } else { "," };
        format!("{head}{comma}\n{}\n]\n", json_entry(key, text))
    }

    fn without_entry(&self, file: &str, text: &str) -> String {
        let elements: Vec<serde_json::Value> = serde_json::from_str(file).expect("a JSON array");
        let kept: Vec<_> = elements.into_iter().filter(|e| e["fact"] != text).collect();
        serde_json::to_string_pretty(&kept).expect("JSON") + "\n"
    }
}

/// Projects in Markdown, plans in JSON, everything else in SQLite.
struct Composite(TempDir);

#[async_trait]
impl Bench for Composite {
    async fn open(&self) -> Result<Arc<dyn Store>> {
        let at = |name: &str| self.0.path().join(name);
        let default = nuthatch_stores::open(&StoreUrl::Sqlite(at("memory.db"))).await?;
        let projects = nuthatch_stores::open(&StoreUrl::Markdown(at("notes"))).await?;
        let plans = nuthatch_stores::open(&StoreUrl::Json(at("plans.json"))).await?;
        let routes = BTreeMap::from([(ScopeKind::Project, projects), (ScopeKind::Plan, plans)]);
        Ok(Arc::new(CompositeStore::new(default, routes)))
    }
}

conformance!(memory, InMemory::default());
conformance!(sqlite, Sqlite(folder()));
conformance!(markdown, Markdown(folder()));
conformance!(json, Json(folder()));
conformance!(composite, Composite(folder()));

disk_conformance!(sqlite_on_disk, Sqlite(folder()));
disk_conformance!(markdown_on_disk, Markdown(folder()));
disk_conformance!(json_on_disk, Json(folder()));

text_file_conformance!(markdown_by_hand, Markdown(folder()));
text_file_conformance!(json_by_hand, Json(folder()));
