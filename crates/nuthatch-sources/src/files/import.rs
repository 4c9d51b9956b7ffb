//! Puts what `@path` names in its place.
//!
//! Works on text alone: where a path leads is asked of a [`Reach`], which also decides what
//! may be read. What cannot be imported is said in place and listed, and never stops the
//! rest. Depth, number and size are bounded, whatever the files say to each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::code::Shielded;

/// How imports are written and how far they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportRules {
    /// How many imports may lead to each other.
    pub depth: usize,
    /// What counts as code.
    pub code: CodeRule,
    /// What is done about a file that stands in the text already.
    pub repeats: Repeats,
    /// What happens below the deepest level.
    pub beyond: Beyond,
    /// Whether `@~/…` is a path.
    pub home: HomeRule,
}

/// How code is told from text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeRule {
    /// As CommonMark says.
    CommonMark,
    /// Runs of backticks pair with runs of the same length; nothing else is code, and every
    /// word after an `@` is a path, as it stands.
    Backticks,
}

/// What is done about a second import of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// It is said that the text stands above.
    Once,
    /// It is put in again.
    Again,
}

/// What becomes of an import that lies too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It is said in place that it is too deep.
    Said,
    /// The text is left as it was written.
    Left,
}

/// Whether a path may begin with `~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeRule {
    /// `@~/notes.md` is an import.
    Path,
    /// `@~/notes.md` is text.
    Text,
}

/// Where a path leads.
pub trait Reach {
    /// The file that `written`, found in `from`, means.
    ///
    /// # Errors
    /// The reason why there is none, as the end of a sentence; [`Refusal::Prose`] where it
    /// was no path at all.
    fn fetch(&mut self, from: &Path, written: &str) -> Result<Fetched, Refusal>;
}

/// A file that may be imported.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What it is known by: the same file has the same path, however it was written.
    pub path: PathBuf,
    /// How it is called in the text.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// Why nothing is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody is spoken to; this is no path.
    Prose,
    /// The reason, as the end of a sentence.
    Because(String),
}

/// Something that was not imported.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Missed {
    /// The file that asks for it.
    pub file: PathBuf,
    /// The line of the `@`, from 1.
    pub line: usize,
    /// What was written after the `@`.
    pub written: String,
    /// Why it was not imported.
    pub why: String,
}

/// A text with its imports in it.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The text.
    pub text: String,
    /// The files that were put in, in order.
    pub files: Vec<PathBuf>,
    /// What was not.
    pub missed: Vec<Missed>,
}

/// More imports than this in one text are a mistake or an attack.
const MOST_IMPORTS: usize = 500;

/// No prompt holds more than this of files.
const MOST_BYTES: usize = 4 << 20;

/// Longer than any path that a system takes.
const LONGEST_PATH: usize = 4096;

/// Puts the imports of `text`, which stands in `file`, in their places.
pub fn import(text: &str, file: &Path, rules: ImportRules, reach: &mut dyn Reach) -> Imported {
    let mut run = Run {
        rules,
        reach,
        found: Imported::default(),
        seen: BTreeSet::from([file.to_owned()]),
        chain: vec![file.to_owned()],
        bytes: text.len(),
    };
    let text = run.expand(text);
    Imported { text, ..run.found }
}

struct Run<'a> {
    rules: ImportRules,
    reach: &'a mut dyn Reach,
    found: Imported,
    seen: BTreeSet<PathBuf>,
    chain: Vec<PathBuf>,
    bytes: usize,
}

