//! Generated documents in a folder for each project, with their generations beside them.
//!
//! `<project>/MEMORY.md` and the rest are what people and agents read. A set is written whole
//! into `.generations/<n>/` first; the rename of that folder is the moment at which it holds.
//! Then the visible files are brought into line, and `published` says that they are: whoever
//! finds it behind finishes that. A lock of the operating system keeps writers apart.

mod files;
mod generations;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::path::PathBuf;

use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::failpoint;
use nuthatch::id::ProjectId;
use nuthatch::shelf::{Cleared, Documents, Edition, Generation, Present, Shelf, Staged};

use crate::disk;
use generations::{Generations, Manifest};

/// The shelf below a folder.
pub struct DiskShelf {
    root: PathBuf,
}

impl DiskShelf {
    /// The shelf in a folder, which is made when something is published.
    #[must_use]
    pub fn at(root: PathBuf) -> DiskShelf {
        DiskShelf { root }
    }

    fn project(&self, project: &ProjectId) -> Project {
        Project { folder: self.root.join(project.as_str()) }
    }

    /// Every project that has something here.
    fn projects(&self) -> Vec<ProjectId> {
        let Ok(entries) = fs::read_dir(&self.root) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter_map(|name| ProjectId::new(name).ok()).collect()
    }
}

/// One project's part of the shelf.
#[derive(Clone)]
struct Project {
    folder: PathBuf,
}

impl Project {
    fn generations(&self) -> Generations {
        Generations { folder: self.folder.join(".generations") }
    }

    /// Runs `work` with nobody else at it, once the visible files are as they should be. A
    /// project that has nothing gets no folder by being looked at.
    fn locked<R>(&self, work: impl FnOnce(&Project) -> R) -> Result<R> {
        if !self.generations().folder.is_dir() {
            return Ok(work(self));
        }
        let _guard = self.lock()?;
        self.settle()?;
        Ok(work(self))
    }

    /// Waits for its turn; the lock ends with the process, however that ends.
    fn lock(&self) -> Result<File> {
        let path = self.folder.join(".lock");
        let mut options = disk::private_options();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| disk::io_error("open", &path, error))?;
        file.lock().map_err(|error| disk::io_error("lock", &path, error))?;
        Ok(file)
    }

    /// Brings the visible files into line with the newest generation, if that was cut short.
    fn settle(&self) -> Result<()> {
        let generations = self.generations();
        let (newest, published) = (generations.newest()?, generations.published()?);
        let Some(newest) = newest.filter(|newest| Some(*newest) != published) else {
            return Ok(());
        };
        let before = match published.filter(|number| generations.has(*number)) {
            Some(number) => generations.read(number)?.0,
            None => Documents::new(),
        };
        files::replace(&self.folder, &before, &generations.read(newest)?.0)?;
        failpoint::reach("shelf: published");
        generations.note_published(newest)
    }

    fn present(&self) -> Result<Present> {
        let generations = self.generations();
        let generation = generations.published()?.filter(|number| generations.has(*number));
        let ours = match generation {
            Some(number) => generations.read(number)?.0,
            None => Documents::new(),
        };
        let documents = files::read_all(&self.folder)?;
        let is_ours = |name: &String, text: &String| ours.get(name) == Some(text);
        let foreign = documents.iter().filter(|(name, text)| !is_ours(name, text));
        let by_hand = foreign.map(|(name, _)| name.clone()).collect();
        Ok(Present { generation, documents, by_hand })
    }

    /// Whether a document of any generation, or one that is visible, holds one of the words.
    fn mentions(&self, words: &[String]) -> Result<bool> {
        let generations = self.generations();
        let mut sets = vec![files::read_all(&self.folder)?];
        for number in generations.numbers()? {
            sets.push(generations.read(number)?.0);
        }
        let holds = |text: &String| words.iter().any(|word| text.contains(word));
        Ok(sets.iter().any(|documents| documents.values().any(holds)))
    }

    fn clear(&self) -> Result<Cleared> {
        let generations = self.generations();
        let numbers = generations.numbers()?;
        let ours = match generations.published()?.filter(|number| numbers.contains(number)) {
            Some(number) => generations.read(number)?.0,
            None => Documents::new(),
        };
        let documents = files::remove(&self.folder, &ours)?;
        generations.remove_all()?;
        Ok(Cleared { documents, generations: numbers.len() as u64 })
    }
}

/// A set in a folder that has no number yet.
struct StagedSet {
    project: Project,
    folder: PathBuf,
    seen: Option<u64>,
    at: Timestamp,
}

impl Staged for StagedSet {
    fn publish(self: Box<Self>) -> Result<u64> {
        let generations = self.project.generations();
        let _guard = self.project.lock()?;
        self.project.settle()?;
        let present = self.project.present()?;
        if present.generation != self.seen {
            return Err(overtaken());
        }
        // What people changed since is a generation of its own, so that nothing of it is lost.
        generations.keep_by_hand(&present, self.seen, self.at)?;
        let number = generations.commit(&self.folder)?;
        failpoint::reach("shelf: committed");
        self.project.settle()?;
        generations.drop_oldest()?;
        Ok(number)
    }
}

impl Drop for StagedSet {
    fn drop(&mut self) {
        // What could not be removed is removed with the next set.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn overtaken() -> Error {
    Error::conflict("other documents were published meanwhile")
        .with_hint("nothing was changed; run it again")
}

impl Shelf for DiskShelf {
    fn present(&self, project: &ProjectId) -> Result<Present> {
        self.project(project).locked(Project::present)?
    }

    fn log(&self, project: &ProjectId) -> Result<Vec<Generation>> {
        self.project(project).locked(|one| one.generations().log())?
    }

    fn generation(&self, project: &ProjectId, number: u64) -> Result<Documents> {
        self.project(project).locked(|one| {
            let generations = one.generations();
            if !generations.has(number) {
                return Err(Error::not_found(format!("there is no generation {number}"))
                    .with_hint("`nuthatch memory log` lists those that are kept"));
            }
            Ok(generations.read(number)?.0)
        })?
    }

    fn stage(&self, project: &ProjectId, edition: &Edition<'_>) -> Result<Box<dyn Staged>> {
        let one = self.project(project);
        disk::create_private_dir(&self.root)?;
        disk::refuse_links(&self.root, &one.generations().folder)?;
        disk::create_private_dir(&one.generations().folder)?;
        let _guard = one.lock()?;
        one.settle()?;
        if one.present()?.generation != edition.seen {
            return Err(overtaken());
        }
        let manifest = Manifest { at: edition.at, why: edition.why.to_owned() };
        let folder = one.generations().stage(edition.documents, &manifest)?;
        failpoint::reach("shelf: staged");
        Ok(Box::new(StagedSet { project: one, folder, seen: edition.seen, at: edition.at }))
    }

    fn document(&self, project: &ProjectId, name: &str) -> Result<String> {
        self.project(project).locked(|one| files::read_inside(&one.folder, name))?
    }

    fn mentioning(&self, words: &[String]) -> Result<Vec<ProjectId>> {
        let mut found = Vec::new();
        for project in self.projects() {
            let holds = self.project(&project).locked(|one| one.mentions(words))??;
            if holds {
                found.push(project);
            }
        }
        Ok(found)
    }

    fn forget_earlier(&self, project: &ProjectId) -> Result<()> {
        self.project(project).locked(|one| one.generations().drop_all_but_newest())?
    }

    fn clear(&self, project: &ProjectId) -> Result<Cleared> {
        self.project(project).locked(Project::clear)?
    }

    fn place(&self, project: &ProjectId) -> String {
        self.project(project).folder.display().to_string()
    }
}
