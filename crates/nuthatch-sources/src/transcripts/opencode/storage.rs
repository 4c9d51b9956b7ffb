//! OpenCode's files of older versions: one for the session, one for each message and part.
//!
//! Two layouts: parts in folders by message, or all in one folder, naming their message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::folder;
use super::super::json::Object;
use super::super::telling::Telling;
use super::super::watermark::Stamp;
use super::super::{Found, Located};
use super::{head, part};

/// Longest file of one message or part.
const LONGEST: u64 = 16 << 20;

/// The sessions in `storage/session/<project>/`.
pub(super) fn discover(storage: &Path, found: &mut Found) {
    let mut sessions = folder::ending(&storage.join("session"), 2, "json", found);
    sessions.retain(|(path, _)| !is_of_message(path));
    for (path, metadata) in sessions {
        let Ok((text, _)) = folder::whole(&path, LONGEST) else {
            found.skip("file not read");
            continue;
        };
        let Some(info) = Object::parse(&text).ok().filter(|info| info.raw("id").is_some()) else {
            found.skip("no session in it");
            continue;
        };
        let head = head(&info);
        let files = messages(&path, &head.id);
        let newest = files.iter().map(|(_, stamp)| stamp.modified).max().unwrap_or_default();
        let own = Stamp::of(&metadata);
        let modified = head.updated_at.map_or(own.modified, |at| at.as_microsecond());
        let stamp = Stamp { size: files.len() as u64, modified: modified.max(newest) };
        found.sessions.push(Located { path, head, stamp, span: None });
    }
}

/// The sessions of the first layout: `project/<folder>/storage/session/{info,message,part}`.
pub(super) fn discover_oldest(projects: &Path, found: &mut Found) {
    let Ok(projects) = projects.read_dir() else { return };
    for project in projects.flatten() {
        discover(&project.path().join("storage"), found);
    }
}

/// Whether a file below `session/` is one of a message or part, as in the first layout.
fn is_of_message(path: &Path) -> bool {
    let folders = path.ancestors().skip(1).take(3).filter_map(|folder| folder.file_name());
    folders.into_iter().any(|name| name == "message" || name == "part")
}

/// The folder that holds `message` and `part`.
fn base(session: &Path) -> Option<PathBuf> {
    session
        .ancestors()
        .skip(1)
        .take(3)
        .map(Path::to_owned)
        .find(|base| base.join("message").is_dir())
}

/// The files of a session's messages, in order.
fn messages(session: &Path, id: &str) -> Vec<(PathBuf, Stamp)> {
    let Some(base) = base(session) else { return Vec::new() };
    listed(&base.join("message").join(id))
}

fn listed(folder: &Path) -> Vec<(PathBuf, Stamp)> {
    let mut ignored = Found::default();
    let files = folder::ending(folder, 0, "json", &mut ignored);
    files.into_iter().map(|(path, metadata)| (path, Stamp::of(&metadata))).collect()
}

/// Tells a session.
pub(super) fn tell(session: &Located, info: &Object<'_>, telling: &mut Telling<'_>) {
    let Some(base) = base(&session.path) else { return };
    let revert = info.inner("revert").said("messageID");
    let parts = Parts::of(&base, &session.head.id);
    let mut aside = false;
    for (path, _) in messages(&session.path, &session.head.id) {
        if telling.is_over() {
            break;
        }
        let Some(text) = read(&path, telling) else { continue };
        let info = match Object::parse(&text) {
            Ok(info) => info,
            Err(kind) => {
                telling.skip(kind);
                continue;
            }
        };
        let id = info.said("id").unwrap_or_default();
        aside |= revert.as_deref() == Some(&id);
        let texts: Vec<String> =
            parts.of_message(&id).into_iter().filter_map(|path| read(&path, telling)).collect();
        let mut parsed = Vec::new();
        for text in &texts {
            match Object::parse(text) {
                Ok(part) => parsed.push(part),
                Err(kind) => telling.skip(kind),
            }
        }
        part::message(&info, parsed.into_iter(), aside, telling);
    }
}

/// A file, or nothing, counted.
fn read(path: &Path, telling: &mut Telling<'_>) -> Option<String> {
    let read = folder::whole(path, LONGEST);
    if read.is_err() {
        telling.skip("file not read");
    }
    read.ok().map(|(text, _)| text)
}

/// Where the parts of messages lie: in folders by message, or all in one.
struct Parts {
    folders: Vec<PathBuf>,
    loose: BTreeMap<String, Vec<PathBuf>>,
}

impl Parts {
    fn of(base: &Path, session: &str) -> Parts {
        let part = base.join("part");
        let mut loose: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for (path, _) in listed(&part) {
            let text = folder::whole(&path, LONGEST).map(|(text, _)| text).unwrap_or_default();
            let message = Object::parse(&text).ok().and_then(|part| part.said("messageID"));
            if let Some(message) = message {
                loose.entry(message).or_default().push(path);
            }
        }
        Parts { folders: vec![part.clone(), part.join(session)], loose }
    }

    fn of_message(&self, message: &str) -> Vec<PathBuf> {
        // An id is a name, never a way to elsewhere.
        if message.is_empty() || message.contains(['/', '\\']) || message.starts_with('.') {
            return Vec::new();
        }
        let lying = self.folders.iter().flat_map(|folder| listed(&folder.join(message)));
        let loose = self.loose.get(message).into_iter().flatten().cloned();
        lying.map(|(path, _)| path).chain(loose).collect()
    }
}
