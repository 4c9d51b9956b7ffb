//! Folders of memory: exports that were unpacked, plans, generated documents, notes.
//!
//! Links are not followed and nothing is gone into without end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::interchange::{Format, Telling};

use super::meaning::{Entry, Whole};
use super::{Counted, Watch, unreadable};

/// Folders inside folders: a skill of a project of a store has five.
const DEEPEST: usize = 8;
/// Files that are looked at.
const MOST_FILES: usize = 100_000;

pub(super) fn read(
    root: &Path,
    format: Option<Format>,
    telling: &mut Telling<'_>,
    watch: &mut Watch<'_>,
) -> Result<()> {
    let mut files = Vec::new();
    gather(root, 0, telling, &mut files)?;
    files.sort();
    let total = files.iter().map(|(_, size)| size).sum();
    // A plan's folder says by its own name which requirement it is.
    let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let around: Vec<String> = real.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let around = around[around.len().saturating_sub(2)..].join("/");
    let mut whole = Whole::default();
    let mut done = 0;
    for (path, size) in files {
        let below = path.strip_prefix(root).unwrap_or(&path);
        let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
        let name = parts.join("/");
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) => {
                whole.trouble(&name, &unreadable(&path, &error));
                continue;
            }
        };
        let mut nobody = |_, _| ();
        let counted = Counted { input: file, read: 0, told: 0, total: size, watch: &mut nobody };
        let entry = Entry { name: &name, around: &around, format };
        whole.take(&entry, counted, telling)?;
        done += size;
        watch(done, total);
    }
    whole.finish()
}

fn gather(
    folder: &Path,
    depth: usize,
    telling: &mut Telling<'_>,
    files: &mut Vec<(PathBuf, u64)>,
) -> Result<()> {
    let listed = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    for entry in listed {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let found = entry.metadata().map_err(|error| unreadable(&entry.path(), &error))?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if is_hidden || files.len() >= MOST_FILES {
            telling.skip("other files");
        } else if found.is_dir() && depth < DEEPEST {
            gather(&entry.path(), depth + 1, telling, files)?;
        } else if found.is_file() {
            files.push((entry.path(), found.len()));
        } else {
            telling.skip("links, pipes and folders too deep");
        }
    }
    Ok(())
}
