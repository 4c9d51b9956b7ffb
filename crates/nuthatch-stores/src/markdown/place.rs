//! Which file a memory lives in, and what a file's path says about its memories.
//!
//! Scope and category follow from the path alone, so that moving a file moves its memories.
//! The one exception is a session whose id is too long for a folder name: its folder carries
//! a hash, and the entries name the session.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use nuthatch::category::Category;
use nuthatch::id::{ProjectId, RequirementId, SessionId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;

use crate::files::layout::RelPath;

/// Longest folder name made for a session: encrypted file systems stop at 143 bytes.
const FOLDER_BYTES: usize = 140;
/// How much of a longer one stays readable; the rest is the mark and 32 digits of hash.
const FOLDER_KEPT: usize = FOLDER_BYTES - 33;
/// Stands before the hash. Encoded ids never contain it.
const HASH_MARK: char = '~';

/// What a path says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    whose: Whose,
    holds: Holds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Whose {
    Scope(Scope),
    /// A session known only by its folder.
    Folder(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Holds {
    Category(Category),
    Day(Date),
}

/// The file a memory belongs into.
#[must_use]
pub fn path_of(memory: &Memory) -> RelPath {
    let folder = match &memory.scope {
        Scope::Global => String::new(),
        Scope::User => "user/".to_owned(),
        Scope::Project(id) => format!("projects/{id}/"),
        Scope::Session(id) => format!("sessions/{}/", folder_of(id)),
        Scope::Plan { project, requirement } => format!("plans/{project}/{requirement}/"),
    };
    match memory.category.as_str() {
        "core" => format!("{folder}MEMORY.md"),
        "daily" | "conversation" => {
            format!("{folder}memory/{}.md", memory.created_at.to_zoned(TimeZone::UTC).date())
        }
        category => format!("{folder}memory/{category}.md"),
    }
}

impl Place {
    /// Reads a path; `None` for a file that is not one of ours.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        let (whose, file): (_, &[&str]) = match parts.as_slice() {
            ["user", file @ ..] => (Whose::Scope(Scope::User), file),
            ["projects", id, file @ ..] => {
                (Whose::Scope(Scope::Project(ProjectId::new(*id).ok()?)), file)
            }
            ["plans", project, requirement, file @ ..] => {
                let project = ProjectId::new(*project).ok()?;
                let requirement = RequirementId::new(*requirement).ok()?;
                (Whose::Scope(Scope::Plan { project, requirement }), file)
            }
            ["sessions", folder, file @ ..] => (session_of(folder)?, file),
            file => (Whose::Scope(Scope::Global), file),
        };
        let holds = match file {
            ["MEMORY.md"] => Holds::Category(Category::default()),
            ["memory", name] => held_by(name.strip_suffix(".md")?)?,
            _ => return None,
        };
        Some(Place { whose, holds })
    }

    /// The scope, where the path alone says it.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        match &self.whose {
            Whose::Scope(scope) => Some(scope),
            Whose::Folder(_) => None,
        }
    }

    /// Whether memories of a scope belong here.
    #[must_use]
    pub fn fits(&self, scope: &Scope) -> bool {
        match (&self.whose, scope) {
            (Whose::Scope(own), scope) => own == scope,
            (Whose::Folder(folder), Scope::Session(id)) => folder_of(id) == *folder,
            (Whose::Folder(_), _) => false,
        }
    }

    /// Whether a memory may be written here. Its day is not checked: a person may have moved
    /// an entry to another day.
    #[must_use]
    pub fn accepts(&self, memory: &Memory) -> bool {
        let categories = [self.category(false), self.category(true)];
        self.fits(&memory.scope) && categories.contains(&memory.category)
    }

    /// Whether it is the file of a day, where a mark tells conversations from the log.
    #[must_use]
    pub fn is_dated(&self) -> bool {
        matches!(self.holds, Holds::Day(_))
    }

    /// The category of an entry with or without the mark of a conversation.
    #[must_use]
    pub fn category(&self, conversation: bool) -> Category {
        match &self.holds {
            Holds::Category(category) => category.clone(),
            Holds::Day(_) if conversation => Category::conversation(),
            Holds::Day(_) => Category::daily(),
        }
    }

    /// The beginning of the file's day.
    #[must_use]
    pub fn day(&self) -> Option<Timestamp> {
        match self.holds {
            Holds::Day(date) => Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp()),
            Holds::Category(_) => None,
        }
    }

    /// The first line of a new file.
    #[must_use]
    pub fn heading(&self) -> String {
        match &self.holds {
            Holds::Day(date) => format!("# {date}"),
            Holds::Category(category) if *category == Category::default() => "# Memory".into(),
            Holds::Category(category) => {
                let (first, rest) = category.as_str().split_at(1);
                format!("# {}{}", first.to_ascii_uppercase(), rest.replace('_', " "))
            }
        }
    }
}

