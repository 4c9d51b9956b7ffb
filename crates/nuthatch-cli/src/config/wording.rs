//! How configuration errors speak: foreign text made safe to print, and near names.
//!
//! A project file comes from a repository and may hold anything, so nothing of it is
//! printed before it has passed [`quoted`].

use nuthatch::error::Error;

/// Enough to recognise what was written; longer text hides the message around it.
const MOST_QUOTED: usize = 48;

/// Longer names are not typing errors, and comparing them costs time.
const MOST_COMPARED: usize = 64;

/// What is wrong with a value, before anyone knows where the value stood.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    /// What was expected and what was found.
    pub message: String,
    /// What helps, where something is known to.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem that needs no hint.
    pub fn new(message: impl Into<String>) -> Self {
        Problem { message: message.into(), hint: None }
    }

    /// Adds what helps.
    pub fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The error of this problem at `place`, which reads like the front of a sentence.
    pub fn at(self, place: &str) -> Error {
        let error = Error::invalid(format!("{place}: {}", self.message));
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// Foreign text in quotes: control and invisible characters escaped, cut when long.
pub fn quoted(text: &str) -> String {
    let mut safe: String = text.chars().take(MOST_QUOTED).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST_QUOTED).is_some() {
        safe.push('…');
    }
    format!("\"{safe}\"")
}

/// The candidate that differs from `wanted` by a typing error or two.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wanted.chars().count();
    if length == 0 || length > MOST_COMPARED {
        return None;
    }
    let wanted = wanted.to_lowercase();
    // A third of the letters: more is another word, not a slip.
    let tolerance = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// A hint that asks whether `name` was meant.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean {}?", quoted(name))
}

/// Joins alternatives the way a sentence does: `"a", "b" or "c"`.
pub fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
