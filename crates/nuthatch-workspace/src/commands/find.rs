//! Finds custom commands: files of the project and of the user.
//!
//! `commands/a/b.toml` is the command `a:b`. A file may hold its keys in a `[command]` table
//! or flat. One that cannot be used is listed with the reason and hides nothing else; links
//! are not followed, because a repository could point them anywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use serde::{Deserialize, Serialize};

use super::Template;
use crate::disk;

/// A template is not longer than this.
const LONGEST: u64 = 64 << 10;

/// Folders in folders, at most.
const DEEPEST: usize = 5;

/// More commands than anybody can tell apart.
const MOST: usize = 1000;

/// Whose a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's own, trusted.
    User,
    /// The project's: it came with the repository and needs trust.
    Project,
}

/// A command as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name, by its place.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it expands to.
    pub template: Template,
    /// Whose it is.
    pub origin: Origin,
    /// Its file.
    pub path: PathBuf,
    /// The whole file, which trust is about.
    pub content: Vec<u8>,
}

/// A file that is no command, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unusable {
    /// The name it would have.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

/// All commands that can be run at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// By name; a project's command stands before the user's of the same name.
    pub commands: BTreeMap<String, Definition>,
    /// What could not be read.
    pub unusable: Vec<Unusable>,
}

impl Catalogue {
    /// Reads the user's commands and then those of the project.
    #[must_use]
    pub fn read(user: Option<&Path>, project: &Path) -> Catalogue {
        let mut catalogue = Catalogue::default();
        let places = user.map(|user| (user, Origin::User));
        for (folder, origin) in places.into_iter().chain([(project, Origin::Project)]) {
            catalogue.folder(folder, "", origin, 0);
        }
        catalogue
    }

    /// The command of that name.
    ///
    /// # Errors
    /// `not_found`, or `invalid` with the reason where its file cannot be used.
    pub fn find(&self, name: &str) -> Result<&Definition> {
        if let Some(definition) = self.commands.get(name) {
            return Ok(definition);
        }
        if let Some(unusable) = self.unusable.iter().find(|unusable| unusable.name == name) {
            return Err(Error::invalid(format!("`{name}` cannot be used: {}", unusable.why)));
        }
        Err(Error::not_found(format!("there is no command `{name}`"))
            .with_hint("`nuthatch run --list` shows those there are"))
    }

    fn folder(&mut self, folder: &Path, prefix: &str, origin: Origin, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let is_command = path.extension().is_some_and(|end| end == "toml");
            let name = format!("{prefix}{stem}");
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() && depth < DEEPEST {
                if is_plain(stem) && path.extension().is_none() {
                    self.folder(&path, &format!("{name}:"), origin, depth + 1);
                }
            } else if is_command && self.commands.len() < MOST {
                match definition(&path, &name, origin) {
                    Ok(definition) => {
                        self.unusable.retain(|unusable| unusable.name != name);
                        self.commands.insert(name, definition);
                    }
                    Err(error) => {
                        // What a project means by a name is not replaced by something else.
                        self.commands.remove(&name);
                        self.unusable.push(Unusable { name, why: error.to_string() });
                    }
                }
            }
        }
    }
}

/// The keys of a command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: Option<String>,
    #[serde(default)]
    description: String,
    template: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tabled {
    command: Keys,
}

fn definition(path: &Path, name: &str, origin: Origin) -> Result<Definition> {
    let last = name.rsplit(':').next().unwrap_or(name);
    if !is_plain(last) {
        return Err(Error::invalid("its name may hold letters, digits, dashes and underscores"));
    }
    let content = disk::read(path, LONGEST)?.ok_or_else(|| Error::not_found("it is gone"))?;
    let text = std::str::from_utf8(&content).map_err(|_| Error::invalid("it is not UTF-8 text"))?;
    let keys = keys(text)?;
    if let Some(own) = keys.name.as_deref().filter(|own| *own != last && *own != name) {
        return Err(Error::invalid(format!("it calls itself `{own}`, but its place is `{name}`")));
    }
    Ok(Definition {
        name: name.to_owned(),
        description: keys.description.trim().to_owned(),
        template: Template::parse(&keys.template)?,
        origin,
        path: path.to_owned(),
        content,
    })
}

fn keys(text: &str) -> Result<Keys> {
    let table: toml::Table = toml::from_str(text).map_err(|error| unreadable(&error))?;
    match table.contains_key("command") {
        true => toml::from_str(text).map(|tabled: Tabled| tabled.command),
        false => toml::from_str(text),
    }
    .map_err(|error| unreadable(&error))
}

fn unreadable(error: &toml::de::Error) -> Error {
    Error::invalid(error.message().trim().to_owned())
        .with_hint("a command has `description` and `template`")
}

fn is_plain(name: &str) -> bool {
    let right = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(right)
}
