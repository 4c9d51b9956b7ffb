//! The six file commands of the memory tool `memory_20250818`, over `/memories`.
//!
//! A file is a memory: its path is the key and the first line, so that it is scanned,
//! searched, versioned and forgotten like any other. Nothing is ever resolved on a disk.
//! What is answered are the sentences models were taught; `files` keeps the files, `path`
//! says which paths there are, `view` what they look like.

mod files;
mod path;
mod view;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::place::Place;
use files::{File, Files};
use path::FilePath;

/// Lines of a snippet before and after an edit.
const AROUND: usize = 4;
/// Tries of an edit that somebody else's edit overtakes.
const TRIES: usize = 5;

/// A command, as the model sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Command {
    /// Shows a folder or a file.
    View {
        /// Of what.
        path: String,
        /// Only from this line to that one; -1 means the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        view_range: Option<[i64; 2]>,
    },
    /// Makes a file.
    Create {
        /// Where.
        path: String,
        /// What is in it.
        file_text: String,
    },
    /// Replaces a text that occurs once.
    StrReplace {
        /// In which file.
        path: String,
        /// The text to replace.
        old_str: String,
        /// What stands there afterwards; nothing if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new_str: Option<String>,
    },
    /// Inserts a text after a line.
    Insert {
        /// In which file.
        path: String,
        /// After which line; 0 is the beginning.
        insert_line: i64,
        /// What to insert.
        insert_text: String,
    },
    /// Removes a file, or a folder and everything in it.
    Delete {
        /// Which.
        path: String,
    },
    /// Moves a file or a folder.
    Rename {
        /// From here.
        old_path: String,
        /// To there, where nothing may be yet.
        new_path: String,
    },
}

/// What the model is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Told {
    /// The text of the tool's result.
    pub content: String,
    /// Whether it tells of a failure.
    pub is_error: bool,
}

/// Why a command was not carried out, in the words the model knows.
struct Refused(String);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Refused(format!("Error: {error}{hint}"))
    }
}

type Answer = Result<String, Refused>;

/// Carries out a command. Never fails: a failure is an answer.
pub async fn run(place: &Place, command: &Command) -> Told {
    match carry_out(place, command).await {
        Ok(content) => Told { content, is_error: false },
        Err(Refused(content)) => Told { content, is_error: true },
    }
}

async fn carry_out(place: &Place, command: &Command) -> Answer {
    let files = Files::of(place);
    match command {
        Command::View { path, view_range } => view(&files, path, *view_range).await,
        Command::Create { path, file_text } => create(&files, path, file_text).await,
        Command::StrReplace { path, old_str, new_str } => {
            replace(&files, path, old_str, new_str.as_deref().unwrap_or_default()).await
        }
        Command::Insert { path, insert_line, insert_text } => {
            insert(&files, path, *insert_line, insert_text).await
        }
        Command::Delete { path } => delete(&files, path).await,
        Command::Rename { old_path, new_path } => rename(&files, old_path, new_path).await,
    }
}

async fn view(files: &Files<'_>, path: &str, range: Option<[i64; 2]>) -> Answer {
    let at = FilePath::parse(path)?;
    let below = files.below(&at).await?;
    match below.iter().find(|file| file.path == at) {
        Some(file) => view::file(path, &file.text, range),
        None if below.is_empty() && !at.is_root() => {
            Err(Refused(format!("The path {path} does not exist. Please provide a valid path.")))
        }
        None => Ok(view::folder(&at, &below)),
    }
}

async fn create(files: &Files<'_>, path: &str, text: &str) -> Answer {
    let at = FilePath::parse(path)?;
    if at.is_root() || !files.below(&at).await?.is_empty() {
        return Err(Refused(format!("Error: File {path} already exists")));
    }
    for parent in at.parents() {
        if files.find(&parent).await?.is_some() {
            return Err(Refused(format!("Error: {parent} is a file, not a directory")));
        }
    }
    files.store(&at, text).await?;
    Ok(format!("File created successfully at: {path}"))
}

