//! What a command of a project is for, as far as its words say so.
//!
//! Commands for one file or one test, and those that only look, fetch or publish, are no way
//! in which things are done.

use super::shell::Line;

/// Whether a command is for the whole project, not for one file or one test.
pub fn is_general(line: &Line) -> bool {
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
        (&["build", "compile", "tsc"], "builds the code"),
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
