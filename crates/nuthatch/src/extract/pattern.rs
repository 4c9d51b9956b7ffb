//! Expressions over English and shell text.
//!
//! The classes `\w`, `\s`, `\d` and the boundary `\b` mean ASCII here: the tables of Unicode are
//! not part of the build. Case is folded by the caller with [`lower`], which moves no byte, so
//! that what is found can be cut out of the original.

use regex::Regex;

/// Compiles a pattern of this folder; they are constants, and each is tried by a test.
pub fn pattern(text: &str) -> Regex {
    let mut ascii = String::with_capacity(text.len() * 2);
    let mut class = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            class = c == '[' || class && c != ']';
            ascii.push(c);
            continue;
        }
        let Some(escaped) = chars.next() else { break };
        let (open, close) = if class { ("", "") } else { ("[", "]") };
        match escaped {
            'w' => ascii.push_str(&format!("{open}0-9A-Za-z_{close}")),
            'd' => ascii.push_str(&format!("{open}0-9{close}")),
            's' => ascii.push_str(&format!(r"{open}\x20\t\r\n{close}")),
            'S' => ascii.push_str(r"[^\x20\t\r\n]"),
            'b' => ascii.push_str(r"(?-u:\b)"),
            other => ascii.extend(['\\', other]),
        }
    }
    Regex::new(&ascii).expect("patterns are constants that a test compiles")
}

/// In lower case as far as ASCII goes: every byte stays in its place.
pub fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}
