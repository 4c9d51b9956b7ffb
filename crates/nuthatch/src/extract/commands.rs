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

use super::pattern::{lower, pattern};
use super::shell::{Line, command, writes};
use super::{Command, shortened};

/// Failures that wait for what works instead.
const WAITING: usize = 8;
/// Calls after which nothing that works has to do with a failure any more.
const PATIENCE: usize = 10;
/// Calls without a result that are remembered.
const OPEN_CALLS: usize = 64;
/// Different commands that are counted in a session.
const MOST_COMMANDS: usize = 200;

/// How shells, and Python, say that something is not there, the more telling form first.
static NOT_FOUND: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        pattern(r"command not found: ([\w.+-]+)|No module named '?([\w.+-]+)"),
        pattern(
            r"(?m)(?:^|[:\s])([\w.+-]+): (?:command )?not found|'([\w.+-]+)' is not recognized",
        ),
    ]
});
static UNKNOWN_OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"unknown (?:option|flag|shorthand flag|argument|command|subcommand)|unrecognized (?:option|argument|subcommand)|unexpected argument|(?:invalid|illegal|no such) option|flag provided but not defined|no such (?:sub)?command|does not support the option",
    )
});
static NO_SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"missing script|no rule to make target|command "[^"]+" not found|does not contain recipe|no (?:task|target) named|task .{1,40} (?:not found|does not exist)|couldn't find a script named|script not found"#,
    )
});
static WRONG_FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"could not find `?cargo\.toml|go\.mod file not found|cannot find main module|no such file or directory,? open '[^']*package\.json|could not read package\.json|not a git repository|no package\.json|could not find a pyproject|can't open file '[^']*manage\.py'|no makefile found|no targets specified and no makefile",
    )
});
/// Signs of failure in what a command printed, where a pipe hides its exit status.
static FAILING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)\bFAIL(?:ED|URES)?\b|^\s*(?:error|ERROR|Error)\b|\berror(?:\[|:)|panicked at|Traceback \(|^fatal:|not found$|npm ERR!|ELIFECYCLE|[1-9]\d* (?:failed|errors?|problems?)\b|No such file|exit (?:code|status):? [1-9]",
    )
});
/// What a person or the host stopped, and what has not ended yet.
static STOPPED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"user (?:doesn't want|rejected|denied|declined|cancel)|request interrupted|permission to use|requires approval|aborted by|running in (?:the )?background|timed out",
    )
});

/// Programs of which adding an option may be what helps.
const SET_UP: [&str; 22] = [
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "pip",
    "pip3",
    "uv",
    "cargo",
    "go",
    "docker",
    "poetry",
    "brew",
    "apt",
    "apt-get",
    "gem",
    "bundle",
    "terraform",
    "helm",
    "cmake",
    "mvn",
    "gradle",
    "gradlew",
];
/// Options that change what is printed, not what works.
const PRINTING: [&str; 12] = [
    "-v",
    "-vv",
    "--verbose",
    "--help",
    "-h",
    "-q",
    "--quiet",
    "--nocapture",
    "--no-pager",
    "--version",
    "-json",
    "--json",
];

/// A command that failed, and one that worked instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The program that is to be run.
    pub program: String,
    /// What failed.
    pub failed: String,
    /// What works.
    pub works: String,
    /// Says it in a sentence.
    pub text: String,
    /// The calls, by their `seq`.
    pub seqs: Vec<u64>,
    /// When it worked.
    pub at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
enum Why {
    NotFound(String),
    UnknownOption,
    NoScript,
    WrongFolder,
    Other,
}

#[derive(Debug)]
struct Failure {
    line: Line,
    why: Why,
    seq: u64,
    age: usize,
    edited: bool,
}

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