impl Run<'_> {
    fn expand(&mut self, text: &str) -> String {
        let shielded = match self.rules.code {
            CodeRule::CommonMark => Shielded::commonmark(text),
            CodeRule::Backticks => Shielded::backticks(text),
        };
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (at, _) in text.match_indices('@') {
            if at < from || shielded.holds(at) || !begins_word(text, at) {
                continue;
            }
            let Some(token) = self.token(&text[at + 1..]) else { continue };
            let Some((put, length)) = self.put(text, at, &token) else { continue };
            out.push_str(&text[from..at]);
            out.push_str(&put);
            from = at + 1 + length;
        }
        out.push_str(&text[from..]);
        out
    }

    /// What is written after an `@`, with its length in the text, if it can be a path.
    fn token(&self, rest: &str) -> Option<Token> {
        let (mut path, mut length) = (String::new(), 0);
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            let escaped = self.rules.code == CodeRule::CommonMark && c == '\\';
            if escaped && chars.peek() == Some(&' ') {
                chars.next();
                path.push(' ');
                length += 2;
            } else if c.is_whitespace() || c == '\0' {
                break;
            } else {
                path.push(c);
                length += c.len_utf8();
            }
        }
        let first = path.chars().next()?;
        let begins = match self.rules.code {
            CodeRule::CommonMark => first.is_alphanumeric() || "./_-".contains(first),
            CodeRule::Backticks => first.is_ascii_alphabetic() || "./".contains(first),
        };
        let home = first == '~' && self.rules.home == HomeRule::Path;
        let plausible = (begins || home) && path.len() <= LONGEST_PATH;
        plausible.then_some(Token { path, length })
    }

    /// What stands in the place of an import, and how much of the text it takes.
    fn put(&mut self, text: &str, at: usize, token: &Token) -> Option<(String, usize)> {
        if self.chain.len() > self.rules.depth {
            return match self.rules.beyond {
                Beyond::Left => None,
                Beyond::Said => {
                    let why = format!("imports go {} deep at most", self.rules.depth);
                    self.asked(token).is_ok().then(|| self.miss(text, at, token, why))
                }
            };
        }
        if self.found.files.len() >= MOST_IMPORTS {
            let why = format!("more than {MOST_IMPORTS} imports");
            return Some(self.miss(text, at, token, why));
        }
        match self.asked(token) {
            Err(Refusal::Prose) => None,
            Err(Refusal::Because(why)) => Some(self.miss(text, at, token, why)),
            Ok((file, length)) => {
                let token = Token { path: token.path.clone(), length };
                Some(self.take(text, at, &token, &file))
            }
        }
    }

    /// Asks for a path as it is written and, where that is nothing, without the marks that
    /// end a sentence.
    fn asked(&mut self, token: &Token) -> Result<(Fetched, usize), Refusal> {
        let from = self.chain.last().cloned().unwrap_or_default();
        let whole = self.reach.fetch(&from, &token.path);
        let marks: &[char] = match self.rules.code {
            CodeRule::CommonMark => &['.', ',', ';', ':', '!', '?', ')', ']', '"', '\''],
            CodeRule::Backticks => &[],
        };
        let bare = token.path.trim_end_matches(marks);
        let cut = token.path.len() - bare.len();
        match whole {
            Ok(file) => Ok((file, token.length)),
            Err(_) if cut > 0 && !bare.is_empty() => {
                self.reach.fetch(&from, bare).map(|file| (file, token.length - cut))
            }
            Err(why) => Err(why),
        }
    }

    fn take(&mut self, text: &str, at: usize, token: &Token, file: &Fetched) -> (String, usize) {
        if self.chain.contains(&file.path) {
            return self.miss(text, at, token, "it is being imported already: a circle".into());
        }
        if self.rules.repeats == Repeats::Once && self.seen.contains(&file.path) {
            return (comment(&format!("{} stands above", file.name)), token.length);
        }
        self.bytes = self.bytes.saturating_add(file.text.len());
        if self.bytes > MOST_BYTES {
            self.bytes -= file.text.len();
            let why = format!("the whole would be longer than {} MiB", MOST_BYTES >> 20);
            return self.miss(text, at, token, why);
        }
        self.seen.insert(file.path.clone());
        self.found.files.push(file.path.clone());
        self.chain.push(file.path.clone());
        let inner = self.expand(&file.text);
        self.chain.pop();
        let (begin, end) = (format!("from {}", file.name), format!("end of {}", file.name));
        let text = format!("{}\n{}\n{}", comment(&begin), inner.trim_end(), comment(&end));
        (text, token.length)
    }

    fn miss(&mut self, text: &str, at: usize, token: &Token, why: String) -> (String, usize) {
        let file = self.chain.last().cloned().unwrap_or_default();
        let line = text[..at].matches('\n').count() + 1;
        let said = format!("@{} {}", token.path, comment(&format!("not imported: {why}")));
        self.found.missed.push(Missed { file, line, written: token.path.clone(), why });
        (said, token.length)
    }
}

struct Token {
    path: String,
    length: usize,
}

fn begins_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(char::is_whitespace)
}

/// A comment that nothing in it can end.
fn comment(words: &str) -> String {
    let tame: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("<!-- {} -->", tame.replace("--", "- -").replace('>', "›"))
}

#[cfg(test)]
mod tests;
