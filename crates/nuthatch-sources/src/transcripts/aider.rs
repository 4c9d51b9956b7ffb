//! aider: `.aider.chat.history.md` in the folder of a project, many sessions in one file.
//!
//! It is Markdown without ids: a heading begins a session, `#### ` is the user, `> ` the
//! program, the rest the model. A model writes such headings, too: the user's end with two
//! blanks, or stand where nobody else was speaking.

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use nuthatch::error::Result;
use nuthatch::transcript::{Event, Voice};

use super::environment::Environment;
use super::folder;
use super::lines::{Line, Lines};
use super::telling::{Beside, Telling};
use super::watermark::{Stamp, hash};
use super::{Found, Located, Read, Transcripts, Watermark};

const AGENT: &str = "aider";
const NAME: &str = ".aider.chat.history.md";
const BEGINNING: &str = "# aider chat started at ";
/// Words of the program itself in the user's place.
const MADE: &[&str] = &[
    "# Fix any errors below",
    "# Question:",
    "I ran this command:",
    "The LLM did not conform to the edit format",
    "I added these files to the chat",
];
/// Commands that a person's own words follow.
const ASKING: &[&str] = &["/ask ", "/code ", "/architect ", "/chat-mode ", "/help "];
/// Longest text of one turn.
const LONGEST: usize = 400_000;

/// Reads the sessions of aider.
#[derive(Debug)]
pub struct Aider {
    places: Vec<PathBuf>,
}

impl Aider {
    /// With the folders of projects, and the user's own.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let folders = environment.projects.iter().chain(environment.home.as_ref());
        Aider { places: folders.map(|folder| folder.join(NAME)).collect() }
    }
}

impl Transcripts for Aider {
    fn agent(&self) -> &'static str {
        AGENT
    }

    fn discover(&self) -> Found {
        let mut found = Found::default();
        for place in self.places.iter().filter(|place| place.exists()) {
            chats(place, &mut found);
        }
        found.newest_only()
    }

    fn at(&self, path: &Path) -> Found {
        let mut found = Found::default();
        for (path, _) in folder::ending(path, 2, "md", &mut found) {
            chats(&path, &mut found);
        }
        found.newest_only()
    }

    fn read(
        &self,
        session: &Located,
        from: &Watermark,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> Result<Read> {
        let (mut file, metadata) = folder::open(&session.path)?;
        let refusal = |error: std::io::Error| folder::refusal(&session.path, &error);
        let (start, end) = session.span.unwrap_or((0, metadata.len()));
        file.seek(SeekFrom::Start(start)).map_err(refusal)?;
        let mut telling = Telling::new(session.head.clone(), 0, each);
        let part = file.take(end.saturating_sub(start));
        let told = Chat::new(session.head.started_at).tell(Lines::new(part, start), &mut telling);
        told.map_err(refusal)?;
        let seq = telling.finish();
        let watermark = Watermark { stamp: session.stamp, place: end, seq, check: 0 };
        let (head, skipped) = (telling.head, telling.skipped);
        Ok(Read { head, watermark, skipped, restarted: !from.is_start() })
    }
}

/// The sessions in a file.
fn chats(path: &Path, found: &mut Found) {
    let Ok((file, metadata)) = folder::open(path) else { return found.skip("file not read") };
    match beginnings(file) {
        Ok(began) => {
            let whole = Stamp::of(&metadata);
            let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let name = format!("{:08x}", hash(real.as_os_str().as_encoded_bytes()) >> 32);
            for (nth, (start, at, time)) in began.iter().enumerate() {
                let next = began.get(nth + 1);
                let end = next.map_or(whole.size, |(next, ..)| *next);
                let id = format!("{AGENT}:{name}:{}", time.replace(' ', "T"));
                let mut located = folder::located(AGENT, id, path.to_owned(), &metadata);
                let updated = next
                    .map_or(whole.modified, |(_, at, _)| at.map_or(0, |at| at.as_microsecond()));
                located.stamp = Stamp { size: end - start, modified: updated };
                located.head.started_at = *at;
                located.head.updated_at = located.stamp.at();
                located.head.folder = path.parent().map(|folder| folder.display().to_string());
                located.span = Some((*start, end));
                found.sessions.push(located);
            }
        }
        Err(_) => found.skip("file not read"),
    }
}

type Beginning = (u64, Option<Timestamp>, String);

