//! Where lines come from: an editor on a terminal, the input itself elsewhere.
//!
//! It knows nothing of what is said; see `slash` and the command itself.

use std::io::{self, IsTerminal as _};

use nuthatch::error::{Error, Result};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

/// A line that is longer is a file, and belongs into `[input:…]`.
const LONGEST_LINE: usize = 1024 * 1024;

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// The end.
    End,
}

/// Reads lines.
pub enum Editor {
    /// From a person.
    Terminal(Box<DefaultEditor>),
    /// From a file or a pipe.
    Input,
}

impl Editor {
    /// An editor where somebody is there to use it.
    pub fn open() -> Result<Editor> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Editor::Input);
        }
        let editor = DefaultEditor::new().map_err(|error| trouble(&error))?;
        Ok(Editor::Terminal(Box::new(editor)))
    }

    /// Whether there is a person.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Editor::Terminal(_))
    }

    /// The next line.
    pub fn read(&mut self, prompt: &str) -> Result<Typed> {
        match self {
            Editor::Terminal(editor) => match editor.readline(prompt) {
                Ok(line) => {
                    // Only so that the arrow keys find it; a full history forgets the oldest.
                    let _ = editor.add_history_entry(&line);
                    Ok(Typed::Line(line))
                }
                Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
                Err(ReadlineError::Eof) => Ok(Typed::End),
                Err(error) => Err(trouble(&error)),
            },
            Editor::Input => from_input(),
        }
    }
}

fn from_input() -> Result<Typed> {
    use std::io::{BufRead as _, Read as _};
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock().take(LONGEST_LINE as u64 + 1);
    let read = input.read_until(b'\n', &mut bytes).map_err(|error| {
        Error::unavailable(format!("cannot read the input: {error}")).with_source(error)
    })?;
    if read == 0 {
        return Ok(Typed::End);
    }
    if bytes.len() > LONGEST_LINE {
        return Err(Error::invalid("a line is longer than a megabyte")
            .with_hint("put it into a file, and name that in [input:…]"));
    }
    match String::from_utf8(bytes) {
        Ok(line) => Ok(Typed::Line(line)),
        Err(_) => Err(Error::invalid("the input is not UTF-8 text")),
    }
}

fn trouble(error: &ReadlineError) -> Error {
    Error::unavailable(format!("cannot use this terminal: {error}"))
}
