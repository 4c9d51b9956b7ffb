//! Fills arguments into a template, once.
//!
//! What comes out is a list of pieces: text, command lines, files. An argument is put where
//! its place is and never looked at again; inside a command line it is quoted for the shell.
//! Nothing is run or read here.

use std::ffi::OsString;

use nuthatch::error::{Error, Result};

use super::template::{Part, PathPart, ShellPart, Slot, Template};

/// A template with its arguments in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of an expanded template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Stands as it is.
    Text(Vec<u8>),
    /// A whole command line, whose output stands in its place.
    Shell(Vec<u8>),
    /// The path of a file, whose text stands in its place.
    File(Vec<u8>),
}

impl Expanded {
    /// The command lines that would run, in order.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Shell(line) => Some(line.as_slice()),
            Piece::Text(_) | Piece::File(_) => None,
        })
    }
}

/// Fills `args` into a template.
///
/// # Errors
/// `invalid`, when there are fewer or more of them than it has places for.
pub fn expand(template: &Template, args: &[OsString]) -> Result<Expanded> {
    let args: Vec<&[u8]> = args.iter().map(|arg| arg.as_encoded_bytes()).collect();
    check_count(template, args.len())?;
    if args.iter().any(|arg| arg.contains(&0)) {
        return Err(Error::invalid("an argument holds a NUL byte"));
    }
    let pieces = template.parts.iter().map(|part| match part {
        Part::Text(text) => Piece::Text(text.clone().into_bytes()),
        Part::Slot(slot) => Piece::Text(plain(*slot, &args)),
        Part::Shell(parts) => Piece::Shell(line(parts, &args)),
        Part::File(parts) => Piece::File(path(parts, &args)),
    });
    Ok(Expanded { pieces: pieces.collect() })
}

/// Nothing is left out in silence: an argument that has no place is a mistake.
fn check_count(template: &Template, given: usize) -> Result<()> {
    let slots = template.slots();
    let highest = slots.iter().filter_map(|slot| match slot {
        Slot::Nth(number) => Some(*number),
        Slot::All => None,
    });
    let needed = highest.max().unwrap_or(0);
    let arguments =
        |count| if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
    if given < needed {
        let (needed, given) = (arguments(needed), arguments(given));
        return Err(Error::invalid(format!("the command needs {needed} and got {given}")));
    }
    if given > needed && !slots.contains(&Slot::All) {
        let (needed, given) = (arguments(needed), arguments(given));
        return Err(Error::invalid(format!("the command takes {needed} and got {given}"))
            .with_hint("{{args}} in its template takes any number"));
    }
    Ok(())
}

fn plain(slot: Slot, args: &[&[u8]]) -> Vec<u8> {
    match slot {
        Slot::All => args.join(&b' '),
        Slot::Nth(number) => args.get(number - 1).copied().unwrap_or_default().to_vec(),
    }
}

fn line(parts: &[ShellPart], args: &[&[u8]]) -> Vec<u8> {
    let mut line = Vec::new();
    for part in parts {
        match part {
            ShellPart::Text(text) => line.extend_from_slice(text.as_bytes()),
            // Between quotes all arguments are part of one word, as the quotes say.
            ShellPart::Slot(Slot::All, super::shell::Around::Nothing) => {
                let words: Vec<Vec<u8>> = args.iter().map(|arg| super::quote(arg)).collect();
                line.extend_from_slice(&words.join(&b' '));
            }
            ShellPart::Slot(slot, around) => {
                line.extend_from_slice(&around.quote(&plain(*slot, args)));
            }
        }
    }
    line
}

fn path(parts: &[PathPart], args: &[&[u8]]) -> Vec<u8> {
    let mut path = Vec::new();
    for part in parts {
        match part {
            PathPart::Text(text) => path.extend_from_slice(text.as_bytes()),
            PathPart::Slot(slot) => path.extend_from_slice(&plain(*slot, args)),
        }
    }
    path
}

#[cfg(test)]
mod tests;
