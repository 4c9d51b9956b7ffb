//! A project, a home and files in them, old enough to be believed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nuthatch_sources::files::{ContextFiles, FilesRequest, Loaded, Product};

pub struct Tree(tempfile::TempDir);

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        for folder in ["project", "home", "user"] {
            fs::create_dir(tree.at(folder)).unwrap();
        }
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// A path below the tree, links resolved.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    /// Writes a file that seems to be an hour old.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let before = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
    }

    pub fn request(&self, product: Product, target: &str) -> FilesRequest {
        FilesRequest {
            product,
            names: ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].map(str::to_owned).to_vec(),
            root: self.at("project"),
            target: self.at(target),
            user: Some(self.at("user")),
            home: Some(self.at("home")),
            allowed: Vec::new(),
        }
    }

    pub fn load(&self, product: Product, target: &str) -> Loaded {
        (*ContextFiles::default().load(&self.request(product, target)).unwrap()).clone()
    }
}

/// The names of the files, in order; those outside the project by their last two parts.
pub fn names(loaded: &Loaded) -> Vec<String> {
    let short = |name: &String| {
        let path = Path::new(name);
        if path.is_relative() {
            return name.clone();
        }
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        parts[parts.len() - 2..].join("/")
    };
    loaded.files.iter().map(|file| short(&file.name)).collect()
}

/// What is noted, as `file: words`.
pub fn notes(loaded: &Loaded) -> Vec<String> {
    loaded.notes.iter().map(|note| format!("{}: {}", note.file, note.text)).collect()
}
