//! Where answers go: results to stdout, everything said besides to stderr.
//!
//! Text may carry styles; they are removed where nobody would see them (no terminal,
//! `NO_COLOR`, `--color never`). A reader that closes the pipe early is no failure. How
//! memories look is decided in `render`.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use nuthatch::error::{Error, Result};
use serde::Serialize;

use crate::render::{is_unseen, plain};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default();

/// Of a terminal that does not say, as serial lines do not.
const USUAL_WIDTH: usize = 80;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// How much is said besides the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chatter {
    /// Confirmations, notes and progress.
    Usual,
    /// Nothing but warnings.
    Quiet,
}

enum Sink {
    Streams {
        out: anstream::Stdout,
        err: anstream::Stderr,
    },
    /// Everything in one text, for a command that is shown inside another.
    Kept(Vec<u8>),
}

/// Writes what commands have to say.
pub struct Output {
    format: Format,
    chatter: Chatter,
    sink: Sink,
}

impl Output {
    /// Writes to stdout and stderr.
    pub fn to_streams(format: Format, chatter: Chatter) -> Output {
        let sink = Sink::Streams { out: anstream::stdout(), err: anstream::stderr() };
        Output { format, chatter, sink }
    }

    /// Keeps what a person would see; [`Output::into_text`] gives it.
    pub fn kept() -> Output {
        Output { format: Format::Human, chatter: Chatter::Usual, sink: Sink::Kept(Vec::new()) }
    }

    /// What was written to [`Output::kept`], without styles.
    pub fn into_text(self) -> String {
        match self.sink {
            Sink::Kept(bytes) => {
                anstream::adapter::strip_str(&String::from_utf8_lossy(&bytes)).to_string()
            }
            Sink::Streams { .. } => String::new(),
        }
    }

    /// How answers are written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How much is said besides.
    pub fn chatter(&self) -> Chatter {
        self.chatter
    }

    /// An answer: as JSON, or as `human` writes it.
    pub fn answer<T: Serialize>(
        &mut self,
        answer: &T,
        human: impl FnOnce(&mut Output, &T) -> Result<()>,
    ) -> Result<()> {
        match self.format {
            Format::Json => self.json(answer),
            Format::Human => human(self, answer),
        }
    }

    /// A value as JSON: on one line for programs, indented on a terminal.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let text = match &self.sink {
            Sink::Streams { out, .. } if out.is_terminal() => {
                serde_json::to_string_pretty(value).map(|text| spelled_out(&text))
            }
            _ => serde_json::to_string(value),
        };
        let text = text.map_err(|error| {
            Error::internal("the answer cannot be written as JSON").with_source(error)
        })?;
        self.line(text)
    }

    /// A line of the answer.
    pub fn line(&mut self, text: impl Display) -> Result<()> {
        match &mut self.sink {
            Sink::Streams { out, .. } => written(writeln!(out, "{text}")),
            Sink::Kept(bytes) => written(writeln!(bytes, "{text}")),
        }
    }

    /// Text that brings its own line ends.
    pub fn text(&mut self, text: &str) -> Result<()> {
        match &mut self.sink {
            Sink::Streams { out, .. } => written(out.write_all(text.as_bytes())),
            Sink::Kept(bytes) => written(bytes.write_all(text.as_bytes())),
        }
    }

    /// Text that others wrote and that brings its own line ends: for programs as it is, on a
    /// terminal without anything that steers it.
    pub fn foreign(&mut self, text: &str) -> Result<()> {
        match &self.sink {
            Sink::Streams { out, .. } if out.is_terminal() => self.text(&plain(text)),
            _ => self.text(text),
        }
    }

    /// A confirmation of something done; not said when quiet.
    pub fn say(&mut self, text: impl Display) -> Result<()> {
        match self.chatter {
            Chatter::Usual => self.line(text),
            Chatter::Quiet => Ok(()),
        }
    }

    /// Something said besides; not when quiet.
    pub fn note(&mut self, text: impl Display) -> Result<()> {
        match self.chatter {
            Chatter::Usual => self.aside(text),
            Chatter::Quiet => Ok(()),
        }
    }

    /// Something that should not be missed.
    pub fn warn(&mut self, text: impl Display) -> Result<()> {
        self.aside(format_args!("{WARNING}warning:{WARNING:#} {text}"))
    }

    /// An error and what helps.
    pub fn error(&mut self, message: &str, hint: Option<&str>) -> Result<()> {
        self.aside(format_args!("{ERROR}error:{ERROR:#} {message}"))?;
        match hint {
            Some(hint) => self.aside(format_args!("{HINT}hint:{HINT:#} {hint}")),
            None => Ok(()),
        }
    }

    fn aside(&mut self, text: impl Display) -> Result<()> {
        match &mut self.sink {
            Sink::Streams { err, .. } => written(writeln!(err, "{text}")),
            Sink::Kept(bytes) => written(writeln!(bytes, "{text}")),
        }
    }

    /// Columns of the terminal the answer goes to, if it goes to one.
    pub fn width(&self) -> Option<usize> {
        match &self.sink {
            Sink::Streams { out, .. } if out.is_terminal() => {
                let size = terminal_size::terminal_size();
                Some(size.map_or(USUAL_WIDTH, |(width, _)| usize::from(width.0)))
            }
            _ => None,
        }
    }

    /// Hands everything over to the system.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.sink {
            Sink::Streams { out, err } => written(out.flush()).and(written(err.flush())),
            Sink::Kept(_) => Ok(()),
        }
    }
}

/// Whether stderr is a terminal, where progress can be drawn.
pub fn has_terminal() -> bool {
    io::stderr().is_terminal()
}

/// JSON with whatever could steer a terminal written as escapes. Outside of strings only
/// line ends of the layout occur, so an escape is legal wherever one lands.
fn spelled_out(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unseen(c) && c != '\n' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::unavailable(format!("cannot write the answer: {error}")).with_source(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_for_a_terminal_spells_out_what_is_unseen_and_says_the_same() {
        let said = "a\u{9B}31m\u{202E}b\u{E0001}中\n";
        let json = serde_json::to_string_pretty(&[said]).unwrap();
        let spelled = spelled_out(&json);
        assert!(spelled.contains("\\u009b31m\\u202eb\\udb40\\udc01中"), "{spelled}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&spelled).unwrap(), [said]);
    }
}
