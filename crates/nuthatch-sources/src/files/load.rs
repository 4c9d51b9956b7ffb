//! Loads the files of one place, whole, past every cache.
//!
//! What was loaded before is the business of `cache`, which files there are that of `discover`.

use std::fs;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::guard::{Verdict, examine};

use super::code::without_comments;
use super::discover::{Candidate, Level, discover};
use super::disk::Disk;
use super::import::{CodeRule, Fetched, ImportRules, Imported, Reach, Refusal, import};
use super::{ContextFile, FilesRequest, Loaded, Note, Product};

/// Loads what the request asks for, and returns the record of every look at the disk.
pub(super) fn load(request: &FilesRequest) -> Result<(Loaded, Disk)> {
    let root = fs::canonicalize(&request.root).map_err(|error| {
        let folder = request.root.display();
        Error::not_found(format!("there is no folder {folder}")).with_source(error)
    })?;
    let here = folder_of(&request.target);
    if request.product == Product::Nuthatch && !here.starts_with(&root) {
        let (target, root) = (request.target.display(), root.display());
        return Err(Error::invalid(format!("{target} is not in the project {root}"))
            .with_hint("name a file or folder of the project, or use --project"));
    }
    let request = FilesRequest { root, ..request.clone() };
    let mut disk = Disk::default();
    // What is no folder yet may become one.
    disk.exists(&request.target);
    let candidates = discover(&request, &here, &mut disk);
    let mut loader = Loader { request: &request, disk, loaded: Loaded::default() };
    for candidate in &candidates {
        loader.take(candidate);
    }
    loader.cut();
    Ok((loader.loaded, loader.disk))
}

/// The real folder of a path that need not exist yet.
fn folder_of(target: &Path) -> PathBuf {
    let start = if target.is_dir() { target } else { target.parent().unwrap_or(target) };
    for ancestor in start.ancestors() {
        if let Ok(real) = fs::canonicalize(ancestor) {
            let rest = start.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return real.join(rest);
        }
    }
    start.to_owned()
}

struct Loader<'a> {
    request: &'a FilesRequest,
    disk: Disk,
    loaded: Loaded,
}

impl Loader<'_> {
    fn take(&mut self, candidate: &Candidate) {
        let name = self.name(&candidate.path);
        let bounds = self.bounds(candidate);
        let limit = self.request.product.longest_file();
        let file = match self.disk.read(&bounds, &candidate.path, limit) {
            Ok(file) => file,
            Err(trouble) => return self.note(&name, None, format!("not loaded: {trouble}")),
        };
        if file.replaced > 0 {
            self.note(&name, None, format!("{} bytes are no UTF-8", file.replaced));
        }
        let mut text = file.text;
        if self.request.product == Product::ClaudeCode {
            if is_for_some_paths(&candidate.path, &text) {
                return self.note(&name, None, "loaded only for the paths it names".into());
            }
            text = without_comments(&text);
        }
        let Imported { text, files, missed } = self.import(&text, &file.path, &bounds);
        for missed in missed {
            let name = self.name(&missed.file);
            let words = format!("@{} is not imported: {}", missed.written, missed.why);
            self.note(&name, Some(missed.line), words);
        }
        let imports = files.iter().map(|path| self.name(path)).collect();
        self.keep(ContextFile {
            path: candidate.path.clone(),
            name,
            level: candidate.level,
            text,
            imports,
            twins: Vec::new(),
        });
    }

    fn import(&mut self, text: &str, file: &Path, bounds: &[PathBuf]) -> Imported {
        let Some(rules) = self.request.product.imports() else {
            return Imported { text: text.to_owned(), ..Imported::default() };
        };
        let limit = self.request.product.longest_file();
        let request = self.request;
        let mut reach = OnDisk { disk: &mut self.disk, bounds, request, rules, limit };
        import(text, file, rules, &mut reach)
    }

    /// Takes a file in, unless it says what one before it says.
    fn keep(&mut self, file: ContextFile) {
        if file.text.trim().is_empty() {
            return self.note(&file.name, None, "it says nothing".into());
        }
        let examined = examine(&file.text);
        if examined.verdict != Verdict::Accept {
            let mut kinds: Vec<&str> =
                examined.findings.iter().map(|finding| finding.category.name()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let words = format!("looks suspicious: {}", kinds.join(", "));
            self.note(&file.name, None, words);
        }
        let own = self.request.product == Product::Nuthatch;
        let twin =
            self.loaded.files.iter_mut().find(|other| own && other.text.trim() == file.text.trim());
        match twin {
            Some(twin) => twin.twins.push(file.name),
            None => self.loaded.files.push(file),
        }
    }

    /// Keeps to the most that a product takes of a project's files.
    fn cut(&mut self) {
        let Some(most) = self.request.product.most_bytes() else { return };
        let (mut left, mut kept) = (most, Vec::new());
        for mut file in std::mem::take(&mut self.loaded.files) {
            if file.level <= Level::User {
                kept.push(file);
                continue;
            }
            if left == 0 {
                self.note(&file.name, None, format!("left out: over {most} bytes in all"));
                continue;
            }
            if file.text.len() > left {
                file.text.truncate(file.text.floor_char_boundary(left));
                self.note(&file.name, None, format!("cut: over {most} bytes in all"));
                left = 0;
            } else {
                left -= file.text.len();
            }
            kept.push(file);
        }
        self.loaded.files = kept;
    }

    fn bounds(&self, candidate: &Candidate) -> Vec<PathBuf> {
        let own = candidate.bound.clone().unwrap_or_else(|| self.request.root.clone());
        std::iter::once(own).chain(self.request.allowed.iter().cloned()).collect()
    }

    fn name(&self, path: &Path) -> String {
        name(&self.request.root, path)
    }

    fn note(&mut self, file: &str, line: Option<usize>, text: String) {
        self.loaded.notes.push(Note { file: file.to_owned(), line, text });
    }
}

/// How a file is called: relative to the project where it lies in it.
fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// Whether a rule names the paths it is for, in the lines between two rows of dashes.
fn is_for_some_paths(path: &Path, text: &str) -> bool {
    if !path.components().any(|part| part.as_os_str() == "rules") {
        return false;
    }
    let Some(rest) = text.strip_prefix("---\n") else { return false };
    let head = rest.lines().take_while(|line| line.trim_end() != "---");
    head.into_iter().any(|line| line.starts_with("paths:"))
}

/// Files on disk, as far as they may be imported.
struct OnDisk<'a> {
    disk: &'a mut Disk,
    bounds: &'a [PathBuf],
    request: &'a FilesRequest,
    rules: ImportRules,
    limit: u64,
}

impl Reach for OnDisk<'_> {
    fn fetch(&mut self, from: &Path, written: &str) -> Result<Fetched, Refusal> {
        let literal = self.rules.code == CodeRule::Backticks;
        if written.contains("://") {
            let why = Refusal::Because("addresses are not imported".into());
            return Err(if literal { why } else { Refusal::Prose });
        }
        let path = match (written.strip_prefix("~/"), &self.request.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => from.parent().unwrap_or(Path::new("/")).join(written),
        };
        match self.disk.read(self.bounds, &path, self.limit) {
            Ok(file) => Ok(Fetched {
                name: name(&self.request.root, &file.path),
                path: file.path,
                text: file.text,
            }),
            // A word is a name of somebody unless it looks like one of a file.
            Err(_) if !literal && !written.contains(['/', '.']) => Err(Refusal::Prose),
            Err(trouble) => Err(Refusal::Because(trouble.to_string())),
        }
    }
}
