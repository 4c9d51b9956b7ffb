//! Command lines as far as they can be compared: one command, its program and its words.
//!
//! Changes of folder before it, and what only shortens its output behind it, do not belong to
//! a command. Lines that do more than one thing, or hold scripts, are not looked at.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::pattern::pattern;

/// Longest command that is told to anybody, in characters.
const MOST_CHARS: usize = 100;

static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) \s* (?: (?: \d? >&\d | \d?> \s* /dev/null | &> \s* /dev/null ) \s*
            | \| \s* (?: tail | head | cat | less | wc | sort | uniq | tee ) (?: \s+ [^|&;]* )?
            | \|\| \s* true | ; \s* echo \s [^|&;]* | && \s* echo \s [^|&;]* ) $",
    )
});
static FOLDER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^\s*cd\s+(?:"([^"]+)"|'([^']+)'|(\S+))\s*(?:&&|;)\s*"#));
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[A-Z_][A-Z0-9_]*=\S*$"));

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The folder it was run in, where the line says so.
    pub folder: Option<String>,
    /// Its words: settings before it, program, arguments.
    pub words: Vec<String>,
    /// Whether its own exit status is what the shell reported.
    pub piped: bool,
    program: usize,
}

impl Line {
    /// Reads a command line; `None` where it is not one simple command.
    pub fn of(text: &str) -> Option<Line> {
        let mut rest = text.trim();
        let mut folder = None;
        while let Some(found) = FOLDER.captures(rest) {
            folder = (1..=3).find_map(|nth| found.get(nth)).map(|one| one.as_str().to_owned());
            rest = &rest[found.get(0)?.end()..];
        }
        let mut piped = false;
        while let Some(found) = TAIL.find(rest) {
            piped |= found.as_str().contains(['|', ';', '&']) && !found.as_str().contains("&1");
            rest = &rest[..found.start()];
        }
        if rest.chars().count() > MOST_CHARS
            || rest.contains(['\n', '|', ';', '<', '>', '`', '$', '&', '\\', '{'])
        {
            return None;
        }
        let words = words(rest)?;
        let program = words.iter().position(|word| !ASSIGNED.is_match(word))?;
        Some(Line { folder, words, piped, program })
    }

    /// The line without folder and tail.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// The program, without its path.
    pub fn program(&self) -> &str {
        let word = self.words[self.program].as_str();
        word.rsplit('/').next().unwrap_or(word)
    }

    /// What follows the program.
    pub fn arguments(&self) -> &[String] {
        &self.words[self.program + 1..]
    }

    /// The first argument that is no option: what is to be done.
    pub fn task(&self) -> Option<&str> {
        self.arguments().iter().map(String::as_str).find(|word| !word.starts_with('-'))
    }
}

/// The words of a line, quoted ones with their quotes; `None` where a quote is open.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) => {
                word.push(c);
                if c == open {
                    quote = None;
                }
            }
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            None => {
                if matches!(c, '"' | '\'') {
                    quote = Some(c);
                }
                word.push(c);
            }
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    (quote.is_none() && !words.is_empty()).then_some(words)
}

/// The command line that a call of a tool runs, if it runs one.
pub fn command(tool: &str, input: &str) -> Option<String> {
    let tool = tool.to_lowercase();
    let known = ["bash", "shell", "exec", "terminal", "command", "powershell"];
    if !known.iter().any(|word| tool.contains(word)) || tool.contains("output") {
        return None;
    }
    let Ok(value) = serde_json::from_str::<Value>(input) else {
        let plain = !input.trim_start().starts_with(['{', '[']);
        return plain.then(|| input.trim().to_owned());
    };
    let given = ["command", "cmd", "script", "input"].iter().find_map(|name| value.get(name));
    match given.unwrap_or(&value) {
        Value::String(line) => Some(line.trim().to_owned()),
        // As a list: a shell with the line as its last word, or the words themselves.
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            match parts.as_slice() {
                [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') => {
                    Some((*line).to_owned())
                }
                [] => None,
                parts => Some(parts.join(" ")),
            }
        }
        _ => None,
    }
}

/// Whether a tool writes files: then it may be that, and not another command, that helped.
pub fn writes(tool: &str) -> bool {
    let tool = tool.to_lowercase();
    ["edit", "write", "patch", "replace", "create", "insert"].iter().any(|word| tool.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_belong_to_a_command_is_taken_off() {
        let line = Line::of("cd web && CI=1 npm run test -- --run 2>&1 | tail -n 20").unwrap();
        assert_eq!(line.text(), "CI=1 npm run test -- --run");
        assert_eq!((line.program(), line.task()), ("npm", Some("run")));
        assert_eq!((line.folder.as_deref(), line.piped), (Some("web"), true));
        assert!(!Line::of("go build ./... 2>&1").unwrap().piped);
    }

    #[test]
    fn scripts_and_chains_are_not_one_command() {
        for text in
            ["a && b", "for x in *; do y; done", "cat <<EOF\nx\nEOF", "echo $(date)", "x 'y", ""]
        {
            assert_eq!(Line::of(text), None, "{text}");
        }
    }

    #[test]
    fn the_command_is_found_in_every_agents_call() {
        for (tool, input) in [
            ("Bash", r#"{"command": "ls -l", "description": "x"}"#),
            ("shell", r#"{"command": ["bash", "-lc", "ls -l"]}"#),
            ("exec_command", r#"{"cmd": "ls -l"}"#),
            ("run_shell_command", r#"{"command": "ls -l"}"#),
            ("bash", "ls -l"),
        ] {
            assert_eq!(command(tool, input).as_deref(), Some("ls -l"), "{tool}");
        }
        for (tool, input) in
            [("Read", r#"{"command": "x"}"#), ("Bash", "{\"command\": \"cut"), ("BashOutput", "{}")]
        {
            assert_eq!(command(tool, input), None, "{tool}");
        }
    }
}
