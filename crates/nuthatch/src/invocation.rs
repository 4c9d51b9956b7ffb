//! How an agent is called, and what is put into its context: `agent[input:a.md,b.md][tail:100]`.
//!
//! Directives stand in brackets, several of them apart or in one pair with `;` between them.
//! A mistake is reported with its place. Names of files are checked for leading outside here;
//! what they lead to on a disk is the workspace's business.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::id::AgentId;

/// Longer than any command line that a person types.
const LONGEST: usize = 16_384;

/// A call of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Who is called.
    pub agent: AgentId,
    /// Files to put in, relative to the project's root, each once, in order.
    pub inputs: Vec<String>,
    /// How many lines of the agent's previous output to put in.
    pub tail: Option<usize>,
}

impl Invocation {
    /// A bare call.
    #[must_use]
    pub fn of(agent: AgentId) -> Self {
        Invocation { agent, inputs: Vec::new(), tail: None }
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.agent)?;
        if !self.inputs.is_empty() {
            write!(f, "[input:{}]", self.inputs.join(","))?;
        }
        match self.tail {
            Some(lines) => write!(f, "[tail:{lines}]"),
            None => Ok(()),
        }
    }
}

impl FromStr for Invocation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.len() > LONGEST {
            return Err(Error::invalid(format!(
                "an invocation has at most {LONGEST} bytes, this one has {}",
                text.len()
            )));
        }
        Parser { text, at: 0 }.invocation()
    }
}

/// Reads from the left; `at` is a byte offset that always stands between characters.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn invocation(mut self) -> Result<Invocation> {
        self.skip_blanks();
        let start = self.at;
        let name = self.until(&['[', ']', ';', ',']).trim_end();
        if name.is_empty() {
            return Err(self.wrong(start, "the name of an agent is missing"));
        }
        let agent = AgentId::new(name).map_err(|error| {
            let at = name.find(|c: char| !legal_in_name(c)).unwrap_or(0);
            let place = self.wrong(start + at, &error.to_string());
            match error.hint() {
                Some(hint) => place.with_hint(hint.to_owned()),
                None => place,
            }
        })?;
        let mut call = Invocation::of(agent);
        while let Some(next) = self.peek() {
            if next != '[' {
                let what = if next == ']' { "this bracket closes nothing" } else { "unexpected" };
                return Err(self.wrong(self.at, what));
            }
            self.bracket(&mut call)?;
            self.skip_blanks();
        }
        Ok(call)
    }

    fn bracket(&mut self, call: &mut Invocation) -> Result<()> {
        let open = self.at;
        self.at += 1;
        loop {
            self.directive(call, open)?;
            match self.peek() {
                Some(';') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => return Err(self.wrong(self.at, "unexpected")),
                None => return Err(self.wrong(open, "this bracket is never closed")),
            }
        }
    }

    fn directive(&mut self, call: &mut Invocation, open: usize) -> Result<()> {
        self.skip_blanks();
        let start = self.at;
        let word = self.until(&[':', '[', ']', ';', ',']).trim_end();
        if self.peek() != Some(':') {
            return Err(match self.peek() {
                None => self.wrong(open, "this bracket is never closed"),
                _ if word.is_empty() => self.wrong(start, "a directive is missing"),
                _ => self.wrong(self.at, "a colon is missing"),
            });
        }
        self.at += 1;
        match word {
            "input" => self.inputs(call, open),
            "tail" => self.tail(call, start),
            _ => Err(self
                .wrong(start, "there is no such directive")
                .with_hint("the directives are input:FILE,FILE and tail:LINES")),
        }
    }

    fn inputs(&mut self, call: &mut Invocation, open: usize) -> Result<()> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let path = self.until(&['[', ']', ';', ',']).trim_end();
            if path.is_empty() {
                return Err(match self.peek() {
                    None => self.wrong(open, "this bracket is never closed"),
                    _ => self.wrong(start, "the name of a file is missing"),
                });
            }
            self.check_path(start, path)?;
            if !call.inputs.iter().any(|known| known == path) {
                call.inputs.push(path.to_owned());
            }
            if self.peek() != Some(',') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    /// A path that leads out of the project can be told by looking at it.
    fn check_path(&self, start: usize, path: &str) -> Result<()> {
        let wrong = |at: usize, what: &str| {
            Err(self.wrong(start + at, what).with_hint("name files from the project's root"))
        };
        if let Some((at, _)) = path.char_indices().find(|(_, c)| c.is_control() || *c == '\\') {
            return wrong(at, "a name of a file cannot hold this character");
        }
        let drive = path.as_bytes().get(1) == Some(&b':');
        if path.starts_with('/') || path.starts_with('~') || drive {
            return wrong(0, "the file must lie inside the project");
        }
        let mut at = 0;
        for part in path.split('/') {
            if part == ".." {
                return wrong(at, "the file must lie inside the project");
            }
            at += part.len() + 1;
        }
        Ok(())
    }

    fn tail(&mut self, call: &mut Invocation, start: usize) -> Result<()> {
        self.skip_blanks();
        let at = self.at;
        let number = self.until(&['[', ']', ';', ',']).trim_end();
        if call.tail.is_some() {
            return Err(self.wrong(start, "a second tail"));
        }
        if let Some((bad, _)) = number.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            return Err(self.wrong(at + bad, "a number of lines is expected"));
        }
        match number.parse::<usize>() {
            Ok(0) => Err(self.wrong(at, "a tail has at least one line")),
            Ok(lines) => {
                call.tail = Some(lines);
                Ok(())
            }
            Err(_) if number.is_empty() => Err(self.wrong(at, "a number of lines is missing")),
            Err(_) => Err(self.wrong(at, "this number is too great")),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn until(&mut self, ends: &[char]) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// An error at a place: its number among the characters, and the text with a mark there.
    fn wrong(&self, at: usize, what: &str) -> Error {
        /// Enough around the place to recognise it.
        const AROUND: usize = 24;
        let at = self.text.floor_char_boundary(at);
        let (before, after) = self.text.split_at(at);
        let place = before.chars().count() + 1;
        let front: Vec<char> = before.chars().rev().take(AROUND).collect();
        let shown = front.into_iter().rev().chain(['▸']).chain(after.chars().take(AROUND));
        let shown: String = shown.flat_map(char::escape_debug).collect();
        Error::invalid(format!("in the invocation, character {place}: {what}"))
            .with_hint(format!("here: {}", shown.replace("\\\"", "\"").replace("\\'", "'")))
    }
}

fn legal_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

#[cfg(test)]
mod tests;
