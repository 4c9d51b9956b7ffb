//! Switches learning from sessions on, in the user's own file: a repository may not.
//!
//! The file is changed in one line and keeps every other byte; what comes of it has passed the
//! reader that will read it later.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use nuthatch::error::{Error, Result};

use crate::cli::Globals;
use crate::config::{ConfigFile, file};
use crate::output::Output;
use crate::private;
use crate::wiring;

/// The section, and what stands in it.
const SECTION: &str = "[memories]";
const ENABLED: &str = "enabled = true";

/// Switches it on, and says where.
pub fn switch_on(globals: &Globals, out: &mut Output) -> Result<()> {
    let config = wiring::configuration(&wiring::find_root(globals)?, globals)?;
    let path = &config.places().config_file;
    if config.settings().memories.enabled {
        return Ok(());
    }
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("cannot write {}: {error}", path.display())).with_source(error)
    };
    // Where people keep the file elsewhere, a link stays a link.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let text = match fs::read_to_string(&real) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    let bytes = switched(&text).into_bytes();
    let changed = ConfigFile { path: path.clone(), bytes };
    let is_switched = file::read(&changed, file::Owner::User)
        .is_ok_and(|read| read.iter().any(|one| one.key.name == "memories.enabled"));
    if !is_switched {
        let message = format!("{} cannot be changed safely", path.display());
        let hint = format!("write `{ENABLED}` below {SECTION} there yourself");
        return Err(Error::conflict(message).with_hint(hint));
    }
    replace(&real, &changed.bytes).map_err(failed)?;
    out.note(format_args!("switched learning from sessions on in {}", path.display()))
}

/// The text with learning switched on.
fn switched(text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(section) = lines.iter().position(|line| line.trim() == SECTION) else {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{text}{gap}{SECTION}\n{ENABLED}\n");
    };
    let after = section + 1;
    let ours = lines[after..].iter().take_while(|line| !line.trim_start().starts_with('['));
    let is_switch =
        |line: &&str| line.split_once('=').is_some_and(|(name, _)| name.trim() == "enabled");
    let switch = ours.copied().position(|line| is_switch(&line));
    let line = format!("{ENABLED}\n");
    match switch {
        Some(at) => lines[after + at] = &line,
        None => lines.insert(after, &line),
    }
    lines.concat()
}

/// Puts bytes in a file's place, whole or not at all.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private::folder(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(path).map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::switched;

    #[test]
    fn learning_is_switched_on_and_everything_else_stays() {
        for (before, after) in [
            ("", "[memories]\nenabled = true\n"),
            ("[recall]\nlimit = 3", "[recall]\nlimit = 3\n\n[memories]\nenabled = true\n"),
            ("[memories]\nagents = []\n", "[memories]\nenabled = true\nagents = []\n"),
            (
                "# mine\n[memories]\n# off\nenabled = false\n[recall]\nlimit = 3\n",
                "# mine\n[memories]\n# off\nenabled = true\n[recall]\nlimit = 3\n",
            ),
        ] {
            assert_eq!(switched(before), after);
        }
    }
}
