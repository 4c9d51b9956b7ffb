//! What folders and files look like to a model.
//!
//! Only shows; what there is to show is in `files`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::files::File;
use super::path::FilePath;
use super::{Answer, Refused};

/// Most lines a file can be shown with.
const MOST_LINES: usize = 999_999;
/// Characters of a view; beyond that the model is asked for a range.
const VIEW_CHARS: usize = 16_000;
/// How deep a folder is shown.
const LEVELS: usize = 2;

/// A folder: sizes and paths, two levels deep.
pub fn folder(at: &FilePath, files: &[File]) -> String {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    sizes.insert(at.to_string(), files.iter().map(|file| file.text.len()).sum());
    for file in files {
        let Some(inside) = at.inside(&file.path) else { continue };
        let parts: Vec<&str> = inside.split('/').collect();
        for depth in 1..=parts.len().min(LEVELS) {
            let shown = &parts[..depth];
            if shown.iter().any(|part| part.starts_with('.') || *part == "node_modules") {
                break;
            }
            *sizes.entry(format!("{at}/{}", shown.join("/"))).or_default() += file.text.len();
        }
    }
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {at}, excluding hidden items \
         and node_modules:"
    );
    for (path, bytes) in sizes {
        let _ = write!(text, "\n{}\t{path}", size(bytes));
    }
    text
}

fn size(bytes: usize) -> String {
    let kilo = bytes as f64 / 1024.0;
    match bytes {
        0..1024 => format!("{bytes}B"),
        1024..1_048_576 => format!("{kilo:.1}K"),
        _ => format!("{:.1}M", kilo / 1024.0),
    }
}

/// A file, or some of its lines.
pub fn file(path: &str, text: &str, range: Option<[i64; 2]>) -> Answer {
    let lines = text.lines().count();
    if lines > MOST_LINES {
        return Err(Refused(format!("File {path} exceeds maximum line limit of 999,999 lines.")));
    }
    let (first, last) = match range {
        None => (1, lines),
        Some([first, last]) => {
            let first = usize::try_from(first).ok().filter(|first| *first >= 1);
            let last = if last == -1 { Some(lines) } else { usize::try_from(last).ok() };
            match (first, last) {
                (Some(first), Some(last)) if first <= last.max(1) => (first, last),
                _ => {
                    return Err(Refused(format!(
                        "Error: Invalid `view_range` parameter. It should be [first, last] \
                         within the lines of the file: [1, {lines}]"
                    )));
                }
            }
        }
    };
    let shown = numbered(text, first, last);
    let header = format!("Here's the content of {path} with line numbers:");
    if shown.chars().count() <= VIEW_CHARS {
        return Ok(format!("{header}\n{shown}"));
    }
    let cut: String = shown.chars().take(VIEW_CHARS).collect();
    let whole = cut.rsplit_once('\n').map_or(cut.as_str(), |(whole, _)| whole);
    Ok(format!("{header}\n{whole}\n(truncated; use view_range to see the rest of {lines} lines)"))
}

/// Lines with their numbers, six wide.
pub fn numbered(text: &str, first: usize, last: usize) -> String {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let shown = lines.skip_while(|(n, _)| *n < first).take_while(|(n, _)| *n <= last);
    shown.map(|(n, line)| format!("{n:>6}\t{line}")).collect::<Vec<_>>().join("\n")
}
