//! Where a store is: `sqlite:PATH`, `markdown:DIR`, `json:PATH`, `postgres://…`, `memory:`, or a
//! plain path.
//!
//! A plain path is told by its ending. Relative paths are taken from a base folder that the
//! caller names; nothing here looks at the disk.

use std::fmt;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

/// Names a store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreUrl {
    /// In RAM, gone with the process: for tests and trials.
    Memory,
    /// One SQLite file.
    Sqlite(PathBuf),
    /// A folder of Markdown files.
    Markdown(PathBuf),
    /// One JSON file.
    Json(PathBuf),
    /// A PostgreSQL database, as one tenant.
    #[cfg(feature = "postgres")]
    Postgres(crate::PostgresAddress),
}

impl StoreUrl {
    /// Reads a URL or a plain path; a relative path is taken from `base`.
    ///
    /// # Errors
    /// Of kind `invalid`, naming the forms there are.
    pub fn parse(text: &str, base: &Path) -> Result<Self> {
        let text = text.trim();
        let place = |path: &str| match path {
            "" => Err(unknown(text)),
            path => Ok(base.join(path)),
        };
        match text.split_once(':') {
            Some(("memory", "")) => Ok(StoreUrl::Memory),
            Some(("sqlite", path)) => Ok(StoreUrl::Sqlite(place(path)?)),
            Some(("markdown", path)) => Ok(StoreUrl::Markdown(place(path)?)),
            Some(("json", path)) => Ok(StoreUrl::Json(place(path)?)),
            #[cfg(feature = "postgres")]
            Some(("postgres" | "postgresql", _)) => {
                crate::PostgresAddress::parse(text).map(StoreUrl::Postgres)
            }
            // A scheme is at least two letters: `C:\memory` is a path.
            Some((scheme, _)) if scheme.len() > 1 && !scheme.contains(['/', '.', '\\']) => {
                Err(unknown(text))
            }
            _ => Self::by_ending(place(text)?),
        }
    }

    fn by_ending(path: PathBuf) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("db" | "sqlite" | "sqlite3") => Ok(StoreUrl::Sqlite(path)),
            Some("json") => Ok(StoreUrl::Json(path)),
            None => Ok(StoreUrl::Markdown(path)),
            Some(ending) => Err(Error::invalid(format!(
                "a path that ends in .{ending} does not say which kind of store it is"
            ))
            .with_hint("end it in .db or .json, name a folder, or write sqlite:, markdown: or json: before it")),
        }
    }

    /// The backend's name.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        match self {
            StoreUrl::Memory => "memory",
            StoreUrl::Sqlite(_) => "sqlite",
            StoreUrl::Markdown(_) => "markdown",
            StoreUrl::Json(_) => "json",
            #[cfg(feature = "postgres")]
            StoreUrl::Postgres(_) => "postgres",
        }
    }

    /// Where it is on disk, if it is.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            StoreUrl::Memory => None,
            #[cfg(feature = "postgres")]
            StoreUrl::Postgres(_) => None,
            StoreUrl::Sqlite(path) | StoreUrl::Markdown(path) | StoreUrl::Json(path) => Some(path),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "postgres")]
        if let StoreUrl::Postgres(address) = self {
            return address.fmt(f);
        }
        write!(f, "{}:", self.backend())?;
        self.path().map_or(Ok(()), |path| write!(f, "{}", path.display()))
    }
}

fn unknown(text: &str) -> Error {
    // A URL may carry a password after its scheme: only the scheme is repeated.
    let scheme = text.split(':').next().unwrap_or_default();
    Error::invalid(format!("not a store: {scheme:?}")).with_hint(
        "sqlite:PATH, markdown:DIR, json:PATH, postgres://…, or a path that ends in .db or .json",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String> {
        StoreUrl::parse(text, Path::new("/base")).map(|url| url.to_string())
    }

    #[test]
    fn a_url_names_backend_and_place() {
        assert_eq!(parse("sqlite:/a/b.db").unwrap(), "sqlite:/a/b.db");
        assert_eq!(parse("markdown:notes").unwrap(), "markdown:/base/notes");
        assert_eq!(parse("json:m.json").unwrap(), "json:/base/m.json");
        assert_eq!(parse("memory:").unwrap(), "memory:");
    }

    #[test]
    fn a_plain_path_is_told_by_its_ending() {
        assert_eq!(parse("x.db").unwrap(), "sqlite:/base/x.db");
        assert_eq!(parse("/tmp/x.json").unwrap(), "json:/tmp/x.json");
        assert_eq!(parse("notes").unwrap(), "markdown:/base/notes");
        assert!(parse("x.txt").is_err());
    }

    #[test]
    fn an_unknown_scheme_is_refused_without_repeating_what_follows() {
        let error = parse("mysql://me:hunter2@host/db").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
        assert!(parse("").is_err() && parse("sqlite:").is_err() && parse("memory:x").is_err());
    }
}
