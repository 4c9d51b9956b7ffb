//! Reading: an index that agrees with the files, and a look at the files themselves.
//!
//! Finding out that nothing changed costs a look at each file and no lock.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::store::Finding;

use super::Shared;
use super::{codec, stamp};
use crate::files::layout::Source;
use crate::sqlite::{permissions, sql_error};

/// How deep memory files lie at most: `plans/<id>/<req>/memory/<file>`.
const DEEPEST: usize = 5;

/// A canonical file: where it is, and the name by which the index knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Canonical {
    pub name: String,
    pub path: PathBuf,
}

impl Canonical {
    /// A file of memories.
    pub fn memories(shared: &Shared, relative: &str) -> Self {
        Canonical { name: format!("memories:{relative}"), path: shared.root.join(relative) }
    }

    /// A file of ours.
    pub fn state(shared: &Shared, relative: &Path) -> Self {
        let name = format!("state:{}", relative.display());
        Canonical { name, path: shared.state.join(relative) }
    }

    /// The layout's path, for a file of memories.
    pub fn relative(&self) -> Option<&str> {
        self.name.strip_prefix("memories:")
    }
}

impl Shared {
    /// The canonical file of a name, if this store can have such a file.
    pub fn canonical_named(&self, name: &str) -> Option<Canonical> {
        if let Some(relative) = name.strip_prefix("memories:") {
            return self.layout.owns(relative).then(|| Canonical::memories(self, relative));
        }
        let relative = name.strip_prefix("state:")?;
        let known = [codec::VERSIONS, codec::TOMBSTONES, codec::SESSIONS].contains(&relative)
            || codec::is_turns_file(relative);
        known.then(|| Canonical::state(self, Path::new(relative)))
    }

    /// Every canonical file there is, in a stable order.
    pub fn canonical(&self) -> Vec<Canonical> {
        let mut found = Vec::new();
        match &self.layout.only() {
            Some(only) => {
                let file = Canonical::memories(self, only);
                found.extend(fs::symlink_metadata(&file.path).is_ok().then_some(file));
            }
            None => self.walk("", DEEPEST, &mut found),
        }
        for name in [codec::VERSIONS, codec::TOMBSTONES, codec::SESSIONS] {
            let file = Canonical::state(self, Path::new(name));
            found.extend(fs::symlink_metadata(&file.path).is_ok().then_some(file));
        }
        for entry in fs::read_dir(self.state.join(codec::TURNS)).into_iter().flatten().flatten() {
            let relative = Path::new(codec::TURNS).join(entry.file_name());
            found.push(Canonical::state(self, &relative));
        }
        found.sort();
        found
    }

    fn walk(&self, folder: &str, depth: usize, found: &mut Vec<Canonical>) {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            // Listed as if it were a file: reading it is then the error that names it, and
            // nothing in it is taken for deleted.
            Err(_) => return found.push(Canonical::memories(self, folder)),
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let relative = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            // A link to a folder is not followed; a link in place of a file is found, and
            // refused when it is read.
            // So is a folder that bears the name of a memory file.
            match entry.file_type() {
                Ok(_) if self.layout.owns(&relative) => {
                    found.push(Canonical::memories(self, &relative));
                }
                Ok(kind) if kind.is_dir() && depth > 1 => self.walk(&relative, depth - 1, found),
                _ => {}
            }
        }
    }

    /// Whether every file looks as the index knows it. Reads no content.
    fn is_fresh(&self) -> Result<bool> {
        if self.has_journal() {
            return Ok(false);
        }
        let known = self.index.shared().with_reader(super::refresh::known_stamps)?;
        let present = self.canonical();
        let same = |file: &Canonical| {
            known.get(&file.name).is_some_and(|known| {
                !known.young && stamp::look(&file.path).as_ref() == Some(&known.look)
            })
        };
        Ok(present.len() == known.len() && present.iter().all(same))
    }
}

/// Makes the index agree with the files. Takes the lock only if it does not.
pub fn ensure_fresh(shared: &Shared) -> Result<()> {
    if shared.is_fresh()? {
        return Ok(());
    }
    let _guard = shared.lock()?;
    shared.refresh()
}

/// Bytes of every file, the index included.
pub fn bytes(shared: &Shared) -> u64 {
    let size = |path: &Path| fs::metadata(path).map(|found| found.len()).unwrap_or_default();
    let canonical: u64 = shared.canonical().iter().map(|file| size(&file.path)).sum();
    let index = ["index.db", "index.db-wal", "index.db-shm"];
    canonical + index.iter().map(|name| size(&shared.state.join(name))).sum::<u64>()
}

/// Looks at every file: what cannot be read, what is odd, what was set aside.
pub fn check(shared: &Shared) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = shared.canonical();
    for file in &files {
        if let Err(error) = look_at(shared, file, &mut findings) {
            let hint = error.hint().unwrap_or("look at the file").to_owned();
            findings.push(Finding::failure("file", error.to_string(), hint));
        }
    }
    for left in fs::read_dir(shared.conflicts()).into_iter().flatten().flatten() {
        findings.push(Finding::warning(
            "set aside",
            format!(
                "{} could not be put in place, because the file was edited",
                left.path().display()
            ),
            "take from it what you need, then remove it",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok("files", format!("all {} can be read", files.len())));
    }
    findings
}

fn look_at(shared: &Shared, file: &Canonical, findings: &mut Vec<Finding>) -> Result<()> {
    let Some(snapshot) = stamp::read(&file.path)? else { return Ok(()) };
    if let Some(relative) = file.relative() {
        let (bytes, fallback) = (&snapshot.bytes, stamp::modified(&file.path));
        let parsed = shared.parse(Source { path: relative, bytes, fallback }, &HashSet::new())?;
        for note in parsed.notes {
            findings.push(Finding::warning("file", note, "look at that place in the file"));
        }
    } else {
        codec::read_lines::<serde_json::Value>(&file.path, &snapshot.bytes)?;
        let found = permissions(&file.path);
        findings.extend((found.severity != nuthatch::store::Severity::Ok).then_some(found));
    }
    Ok(())
}

/// A failure of the index.
pub fn index_error(shared: &Shared, error: rusqlite::Error) -> nuthatch::Error {
    sql_error(&shared.state.join("index.db"), error)
}
