//! Files as memories: the path is the key, and the first line of the content.
//!
//! The first line keeps two files of one text apart, lets a file be empty, and lets recall
//! find it by its name.

use super::Refused;
use super::path::FilePath;
use crate::category::Category;
use crate::edit::EditRequest;
use crate::error::{Error, Kind, Result};
use crate::filter::{Filter, Scopes};
use crate::guard::Form;
use crate::memory::Memory;
use crate::place::Place;
use crate::remember::RememberRequest;
use crate::trust::Origin;

/// The category of files.
const CATEGORY: &str = "memory_file";
/// Largest file, in bytes: the tool's own documentation asks for a bound.
const FILE_BYTES: usize = 256 * 1024;

/// One file.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it lies.
    pub path: FilePath,
    /// What is in it.
    pub text: String,
    memory: Memory,
}

impl File {
    fn of(memory: Memory) -> Option<File> {
        let path = FilePath::stored(memory.key.as_deref()?)?;
        let text = match memory.content.split_once('\n') {
            Some((_, text)) => text.to_owned(),
            None => String::new(),
        };
        Some(File { path, text, memory })
    }
}

fn content(path: &FilePath, text: &str) -> Result<String, Refused> {
    if text.len() > FILE_BYTES {
        return Err(Refused(format!("Error: a file holds at most {FILE_BYTES} bytes")));
    }
    Ok(format!("{path}\n{text}"))
}

/// The files of a place.
pub struct Files<'a> {
    place: &'a Place,
}

impl<'a> Files<'a> {
    pub(super) fn of(place: &'a Place) -> Self {
        Files { place }
    }

    fn filter(&self) -> Result<Filter> {
        let mut filter = Filter::scoped(Scopes::These(vec![self.place.home().clone()]));
        filter.categories = vec![Category::new(CATEGORY)?];
        Ok(filter)
    }

    /// The file at a path and everything below it, by path.
    pub(super) async fn below(&self, path: &FilePath) -> Result<Vec<File>> {
        let memories = self.place.engine().meant(&self.filter()?).await?;
        let mut files: Vec<File> = memories.into_iter().filter_map(File::of).collect();
        files.retain(|file| path.contains(&file.path));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// The file at a path.
    pub(super) async fn find(&self, path: &FilePath) -> Result<Option<File>> {
        let mut filter = self.filter()?;
        filter.key = Some(path.as_str().to_owned());
        let found = self.place.engine().meant(&filter).await?.into_iter().next();
        Ok(found.and_then(File::of))
    }

    /// Makes a file.
    pub(super) async fn store(&self, path: &FilePath, text: &str) -> Result<(), Refused> {
        let request = RememberRequest {
            form: Form::Note,
            key: Some(path.as_str().to_owned()),
            category: Some(Category::new(CATEGORY)?),
            origin: Origin::Agent,
            ..RememberRequest::new(content(path, text)?, self.place.home().clone())
        };
        let remembered = self.place.engine().remember(request).await?;
        if remembered.kept() {
            return Ok(());
        }
        Err(Error::conflict("there is no room for another file").into())
    }

    /// Gives a file another text, and says which was stored; nothing, when somebody else
    /// changed it first.
    pub(super) async fn rewrite(&self, file: &File, text: &str) -> Result<Option<String>, Refused> {
        let mut request = EditRequest::new(file.memory.id);
        request.content = Some(content(&file.path, text)?);
        self.edit(file, request).await
    }

    /// Gives a file another place.
    pub(super) async fn relocate(&self, file: &File, to: &FilePath) -> Result<(), Refused> {
        let mut request = EditRequest::new(file.memory.id);
        request.key = Some(Some(to.as_str().to_owned()));
        request.content = Some(content(to, &file.text)?);
        match self.edit(file, request).await? {
            Some(_) => Ok(()),
            None => Err(Error::conflict(format!("{to} changed meanwhile")).into()),
        }
    }

    async fn edit(&self, file: &File, mut request: EditRequest) -> Result<Option<String>, Refused> {
        request.form = Some(Form::Note);
        request.origin = Origin::Agent;
        request.expected = Some(file.memory.updated_at);
        match self.place.engine().edit(request).await {
            Ok(shown) => Ok(File::of(shown.memory).map(|file| file.text)),
            Err(error) if matches!(error.kind(), Kind::Conflict | Kind::NotFound) => {
                match self.find(&file.path).await? {
                    Some(now) if now.memory.updated_at == file.memory.updated_at => {
                        Err(error.into())
                    }
                    _ => Ok(None),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Removes files, all or none.
    pub(super) async fn remove(&self, files: &[File]) -> Result<()> {
        let ids: Vec<_> = files.iter().map(|file| file.memory.id).collect();
        self.place.engine().forget(&ids).await.map(|_| ())
    }
}
