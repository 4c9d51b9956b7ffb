//! Runs of commands, and what they teach.

use super::*;

struct Run(Commands, u64);

impl Run {
    fn new() -> Self {
        Run(Commands::default(), 0)
    }

    fn bash(&mut self, line: &str, failed: bool, output: &str) -> &mut Self {
        let id = self.1.to_string();
        let input = serde_json::json!({"command": line}).to_string();
        self.0.called(self.1, &id, "Bash", &input);
        self.0.ended(&id, failed, output, None);
        self.1 += 2;
        self
    }

    fn edit(&mut self) -> &mut Self {
        self.0.called(self.1, "e", "Edit", "{}");
        self.1 += 1;
        self
    }

    fn texts(&self) -> Vec<&str> {
        self.0.fixes.iter().map(|fix| fix.text.as_str()).collect()
    }
}

#[test]
fn a_failure_of_the_set_up_and_what_works_instead_are_learned() {
    for (failed, output, works, text) in [
        (
            "pytest",
            "bash: pytest: command not found",
            "uv run pytest",
            "`pytest` is not found by that name here; `uv run pytest` works.",
        ),
        (
            "python setup.py",
            "zsh: command not found: python",
            "python3 setup.py",
            "`python` is not found by that name here; `python3 setup.py` works.",
        ),
        (
            "npm run tests",
            "npm error Missing script: \"tests\"",
            "npm run test:ci",
            "`npm run tests` fails: there is no such script or target; `npm run test:ci` works.",
        ),
        (
            "npm install",
            "npm ERR! ERESOLVE unable to resolve",
            "npm install --legacy-peer-deps",
            "`npm install` fails here; `npm install --legacy-peer-deps` works.",
        ),
        (
            "go test ./...",
            "go: go.mod file not found in current directory",
            "cd cli && go test ./...",
            "`go test ./...` must be run in the folder `cli`.",
        ),
        (
            "cargo test --nope",
            "error: unexpected argument '--nope' found",
            "cargo test --no-run",
            "`cargo test --nope` fails: it is not understood here; `cargo test --no-run` works.",
        ),
    ] {
        let mut run = Run::new();
        run.bash(failed, true, output).bash("ls", false, "x").bash(works, false, "ok");
        assert_eq!(run.texts(), [text]);
        assert_eq!(run.0.fixes[0].seqs, [0, 4]);
    }
}

#[test]
fn what_was_mended_otherwise_teaches_nothing() {
    let cases: [&dyn Fn(&mut Run); 6] = [
        // A test that fails was mended in the code.
        &|run| {
            run.bash("go test ./...", true, "--- FAIL: TestX").edit().bash(
                "go test ./...",
                false,
                "ok",
            );
        },
        &|run| {
            run.bash("npm install", true, "E404").edit().bash("npm install --force", false, "ok");
        },
        // Looking for a program is not running it, installing it is not either.
        &|run| {
            run.bash("jq .", true, "jq: command not found").bash("which jq", false, "").bash(
                "brew install jq",
                false,
                "",
            );
        },
        // Stopped by the person.
        &|run| {
            run.bash("npm install", true, "The user doesn't want to proceed").bash(
                "npm install --force",
                false,
                "ok",
            );
        },
        // It works now: it was not the command.
        &|run| {
            run.bash("npm install", true, "network").bash("npm install", false, "ok").bash(
                "npm install --force",
                false,
                "",
            );
        },
        // Another task.
        &|run| {
            run.bash("cargo test --nope", true, "error: unexpected argument '--nope' found").bash(
                "cargo build",
                false,
                "",
            );
        },
    ];
    for (nth, case) in cases.iter().enumerate() {
        let mut run = Run::new();
        case(&mut run);
        assert_eq!(run.texts(), Vec::<&str>::new(), "case {nth}");
    }
}

#[test]
fn commands_of_the_whole_project_are_counted_when_they_work() {
    let mut run = Run::new();
    run.bash("cargo test --workspace", false, "test result: ok. 3 passed; 0 failed");
    run.bash("cd x && cargo test --workspace 2>&1 | tail -5", false, "test result: FAILED");
    run.bash("cargo test some::one", false, "ok")
        .bash("npm view left-pad", false, "")
        .bash("ls", false, "");
    run.0.heard(9, "now run cargo test --workspace.");
    let commands = run.0.commands();
    assert_eq!(
        commands,
        [Command { line: "cargo test --workspace".into(), worked: 1, asked: true }]
    );
}