fn beginnings(file: File) -> std::io::Result<Vec<Beginning>> {
    let mut found: Vec<Beginning> = Vec::new();
    let mut lines = Lines::new(file, 0);
    loop {
        let before = lines.place;
        let Some(line) = lines.next()? else { return Ok(found) };
        let (Line::Whole(line) | Line::Last(line)) = line else { continue };
        if let Some(time) = line.strip_prefix(BEGINNING) {
            let time = time.trim().to_owned();
            let is_same = found.last().is_some_and(|(_, _, last)| *last == time);
            // Two chats that began in one second are told as one: nothing else tells them apart.
            if !is_same {
                found.push((before, local(&time), time));
            }
        }
    }
}

/// A time without a zone: where the file lies, that of the machine is not known, so UTC.
fn local(time: &str) -> Option<Timestamp> {
    let civil: DateTime = time.parse().ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|at| at.timestamp())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Nobody,
    User,
    Program,
    Model,
}

/// A chat as its lines come.
struct Chat {
    beside: Beside,
    speaker: Speaker,
    text: String,
    /// What the person said, while nobody has answered: what follows a command is written
    /// down once with it and once without.
    unanswered: String,
}

impl Chat {
    fn new(at: Option<Timestamp>) -> Chat {
        let beside = Beside { at, ..Beside::default() };
        Chat { beside, speaker: Speaker::Nobody, text: String::new(), unanswered: String::new() }
    }

    fn tell<R: std::io::Read>(
        mut self,
        mut lines: Lines<R>,
        telling: &mut Telling<'_>,
    ) -> std::io::Result<()> {
        while let Some(line) = lines.next()? {
            if telling.is_over() {
                break;
            }
            let line = match line {
                Line::Whole(line) | Line::Last(line) => line.into_owned(),
                Line::TooLong => {
                    telling.skip("line too long");
                    continue;
                }
            };
            if lines.after_blank {
                self.pause(&line, telling);
            }
            self.hear(&line, telling);
        }
        self.close(telling);
        Ok(())
    }

    /// A blank line parts paragraphs, and one prompt from the next.
    fn pause(&mut self, next: &str, telling: &mut Telling<'_>) {
        if self.speaker == Speaker::User && next.starts_with("####") {
            self.close(telling);
        } else if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn hear(&mut self, line: &str, telling: &mut Telling<'_>) {
        if line.starts_with(BEGINNING) {
            return self.turn_to(Speaker::Nobody, telling);
        }
        let typed =
            line.strip_prefix("####").filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let is_typed = line.ends_with("  ") || self.speaker != Speaker::Model;
        if let Some(typed) = typed.filter(|_| is_typed) {
            self.turn_to(Speaker::User, telling);
            return self.add(typed.trim());
        }
        if let Some(said) = line.strip_prefix('>') {
            self.turn_to(Speaker::Program, telling);
            return self.add(said.trim());
        }
        self.turn_to(Speaker::Model, telling);
        self.add(line.trim_end());
    }

    fn add(&mut self, line: &str) {
        if self.text.len() < LONGEST {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn turn_to(&mut self, speaker: Speaker, telling: &mut Telling<'_>) {
        if self.speaker != speaker {
            self.close(telling);
            self.speaker = speaker;
        }
    }

    fn close(&mut self, telling: &mut Telling<'_>) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim();
        match self.speaker {
            _ if text.is_empty() => {}
            Speaker::User => match of_person(text) {
                (Voice::Person, text) if text == self.unanswered => {}
                (Voice::Person, text) => {
                    telling.user(&self.beside, text);
                    telling.entitle(text);
                    text.clone_into(&mut self.unanswered);
                }
                (Voice::Host, text) => telling.host(&self.beside, text),
            },
            Speaker::Model => {
                telling.assistant(&self.beside, text);
                self.unanswered.clear();
            }
            Speaker::Program | Speaker::Nobody => {}
        }
    }
}

/// Whose words a turn of the user's is, without the command before them.
fn of_person(text: &str) -> (Voice, &str) {
    if let Some(command) = ASKING.iter().find(|command| text.starts_with(**command)) {
        return (Voice::Person, text[command.len()..].trim());
    }
    let is_made = text.starts_with(['/', '!']) || MADE.iter().any(|made| text.starts_with(made));
    (if is_made { Voice::Host } else { Voice::Person }, text)
}
