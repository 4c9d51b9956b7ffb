//! A machine of its own for each test: fresh home, fresh folder, clean environment.
//!
//! Commands are run either as a list of arguments or, where a test reads better that way,
//! as a line for the shell, with `nuthatch` being the binary under test.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The binary under test.
pub(crate) const NUTHATCH: &str = env!("CARGO_BIN_EXE_nuthatch");

pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox { dir: tempfile::tempdir().unwrap(), env: Vec::new() };
        fs::create_dir(sandbox.home()).unwrap();
        fs::create_dir(sandbox.work()).unwrap();
        sandbox
    }

    /// The same with another environment variable.
    pub(crate) fn with_env(mut self, name: &str, value: &str) -> Sandbox {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With links resolved, as the binary prints it.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("person")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home().join(".local/share/nuthatch")
    }

    /// Where commands run: no project.
    pub(crate) fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The user's configuration file.
    pub(crate) fn configure(&self, text: &str) {
        let folder = self.home().join(".config/nuthatch");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// A git repository with one commit, below the working folder.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.work().join(name);
        fs::create_dir(&folder).unwrap();
        let git = format!(
            "git init -q && git -c user.name=a -c user.email=a@example.org commit -q \
             --allow-empty -m '{name}'"
        );
        self.sh_in(&folder, &git).ok();
        folder
    }

    /// A command with this sandbox around it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let bin = Path::new(NUTHATCH).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path);
        let path = std::env::join_paths([bin.to_owned()].into_iter().chain(path)).unwrap();
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.home()).env("PATH", path).env("TZ", "UTC");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        // The same answers whether or not a model is compiled in.
        command.env("NUTHATCH_EMBEDDINGS_PROVIDER", "none");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.work()).stdin(Stdio::null());
        command
    }

    /// Runs the binary.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        self.run_in(&self.work(), args)
    }

    /// Runs the binary in another folder.
    pub(crate) fn run_in<S: AsRef<OsStr>>(&self, folder: &Path, args: &[S]) -> Ran {
        Ran::of(self.command(NUTHATCH).args(args).current_dir(folder).output().unwrap())
    }

    /// Runs the binary with something on its standard input.
    pub(crate) fn run_with_stdin<S: AsRef<OsStr>>(&self, args: &[S], stdin: &[u8]) -> Ran {
        let mut command = self.command(NUTHATCH);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not want it closes it, and that is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Runs the words of a line, split at spaces.
    pub(crate) fn line(&self, line: &str) -> Ran {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs a line by the shell.
    pub(crate) fn sh(&self, line: &str) -> Ran {
        self.sh_in(&self.work(), line)
    }

    /// Runs a line by the shell in another folder.
    pub(crate) fn sh_in(&self, folder: &Path, line: &str) -> Ran {
        let mut command = self.command("sh");
        Ran::of(command.arg("-c").arg(line).current_dir(folder).output().unwrap())
    }

    /// What is shown on a terminal where `typed` is typed.
    #[cfg(target_os = "linux")]
    pub(crate) fn on_terminal(&self, line: &str, typed: &str) -> Ran {
        self.on_terminal_after("", line, typed)
    }

    /// The same, where nothing is typed before `cue` is shown.
    #[cfg(target_os = "linux")]
    pub(crate) fn on_terminal_after(&self, cue: &str, line: &str, typed: &str) -> Ran {
        let mut command = self.command("script");
        command.args(["--quiet", "--return", "--command", line, "/dev/null"]);
        command.env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut shown = Vec::new();
        while !String::from_utf8_lossy(&shown).contains(cue) {
            let mut byte = [0];
            stdout.read_exact(&mut byte).expect("the cue is shown");
            shown.extend(byte);
        }
        stdin.write_all(typed.as_bytes()).unwrap();
        drop(stdin);
        stdout.read_to_end(&mut shown).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran::of(Output { stdout: shown, ..output })
    }

    /// Each line with everything it printed, made comparable.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut text = String::new();
        for line in lines {
            let ran = self.sh(line);
            text.push_str(&format!("$ {line}\n{}{}", ran.stdout, ran.stderr));
            if ran.code != 0 {
                text.push_str(&format!("exit code {}\n", ran.code));
            }
            text.push('\n');
        }
        self.normalised(&text)
    }

    /// Without the names of this sandbox's own folders.
    pub(crate) fn normalised(&self, text: &str) -> String {
        let text = text.replace(&self.home().display().to_string(), "[HOME]");
        text.replace(&self.root().display().to_string(), "[DIR]")
    }
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("the command was not killed"),
            stdout: String::from_utf8(output.stdout).expect("stdout is text"),
            stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }

    /// Asserts that it went well.
    #[track_caller]
    pub(crate) fn ok(self) -> Ran {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    /// The JSON on its stdout, with nothing else there.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Asserts that it failed for people: code, and words in the message.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &str) {
        assert_eq!(self.code, code, "{self:#?}");
        assert!(self.stderr.starts_with("error: "), "{self:#?}");
        assert!(self.stderr.contains(words), "{words:?} is missing in {self:#?}");
    }

    /// Asserts that it failed for programs: code, kind and words in the message.
    #[track_caller]
    pub(crate) fn fails_in_json(&self, code: i32, kind: &str, words: &str) {
        assert_eq!(self.code, code, "{self:#?}");
        assert_eq!(self.stderr, "", "{self:#?}");
        let answer = self.json();
        let fields: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, ["error"], "{self:#?}");
        assert_eq!(answer["error"]["kind"], kind, "{self:#?}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{words:?} is missing in {self:#?}");
    }
}