/// Why a command failed, if its output says something about the set-up.
fn why(line: &Line, output: &str) -> Option<Why> {
    let start: String = output.chars().take(2000).collect();
    if let Some(found) = NOT_FOUND.iter().find_map(|form| form.captures(&start)) {
        let name = (1..=2).find_map(|nth| found.get(nth)).map(|one| one.as_str().to_owned())?;
        let meant = line.program() == name || line.words.contains(&name);
        return meant.then_some(Why::NotFound(name));
    }
    // A help page or a source that is printed speaks of such things, too.
    let lines = start.lines().count();
    let short = lines <= 25;
    let start = lower(&start);
    match () {
        () if short && UNKNOWN_OPTION.is_match(&start) => Some(Why::UnknownOption),
        () if short && NO_SCRIPT.is_match(&start) => Some(Why::NoScript),
        () if short && WRONG_FOLDER.is_match(&start) => Some(Why::WrongFolder),
        () => None,
    }
}

/// Whether a command that works is what to do instead of one that failed.
fn helps(failure: &Failure, works: &Line) -> bool {
    let failed = &failure.line;
    let same_task = failed.program() == works.program() && failed.task() == works.task();
    let changed = failed.words != works.words;
    match &failure.why {
        Why::NotFound(name) => {
            changed && runs(works, name) && shares_arguments(failed, works, name)
        }
        Why::UnknownOption => {
            changed && same_task && !failure.edited && shares_arguments(failed, works, "")
        }
        Why::NoScript => {
            changed && failed.program() == works.program() && !failure.edited && is_general(works)
        }
        Why::WrongFolder => {
            !changed
                && works.folder.as_deref().is_some_and(|folder| {
                    failed.folder.as_deref() != Some(folder) && is_near(folder)
                })
        }
        Why::Other => {
            same_task
                && !failure.edited
                && SET_UP.contains(&failed.program())
                && only_adds(failed, works)
        }
    }
}

/// A folder of the project, not a place on somebody's machine.
fn is_near(folder: &str) -> bool {
    !folder.starts_with(['/', '~', '$', '-']) && folder != "." && !folder.contains("..")
}

/// Whether a command runs a program that was not found by its bare name.
fn runs(works: &Line, name: &str) -> bool {
    let program = works.words.iter().any(|word| {
        let base = word.rsplit('/').next().unwrap_or(word);
        base == name
            || base
                .strip_prefix(name)
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    });
    let asks =
        ["which", "command", "type", "find", "ls", "where", "whereis", "echo", "grep", "man"];
    let installs =
        works.arguments().iter().any(|word| matches!(word.as_str(), "install" | "add" | "i"));
    program && !installs && !asks.contains(&works.program())
}

/// Whether both are about the same: what is no option stays, but for the program itself.
fn shares_arguments(failed: &Line, works: &Line, name: &str) -> bool {
    let of = |line: &Line| -> Vec<String> {
        let arguments =
            line.arguments().iter().filter(|word| !word.starts_with('-') && *word != name);
        arguments.cloned().collect()
    };
    let (old, new) = (of(failed), of(works));
    old.iter().all(|word| new.contains(word)) || old.is_empty() || name.is_empty() && old == new
}

/// Whether options or settings were added, and nothing else.
fn only_adds(failed: &Line, works: &Line) -> bool {
    let mut rest = works.words.clone();
    for word in &failed.words {
        let Some(place) = rest.iter().position(|other| other == word) else { return false };
        rest.remove(place);
    }
    let helpful = |word: &String| {
        (word.starts_with('-') || word.contains('=')) && !PRINTING.contains(&word.as_str())
    };
    !rest.is_empty() && rest.iter().all(helpful)
}

fn told(failure: &Failure, works: &Line, seq: u64, at: Option<Timestamp>) -> Fix {
    let (failed, text) = (failure.line.text(), works.text());
    let (program, works, says) = match &failure.why {
        Why::NotFound(name) => (
            name.clone(),
            text.clone(),
            format!("`{name}` is not found by that name here; `{text}` works."),
        ),
        Why::UnknownOption => (
            works.program().to_owned(),
            text.clone(),
            format!("`{failed}` fails: it is not understood here; `{text}` works."),
        ),
        Why::NoScript => (
            works.program().to_owned(),
            text.clone(),
            format!("`{failed}` fails: there is no such script or target; `{text}` works."),
        ),
        Why::WrongFolder => {
            let folder = works.folder.clone().unwrap_or_default();
            (
                works.program().to_owned(),
                format!("cd {folder} && {text}"),
                format!("`{text}` must be run in the folder `{folder}`."),
            )
        }
        Why::Other => (
            works.program().to_owned(),
            text.clone(),
            format!("`{failed}` fails here; `{text}` works."),
        ),
    };
    Fix {
        program: shortened(&program, 40),
        failed,
        works,
        text: says,
        seqs: vec![failure.seq, seq],
        at,
    }
}

