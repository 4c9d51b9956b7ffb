//! Commands that failed and what worked instead, and commands that keep working.
//!
//! Only failures that say how the machine or the project is set up: a program that is not
//! there, an option it does not know, a script that does not exist, the wrong folder. A test
//! that fails and passes later was mended in the code. What is told are the commands, which
//! the agent wrote, and the kind of failure, which is ours: never a tool's output.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use super::Command;
use super::failure::{Failure, Fix, Why, helps, told, why};
use super::pattern::{lower, pattern};
use super::purpose::what_for;
use super::shell::{Line, command, writes};

/// Failures that wait for what works instead.
const WAITING: usize = 8;
/// Calls after which nothing that works has to do with a failure any more.
const PATIENCE: usize = 10;
/// Calls without a result that are remembered.
const OPEN_CALLS: usize = 64;
/// Different commands that are counted in a session.
const MOST_COMMANDS: usize = 200;

/// Signs of failure in what a command printed, where a pipe hides its exit status.
static FAILING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)\bFAIL(?:ED|URES)?\b|^\s*(?:error|ERROR|Error)\b|\berror(?:\[|:)|panicked at|Traceback \(|^fatal:|not found$|npm (?:ERR!|error)|[Cc]ommand failed|ELIFECYCLE|[1-9]\d* (?:failed|errors?|problems?)\b|No such file|exit (?:code|status):? [1-9]",
    )
});
/// What a person or the host stopped, and what has not ended yet.
static STOPPED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"user (?:doesn't want|rejected|denied|declined|cancel)|request interrupted|permission to use|requires approval|aborted by|running in (?:the )?background|timed out",
    )
});

/// How often a command worked and failed.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Times it worked.
    pub worked: u32,
    /// The calls in which it did, by their `seq`.
    pub seqs: Vec<u64>,
    /// When it last worked.
    pub at: Option<Timestamp>,
}

/// Follows the commands of a session.
#[derive(Debug, Default)]
pub struct Commands {
    open: VecDeque<(String, u64, Option<Line>)>,
    waiting: VecDeque<Failure>,
    /// What failed and what worked instead.
    pub fixes: Vec<Fix>,
    /// Commands of the project that worked, by their line.
    pub worked: BTreeMap<String, Tally>,
    /// Commands that a person asked for by name.
    asked: HashMap<String, u64>,
}

impl Commands {
    /// A tool is called.
    pub fn called(&mut self, seq: u64, id: &str, tool: &str, input: &str) {
        if writes(tool) {
            self.waiting.iter_mut().for_each(|failure| failure.edited = true);
        }
        let line = command(tool, input).and_then(|text| Line::of(&text));
        self.open.push_back((id.to_owned(), seq, line));
        if self.open.len() > OPEN_CALLS {
            self.open.pop_front();
        }
    }

    /// A call has ended.
    pub fn ended(&mut self, id: &str, failed: bool, output: &str, at: Option<Timestamp>) {
        let Some(place) = self.open.iter().position(|(known, ..)| known == id) else { return };
        let Some((_, seq, Some(line))) = self.open.remove(place) else { return };
        for failure in &mut self.waiting {
            failure.age += 1;
        }
        self.waiting.retain(|failure| failure.age <= PATIENCE);
        if STOPPED.is_match(&lower(output)) {
            return;
        }
        if failed || why(&line, output).is_some() {
            self.fail(seq, line, output);
        } else if !(line.piped && FAILING.is_match(output)) {
            self.work(seq, &line, at);
        }
    }

    fn fail(&mut self, seq: u64, line: Line, output: &str) {
        let why = why(&line, output).unwrap_or(Why::Other);
        if self.waiting.len() == WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Failure { line, why, seq, age: 0, edited: false });
    }

    fn work(&mut self, seq: u64, line: &Line, at: Option<Timestamp>) {
        if let Some(place) = self.waiting.iter().position(|failure| helps(failure, line)) {
            let failure = self.waiting.remove(place).expect("the place was just found");
            let fix = told(&failure, line, seq, at);
            if !self.fixes.iter().any(|known| known.text == fix.text) {
                self.fixes.push(fix);
            }
        }
        // What works now was not wrong: its failure had another reason.
        self.waiting.retain(|failure| failure.line.words != line.words);
        self.fixes.retain(|fix| fix.failed != line.text() || fix.works.starts_with("cd "));
        if what_for(line).is_some()
            && (self.worked.len() < MOST_COMMANDS || self.worked.contains_key(&line.text()))
        {
            let tally = self.worked.entry(line.text()).or_default();
            tally.worked += 1;
            tally.seqs.push(seq);
            tally.at = at.or(tally.at);
        }
    }

    /// A person speaks: what is asked for by name is noted.
    pub fn heard(&mut self, seq: u64, text: &str) {
        static RUN: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"\brun(?:ning)?\s+`?((?:[\w@./:=-]+)(?:[ \t]+[\w@./:=-]+){0,4})")
        });
        for found in RUN.captures_iter(&lower(text)).take(8) {
            self.asked.entry(found[1].to_owned()).or_insert(seq);
        }
    }

    /// Whether a person asked for this command by name.
    pub fn is_asked(&self, line: &str) -> bool {
        let line = line.to_lowercase();
        self.asked.keys().any(|asked| {
            asked
                .strip_prefix(&line)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.']))
        })
    }

    /// What worked, for the synopsis.
    pub fn commands(&self) -> Vec<Command> {
        let command = |(line, tally): (&String, &Tally)| Command {
            line: line.clone(),
            worked: tally.worked,
            asked: self.is_asked(line),
        };
        self.worked.iter().map(command).collect()
    }
}

#[cfg(test)]
mod tests;
