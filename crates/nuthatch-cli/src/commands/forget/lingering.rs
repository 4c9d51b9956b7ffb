//! What a forget could not take away, said plainly.
//!
//! A file that somebody reads at that moment is emptied later, by `doctor`; what was
//! committed to a repository stays in its history, and is somebody else's to rewrite.

use std::path::PathBuf;

use nuthatch::error::Result;

use crate::output::Output;
use crate::wiring::Desk;

/// The repositories in which a store lies.
pub fn histories(desk: &Desk) -> Vec<PathBuf> {
    let repository = |path: &PathBuf| {
        path.ancestors().find(|folder| folder.join(".git").exists()).map(PathBuf::from)
    };
    let mut found: Vec<PathBuf> = desk.kept_in().iter().filter_map(repository).collect();
    found.dedup();
    found
}

/// Says what is left, and what to do about it.
pub fn say(lingers: &[String], histories: &[PathBuf], out: &mut Output) -> Result<()> {
    for file in lingers {
        out.warn(format_args!(
            "something of it can still be read in {file}, because somebody else has the store \
             open; `nuthatch doctor` empties it once they have ended"
        ))?;
    }
    histories.iter().try_for_each(|repository| {
        out.note(format_args!(
            "what was committed stays in the history of {}; copies and backups are not touched",
            repository.display()
        ))
    })
}
