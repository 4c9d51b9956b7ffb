//! Reads one configuration file into assignments, and refuses what it does not know.
//!
//! Pure: the bytes are given. A file that cannot be read is described by line and
//! column; it is never repaired and never written to.

use std::path::PathBuf;

use nuthatch::error::{Error, Kind, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{self, Key, ProjectFile};
use super::layers::{Assignment, Origin};
use super::stores;
use super::value::Value;
use super::wording::{did_you_mean, quoted};

/// A configuration file as it was found.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// Where it lies.
    pub path: PathBuf,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Whose file it is, which decides what it may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The user's own file: everything but what belongs to a project.
    User,
    /// A repository's file: nothing that spends, listens, trusts or leads elsewhere.
    Project,
}

/// The assignments of `file`, in the order they stand there.
pub fn read(file: &ConfigFile, owner: Owner) -> Result<Vec<Assignment>> {
    let name = file.path.display().to_string();
    let text = std::str::from_utf8(&file.bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&file.bytes[..error.valid_up_to()]);
        broken(&name, &position(&before, before.len()), "it is not UTF-8 text")
    })?;
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        broken(&name, &position(text, offset), error.message())
    })?;
    let mut reader = Reader { file, name, text, owner, assignments: Vec::new() };
    reader.table("", table.get_ref())?;
    Ok(reader.assignments)
}

struct Reader<'a> {
    file: &'a ConfigFile,
    name: String,
    text: &'a str,
    owner: Owner,
    assignments: Vec<Assignment>,
}

impl Reader<'_> {
    fn table(&mut self, section: &str, table: &DeTable<'_>) -> Result<()> {
        let mut items: Vec<_> = table.iter().collect();
        // The parser sorts by name; people read from the top and mend the first mistake.
        items.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in items {
            let dotted = match section {
                "" => name.get_ref().to_string(),
                _ => format!("{section}.{}", name.get_ref()),
            };
            let line = self.line(name.span().start);
            self.item(&dotted, &line, value)?;
        }
        Ok(())
    }

    fn item(&mut self, name: &str, line: &str, value: &Spanned<DeValue<'_>>) -> Result<()> {
        if let Some(key) = keys::find(name) {
            return self.assign(key, line, value.get_ref());
        }
        match value.get_ref() {
            DeValue::Table(table) if keys::is_section(name) => self.table(name, table),
            _ if keys::is_section(name) => Err(Error::invalid(format!(
                "{} is a section, not a value, in {line}",
                quoted(name)
            ))
            .with_hint(format!("write [{name}] on a line of its own"))),
            DeValue::Table(_) => {
                Err(unknown("section", name, line, keys::section_suggestion(name)))
            }
            _ => Err(unknown("key", name, line, keys::suggestion(name))),
        }
    }

    fn assign(&mut self, key: &'static Key, line: &str, value: &DeValue<'_>) -> Result<()> {
        self.permit(key, line)?;
        let value = key
            .shape
            .read_toml(value)
            .map_err(|problem| problem.at(&format!("\"{}\" in {line}", key.name)))?;
        self.confine(key, line, &value)?;
        let path = self.file.path.clone();
        let origin = match self.owner {
            Owner::User => Origin::UserFile(path),
            Owner::Project => Origin::ProjectFile(path),
        };
        self.assignments.push(Assignment { key, value, origin });
        Ok(())
    }

    /// Whether this file may set that key at all.
    fn permit(&self, key: &Key, line: &str) -> Result<()> {
        match (self.owner, key.project_file) {
            (Owner::Project, ProjectFile::MayNotSet) => Err(Error::new(
                Kind::Denied,
                format!("a project file may not set \"{}\" ({line})", key.name),
            )
            .with_hint(format!("set it in your own configuration file, or by {}", key.variable()))),
            (Owner::User, ProjectFile::AloneMaySet) => Err(Error::invalid(format!(
                "\"{}\" belongs into a project's file, not into {line}",
                key.name
            ))
            .with_hint("set it in .nuthatch/config.toml at the root of the project")),
            _ => Ok(()),
        }
    }

    /// Keeps a repository from writing outside of itself.
    fn confine(&self, key: &Key, line: &str, value: &Value) -> Result<()> {
        let Value::Text(address) = value else { return Ok(()) };
        let bound = self.owner == Owner::Project && key.project_file == ProjectFile::MaySetInside;
        if !bound || stores::relative_path(address).is_some() {
            return Ok(());
        }
        Err(stores::leads_out(&format!("\"{}\" names in {line}", key.name)))
    }

    fn line(&self, offset: usize) -> String {
        format!("{}, {}", self.name, position(self.text, offset))
    }
}

fn unknown(what: &str, name: &str, line: &str, near: Option<&str>) -> Error {
    let error = Error::invalid(format!("unknown {what} {} in {line}", quoted(name)));
    error.with_hint(match near {
        Some(near) => did_you_mean(near),
        None => "`nuthatch config show` lists every key".to_owned(),
    })
}

fn broken(name: &str, position: &str, why: &str) -> Error {
    // The parser's own words can span lines; an error is one sentence.
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::invalid(format!("cannot read {name}, {position}: {why}"))
        .with_hint("mend the file, or move it away to go on with the defaults; it was not changed")
}

/// Line and column of a byte offset, counted from one as editors do.
fn position(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    format!("line {line}, column {column}")
}
