//! Notes of lines that begin with a section sign, a note a line.
//!
//! A line without one goes on with the note before it, as whoever wrote it meant; lines before
//! the first note are counted and passed over.

use std::io::BufRead;

use super::lines::Lines;
use super::{Fact, Item, Telling};
use crate::error::{Error, Result};

/// What a note begins with.
const SIGN: char = '§';

/// Reads a file of it.
///
/// # Errors
/// Of kind `invalid`, when it has no such line.
pub fn read(input: &mut dyn BufRead, telling: &mut Telling<'_>) -> Result<()> {
    let mut lines = Lines::of(input);
    let mut note: Option<String> = None;
    let mut found = false;
    while let Some(line) = lines.advance()? {
        let Ok(line) = line else {
            telling.skip("lines that are not UTF-8 text");
            continue;
        };
        let line = line.trim();
        match (line.strip_prefix(SIGN), &mut note) {
            (Some(text), note) => {
                end(note.replace(text.trim().to_owned()), telling)?;
                found = true;
            }
            (None, _) if line.is_empty() || line.starts_with('#') => end(note.take(), telling)?,
            (None, Some(note)) => {
                note.push('\n');
                note.push_str(line);
            }
            (None, None) => telling.skip("lines before or between notes"),
        }
    }
    end(note, telling)?;
    match found {
        true => Ok(()),
        false => Err(Error::invalid("no line of it begins with §")),
    }
}

fn end(note: Option<String>, telling: &mut Telling<'_>) -> Result<()> {
    match note.filter(|note| !note.is_empty()) {
        Some(note) => telling.item(Item::Fact(Box::new(Fact::new(note)))),
        None => Ok(()),
    }
}
