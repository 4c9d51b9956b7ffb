//! The visible files of a project: read with limits, replaced one by one, never through links.
//!
//! A skill that people wrote or changed is never written to, and never removed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::shelf::{Documents, MEMORY, SUMMARY, is_document, skill, skill_of};

use crate::disk;

/// Far more than any document has.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Every document that is there.
pub fn read_all(folder: &Path) -> Result<Documents> {
    let mut names = vec![MEMORY.to_owned(), SUMMARY.to_owned()];
    names.extend(skills(folder)?.iter().map(|name| skill(name)));
    let mut documents = Documents::new();
    for name in names {
        if let Some(text) = read(&folder.join(&name))? {
            documents.insert(name, text);
        }
    }
    Ok(documents)
}

fn skills(folder: &Path) -> Result<Vec<String>> {
    let folder = folder.join("skills");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|error| disk::io_error("list", &folder, error))?,
    };
    // A link is no folder of ours.
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter(|name| skill_of(&skill(name)).is_some()).collect())
}

fn read(path: &Path) -> Result<Option<String>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() <= LONGEST => {}
        // A link, a folder or a giant is none of ours.
        _ => return Ok(None),
    }
    let bytes = fs::read(path).map_err(|error| disk::io_error("read", path, error))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The text of a document, if it lies inside the folder once every link is resolved.
pub fn read_inside(folder: &Path, name: &str) -> Result<String> {
    let missing = || {
        Error::not_found(format!("there is no {name} here"))
            .with_hint("`nuthatch memory run` makes the documents of a project")
    };
    if !is_document(name) {
        return Err(missing());
    }
    let path = fs::canonicalize(folder.join(name)).map_err(|_| missing())?;
    let root = fs::canonicalize(folder).map_err(|_| missing())?;
    let small = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= LONGEST);
    if !path.starts_with(&root) || !small {
        return Err(missing());
    }
    let bytes = fs::read(&path).map_err(|error| disk::io_error("read", &path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes the visible files those of a set; `before` are the files as they were last published.
/// A skill that says neither what it said nor what it should say is somebody's work.
pub fn replace(folder: &Path, before: &Documents, documents: &Documents) -> Result<()> {
    disk::create_private_dir(folder)?;
    for (name, text) in documents {
        let path = folder.join(name);
        let found = read(&path)?;
        let theirs =
            skill_of(name).is_some() && found.is_some() && found.as_ref() != before.get(name);
        if found.as_ref() != Some(text) && !theirs {
            write(folder, &path, text)?;
        }
    }
    for (name, text) in before.iter().filter(|(name, _)| !documents.contains_key(*name)) {
        let path = folder.join(name);
        if skill_of(name).is_none() || read(&path)?.as_ref() == Some(text) {
            remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes the files that are as they were published; says how many there were.
pub fn remove(folder: &Path, ours: &Documents) -> Result<u64> {
    let mut removed = 0;
    for (name, text) in ours {
        let path = folder.join(name);
        let untouched = read(&path)?.as_ref() == Some(text);
        // The documents are always ours to remove; a changed skill is somebody's work.
        if untouched || (skill_of(name).is_none() && path.is_file()) {
            remove_file(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn write(folder: &Path, path: &Path, text: &str) -> Result<()> {
    disk::refuse_links(folder, path)?;
    let parent = path.parent().unwrap_or(folder);
    disk::create_private_dir(parent)?;
    let fresh = PathBuf::from(format!("{}.new", path.display()));
    disk::write_new(&fresh, text.as_bytes())?;
    fs::rename(&fresh, path).map_err(|error| disk::io_error("replace", path, error))?;
    disk::sync_dir(parent)
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(disk::io_error("remove", path, error));
        }
        _ => {}
    }
    let Some(parent) = path.parent() else { return Ok(()) };
    // The folder of a skill goes with it, unless somebody keeps more there.
    if path.ends_with("SKILL.md") && fs::remove_dir(parent).is_ok() {
        return parent.parent().map_or(Ok(()), disk::sync_dir);
    }
    disk::sync_dir(parent)
}
