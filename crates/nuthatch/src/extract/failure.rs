//! Why a command failed, and whether another one is what to do instead.
//!
//! Only what says how the machine or the project is set up: a program that is not there, an
//! option it does not know, a script that does not exist, the wrong folder, an option that had
//! to be added.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use super::pattern::{lower, pattern};
use super::purpose::is_general;
use super::shell::Line;
use super::shortened;

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

/// Why a command failed.
#[derive(Clone, Debug)]
pub enum Why {
    NotFound(String),
    UnknownOption,
    NoScript,
    WrongFolder,
    Other,
}

/// A command that failed, waiting for one that works.
#[derive(Debug)]
pub struct Failure {
    pub line: Line,
    pub why: Why,
    pub seq: u64,
    pub age: usize,
    pub edited: bool,
}

/// Why a command failed, if its output says something about the set-up.
pub fn why(line: &Line, output: &str) -> Option<Why> {
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
pub fn helps(failure: &Failure, works: &Line) -> bool {
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

pub fn told(failure: &Failure, works: &Line, seq: u64, at: Option<Timestamp>) -> Fix {
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