/// Compares with the recording of that name, ids and times aside.
#[track_caller]
pub(crate) fn assert_recorded(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings
        .add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[ID]");
    settings.add_filter(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "[TIME]");
    settings.add_filter(r"memory-[0-9a-f]{16}", "memory-[MARKER]");
    settings.add_filter(r"[0-9a-f]{24}\.before", "[FILE].before");
    settings.add_filter(r"project:[0-9a-f]{16}", "project:[PROJECT]");
    settings.add_filter(r"[0-9a-f]{16} by", "[PROJECT] by");
    // A score falls with every millisecond of age: what is a moment old stands just below 1.
    settings.add_filter(r#""score":0\.99\d+"#, r#""score":1.0"#);
    settings.add_filter(r#"("score":\d\.\d\d)\d+"#, "$1");
    settings.add_filter(r"SQLite \d+\.\d+\.\d+", "SQLite [VERSION]");
    settings.add_filter(r"nuthatch \d+\.\d+\.\d+", "nuthatch [VERSION]");
    settings.add_filter(r"\d+ KiB", "[SIZE] KiB");
    settings.add_filter(r#""bytes":\d+"#, r#""bytes":[SIZE]"#);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A terminal that somebody types at.
#[cfg(target_os = "linux")]
pub(crate) struct Terminal {
    child: std::process::Child,
    stdin: std::process::ChildStdin,
    stdout: std::process::ChildStdout,
    shown: Vec<u8>,
    /// What was shown before the last cue.
    seen: usize,
}

#[cfg(target_os = "linux")]
impl Terminal {
    /// Types once `cue` is shown, behind the cue before it.
    #[track_caller]
    pub(crate) fn after(&mut self, cue: &str, typed: &str) {
        loop {
            let new = String::from_utf8_lossy(&self.shown[self.seen..]).into_owned();
            if new.contains(cue) {
                break;
            }
            let mut byte = [0];
            if self.stdout.read_exact(&mut byte).is_err() {
                panic!("{cue:?} was never shown: {}", String::from_utf8_lossy(&self.shown));
            }
            self.shown.extend(byte);
        }
        self.seen = self.shown.len();
        self.types(typed);
    }

    /// Types at a prompt that is shown behind `cue`: what is typed before is not read.
    #[track_caller]
    pub(crate) fn at(&mut self, cue: &str, prompt: &str, typed: &str) {
        self.after(cue, "");
        self.after(prompt, typed);
    }

    /// Types.
    pub(crate) fn types(&mut self, typed: &str) {
        self.stdin.write_all(typed.as_bytes()).unwrap();
        self.stdin.flush().unwrap();
    }

    /// Waits for the end, and says what was shown.
    pub(crate) fn end(mut self) -> String {
        self.stdout.read_to_end(&mut self.shown).unwrap();
        self.child.wait().unwrap();
        String::from_utf8_lossy(&self.shown).into_owned()
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    /// Starts a line on a terminal of its own.
    pub(crate) fn terminal(&self, line: &str) -> Terminal {
        let mut command = self.command("script");
        command.args(["--quiet", "--return", "--command", line, "/dev/null"]);
        command.env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Terminal { child, stdin, stdout, shown: Vec::new(), seen: 0 }
    }
}