/// Changes a file by `edit`, again from the start when somebody else was faster.
async fn change(
    files: &Files<'_>,
    path: &str,
    missing: &str,
    edit: impl Fn(&str) -> Result<String, Refused>,
) -> Result<(String, String), Refused> {
    let at = FilePath::parse(path)?;
    for _ in 0..TRIES {
        let Some(file) = files.find(&at).await? else {
            return Err(Refused(missing.to_owned()));
        };
        let text = edit(&file.text)?;
        if let Some(stored) = files.rewrite(&file, &text).await? {
            return Ok((file.text, stored));
        }
    }
    Err(Refused(format!("Error: {path} is being changed by somebody else; try again")))
}

async fn replace(files: &Files<'_>, path: &str, old: &str, new: &str) -> Answer {
    let missing = format!("Error: The path {path} does not exist. Please provide a valid path.");
    if old.is_empty() {
        return Err(Refused("Error: old_str is empty; give the exact text to replace".to_owned()));
    }
    let (before, after) = change(files, path, &missing, |text| {
        let found: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
        match found.as_slice() {
            [_] => Ok(text.replacen(old, new, 1)),
            [] => Err(Refused(format!(
                "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            ))),
            several => {
                let mut lines: Vec<String> =
                    several.iter().map(|at| line_of(text, *at).to_string()).collect();
                lines.dedup();
                Err(Refused(format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in \
                     lines: {}. Please ensure it is unique",
                    lines.join(", ")
                )))
            }
        }
    })
    .await?;
    let first = before.find(old).map_or(1, |at| line_of(&before, at));
    let last = first + new.matches('\n').count();
    let snippet = view::numbered(&after, first.saturating_sub(AROUND).max(1), last + AROUND);
    Ok(format!("The memory file has been edited.\n{snippet}"))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

async fn insert(files: &Files<'_>, path: &str, line: i64, new: &str) -> Answer {
    let missing = format!("Error: The path {path} does not exist");
    change(files, path, &missing, |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        match usize::try_from(line).ok().filter(|line| *line <= lines.len()) {
            Some(at) => {
                lines.splice(at..at, new.strip_suffix('\n').unwrap_or(new).split('\n'));
                Ok(lines.join("\n"))
            }
            None => Err(Refused(format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range \
                 of lines of the file: [0, {}]",
                lines.len()
            ))),
        }
    })
    .await?;
    Ok(format!("The file {path} has been edited."))
}

async fn delete(files: &Files<'_>, path: &str) -> Answer {
    let at = FilePath::parse(path)?;
    if at.is_root() {
        return Err(Refused(format!("Error: {path} itself cannot be deleted")));
    }
    let below = files.below(&at).await?;
    if below.is_empty() {
        return Err(Refused(format!("Error: The path {path} does not exist")));
    }
    files.remove(&below).await?;
    Ok(format!("Successfully deleted {path}"))
}

async fn rename(files: &Files<'_>, old: &str, new: &str) -> Answer {
    let (from, to) = (FilePath::parse(old)?, FilePath::parse(new)?);
    if from.is_root() || to.is_root() {
        return Err(Refused("Error: /memories itself cannot be renamed".to_owned()));
    }
    let below = files.below(&from).await?;
    if below.is_empty() {
        return Err(Refused(format!("Error: The path {old} does not exist")));
    }
    let taken = to.parents().into_iter().chain([to.clone()]);
    let mut is_taken = !files.below(&to).await?.is_empty() || from.contains(&to);
    for parent in taken {
        is_taken |= files.find(&parent).await?.is_some();
    }
    if is_taken {
        return Err(Refused(format!("Error: The destination {new} already exists")));
    }
    let moved: Vec<(File, FilePath)> = below
        .into_iter()
        .map(|file| Ok((file.clone(), file.path.moved(&from, &to)?)))
        .collect::<Result<_, Refused>>()?;
    for (file, target) in &moved {
        files.relocate(file, target).await?;
    }
    Ok(format!("Successfully renamed {old} to {new}"))
}
