//! Reads the repository: which files belong to it, and their text.
//!
//! Follows `.gitignore` instead of asking git, so that the checks also run in an unpacked
//! source archive. Paths are relative to the root and written with `/`.

use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Endings of the files people write by hand, and of the recordings kept beside them.
const TEXT: &[&str] = &[
    "css", "html", "js", "json", "jsonl", "md", "rs", "sh", "snap", "sql", "toml", "txt", "yaml",
    "yml",
];

/// Text files that have no ending.
const TEXT_WITHOUT_ENDING: &[&str] = &["justfile", ".ci/run", "LICENSE", "LICENSE-MIT"];

/// Hidden folders that are ours; every other one belongs to somebody's editor.
const HIDDEN: &[&str] = &[".ci", ".github", ".cargo"];

/// A file of the repository.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of one file, or `None` where there is no such file.
pub(crate) fn read(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// Every text file of the repository, sorted by path.
pub(crate) fn files() -> Vec<SourceFile> {
    let root = root();
    let ignored = Ignored::parse(&read(".gitignore").unwrap_or_default());
    let walk = WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(|entry| {
        entry.depth() == 0 || !(is_foreign(entry) || ignored.matches(&relative(&root, entry)))
    });
    walk.map(|entry| entry.expect("the workspace is readable"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| relative(&root, &entry))
        .filter(|path| is_text(path))
        .map(|path| {
            let text = fs::read_to_string(root.join(&path))
                .unwrap_or_else(|error| panic!("{path} is not readable as UTF-8: {error}"));
            SourceFile { path, text }
        })
        .collect()
}

/// Every Rust file of every crate.
pub(crate) fn rust_files() -> Vec<SourceFile> {
    let mut files = files();
    files.retain(|file| file.path.starts_with("crates/") && file.path.ends_with(".rs"));
    files
}

/// Whether a path holds only tests: a `tests.rs`, or anything below a `tests` folder.
pub(crate) fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

fn relative(root: &Path, entry: &DirEntry) -> String {
    let path = entry.path().strip_prefix(root).expect("walkdir stays below its root");
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

fn is_foreign(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.file_type().is_dir() && name.starts_with('.') && !HIDDEN.contains(&&*name)
}

fn is_text(path: &str) -> bool {
    TEXT_WITHOUT_ENDING.contains(&path)
        || path.rsplit_once('.').is_some_and(|(_, ending)| TEXT.contains(&ending))
}

/// The three shapes of pattern that our `.gitignore` uses: `/at-root`, `*.ending`, `name`.
struct Ignored(Vec<String>);

impl Ignored {
    fn parse(text: &str) -> Self {
        let lines = text.lines().map(|line| line.trim().trim_end_matches('/'));
        Ignored(lines.filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect())
    }

    fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.0.iter().any(|pattern| {
            if let Some(at_root) = pattern.strip_prefix('/') {
                path == at_root
            } else if let Some(ending) = pattern.strip_prefix('*') {
                name.ends_with(ending)
            } else {
                name == pattern
            }
        })
    }
}

#[test]
fn ignored_files_are_left_out() {
    let ignored = Ignored::parse("# built\n/target\n*.snap.new\nscratch/\n");
    for path in ["target", "crates/a/x.snap.new", "crates/scratch"] {
        assert!(ignored.matches(path), "{path} should be ignored");
    }
    for path in ["crates/target", "crates/a/x.snap", "targets"] {
        assert!(!ignored.matches(path), "{path} should be kept");
    }
}

#[test]
fn the_walk_finds_this_file_and_no_build_output() {
    let files = files();
    assert!(files.iter().any(|file| file.path.ends_with("tests/tidy/workspace.rs")));
    assert!(!files.iter().any(|file| file.path.starts_with("target/")));
}