/// A date must be written as we write it: two files of one day would hide each other.
fn held_by(stem: &str) -> Option<Holds> {
    match stem.parse::<Date>() {
        Ok(date) if date.to_string() == stem => Some(Holds::Day(date)),
        Ok(_) => None,
        Err(_) => Category::new(stem).ok().map(Holds::Category),
    }
}

/// The folder of a session: its id with everything but letters, digits, `.`, `_` and `-`
/// as `%XX`; one that gets too long ends in a hash.
fn folder_of(session: &SessionId) -> String {
    let mut folder = String::new();
    for (at, byte) in session.as_str().bytes().enumerate() {
        match byte {
            b'.' if at == 0 => folder.push_str("%2E"),
            b'.' | b'_' | b'-' => folder.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => folder.push(char::from(byte)),
            _ => folder.push_str(&format!("%{byte:02X}")),
        }
    }
    if folder.len() > FOLDER_BYTES {
        let hash = blake3::hash(session.as_str().as_bytes()).to_hex();
        folder.truncate(FOLDER_KEPT);
        folder.push(HASH_MARK);
        folder.push_str(&hash[..32]);
    }
    folder
}

fn session_of(folder: &str) -> Option<Whose> {
    if let Some((kept, hash)) = folder.split_once(HASH_MARK) {
        let hex = hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        return (hex && kept.len() == FOLDER_KEPT).then(|| Whose::Folder(folder.to_owned()));
    }
    let mut bytes = Vec::new();
    let mut rest = folder.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex_digit(rest.next()?)? * 16 + hex_digit(rest.next()?)?,
            _ => byte,
        });
    }
    let id = SessionId::new(String::from_utf8(bytes).ok()?).ok()?;
    // Another spelling of the same id would be a second folder for one session.
    (folder_of(&id) == folder).then_some(Whose::Scope(Scope::Session(id)))
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nuthatch::id::MemoryId;

    fn path(scope: &str, category: &str) -> String {
        let at = "2026-03-01T23:30:00Z".parse().unwrap();
        let id = MemoryId::derived(&["x"]);
        let memory = Memory::new(id, "x", scope.parse().unwrap(), at);
        path_of(&Memory { category: Category::new(category).unwrap(), ..memory })
    }

    #[test]
    fn each_scope_and_category_has_its_file() {
        for (scope, category, expected) in [
            ("global", "core", "MEMORY.md"),
            ("global", "preference", "memory/preference.md"),
            ("user", "daily", "user/memory/2026-03-01.md"),
            ("project:abc", "conversation", "projects/abc/memory/2026-03-01.md"),
            ("plan:abc:REQ-1", "core", "plans/abc/REQ-1/MEMORY.md"),
            ("session:tg:4/ü", "core", "sessions/tg%3A4%2F%C3%BC/MEMORY.md"),
            ("session:..", "core", "sessions/%2E./MEMORY.md"),
        ] {
            assert_eq!(path(scope, category), expected);
            assert!(Place::of(expected).unwrap().fits(&scope.parse().unwrap()), "{expected}");
        }
    }

    #[test]
    fn a_long_session_id_gets_a_folder_name_that_fits() {
        let ids = ["ü".repeat(512), "a".repeat(512), format!("{}b", "a".repeat(511))];
        for id in &ids {
            let path = path(&format!("session:{id}"), "core");
            assert!(path.split('/').all(|part| part.len() <= FOLDER_BYTES), "{path}");
            let place = Place::of(&path).unwrap();
            assert_eq!(place.scope(), None);
            let fitting =
                ids.iter().filter(|id| place.fits(&format!("session:{id}").parse().unwrap()));
            assert_eq!(fitting.count(), 1);
        }
    }

    #[test]
    fn foreign_files_are_not_ours() {
        for path in [
            "",
            "README.md",
            "memory.md",
            "memory/2026-3-1.md",
            "memory/Notes.md",
            "memory/a/b.md",
            "memory/a.txt",
            "projects/MEMORY.md",
            "projects/.x/MEMORY.md",
            "plans/a/MEMORY.md",
            "sessions/a b/MEMORY.md",
            "sessions/%61/MEMORY.md",
            "sessions/%/MEMORY.md",
            "/MEMORY.md",
            "../MEMORY.md",
            "projects/../MEMORY.md",
            "user/user/MEMORY.md",
        ] {
            assert_eq!(Place::of(path), None, "{path}");
        }
    }
}