/// Whether a command is for the whole project, not for one file or one test.
fn is_general(line: &Line) -> bool {
    let special = |word: &String| {
        let path = word.contains('/') && word != "./..." && !word.starts_with("./gradlew");
        let file = word.rsplit_once('.').is_some_and(|(_, ending)| {
            (1..=5).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphabetic())
        });
        let filter = [
            "-run",
            "-k",
            "-t",
            "-p",
            "-E",
            "--filter",
            "--test",
            "-m",
            "-c",
            "-e",
            "--grep",
            "--package",
        ]
        .contains(&word.as_str());
        path || file && word != "./..."
            || filter
            || word.contains("::")
            || word.contains(['"', '\'', '*'])
    };
    !line.arguments().iter().any(special) && line.words.len() <= 6
}

/// Programs that build, test and check projects.
const RUNNERS: [&str; 42] = [
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "make",
    "just",
    "mise",
    "task",
    "pytest",
    "tox",
    "nox",
    "ruff",
    "black",
    "mypy",
    "uv",
    "poetry",
    "gradle",
    "gradlew",
    "mvn",
    "dotnet",
    "rake",
    "bundle",
    "mix",
    "swift",
    "deno",
    "golangci-lint",
    "eslint",
    "prettier",
    "tsc",
    "npx",
    "ctest",
    "cmake",
    "bazel",
    "nx",
    "turbo",
    "vitest",
    "jest",
    "gofmt",
    "biome",
    "pre-commit",
];
/// What such programs do when they only look, fetch or set up.
const LOOKING: [&str; 30] = [
    "list",
    "ls",
    "--version",
    "-v",
    "--help",
    "-h",
    "version",
    "env",
    "info",
    "why",
    "view",
    "search",
    "show",
    "doc",
    "mod",
    "get",
    "add",
    "init",
    "create",
    "install",
    "i",
    "ci",
    "remove",
    "publish",
    "login",
    "outdated",
    "audit",
    "update",
    "upgrade",
    "exec",
];

/// What a command of a project does, in words; `None` for what only looks, fetches or publishes,
/// and for what concerns one file or one test.
pub fn what_for(line: &Line) -> Option<&'static str> {
    let looks = line.arguments().iter().any(|word| LOOKING.contains(&word.as_str()));
    if !RUNNERS.contains(&line.program()) || looks || !is_general(line) {
        return None;
    }
    let text = line.text();
    let has = |words: &[&str]| {
        text.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
    };
    let known: [(&[&str], &str); 4] = [
        (
            &["test", "tests", "pytest", "nextest", "vitest", "jest", "ctest", "tox", "nox", "e2e"],
            "runs the tests",
        ),
        (&["fmt", "format", "prettier", "black", "gofmt", "fix"], "formats or mends the code"),
        (
            &[
                "lint",
                "clippy",
                "vet",
                "ruff",
                "eslint",
                "golangci",
                "mypy",
                "check",
                "typecheck",
                "biome",
            ],
            "checks the code",
        ),
        (&["build", "compile", "tsc"], "builds the project"),
    ];
    known.iter().find(|(words, _)| has(words)).map(|(_, does)| *does)
}

/// Whether the project itself defines what the command does: then one run shows that it is how
/// things are done here.
pub fn is_project_task(line: &Line) -> bool {
    match line.program() {
        "make" | "just" | "mise" | "task" | "rake" | "nx" | "turbo" | "gradlew" => {
            line.task().is_some()
        }
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => line.task().is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
