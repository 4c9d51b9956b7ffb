//! Sentences people write to agents, and what is kept of them.

use super::super::prose::sentences;
use super::*;

fn kept(message: &str) -> Vec<(String, &'static str)> {
    let found = sentences(message);
    found.iter().filter_map(asked).map(|one| (one.text, one.category)).collect()
}

fn one(message: &str) -> Option<(String, &'static str)> {
    kept(message).into_iter().next()
}

/// What is said, what is kept of it, and as what.
const LASTING: &[(&str, &str, &str)] = &[
    (
        "remember that the staging server listens on port 8443",
        "The staging server listens on port 8443.",
        "core",
    ),
    ("Please remember: we use pnpm, never npm.", "We use pnpm, never npm.", "core"),
    ("ok, from now on use pnpm instead of npm", "Use pnpm instead of npm.", "convention"),
    (
        "please always run the linter before committing",
        "Always run the linter before committing.",
        "convention",
    ),
    ("Never push to main!", "Never push to main.", "restriction"),
    (
        "can you always write the commit message in English?",
        "Always write the commit message in English.",
        "convention",
    ),
    ("don't commit unless I ask you to", "Don't commit unless I ask you to.", "restriction"),
    (
        "I prefer small commits over large ones",
        "The user says: I prefer small commits over large ones.",
        "preference",
    ),
    (
        "In this repo we use tabs for indentation",
        "In this repo we use tabs for indentation.",
        "convention",
    ),
    (
        "I'm a data engineer at a bank",
        "The user says: I'm a data engineer at a bank.",
        "personal_fact",
    ),
    (
        "we decided to use Postgres instead of MySQL",
        "We decided to use Postgres instead of MySQL.",
        "core",
    ),
    (
        "whenever you add a migration, update the changelog",
        "Whenever you add a migration, update the changelog.",
        "workflow",
    ),
    (
        "I told you not to add comments to obvious code",
        "Do not add comments to obvious code.",
        "restriction",
    ),
    (
        "stop adding emojis to commit messages",
        "Stop adding emojis to commit messages.",
        "restriction",
    ),
    (
        "next time run the formatter before you commit",
        "Run the formatter before you commit.",
        "convention",
    ),
    (
        "please don't add new dependencies in the future",
        "Don't add new dependencies.",
        "restriction",
    ),
    ("from now on we use uv for Python", "We use uv for Python.", "convention"),
    (
        "add a note to CLAUDE.md that integration tests need Docker",
        "Integration tests need Docker.",
        "convention",
    ),
    (
        "update AGENTS.md to always run `make lint` before a commit",
        "Always run `make lint` before a commit.",
        "convention",
    ),
    ("invalid themes must NEVER explode", "Invalid themes must NEVER explode.", "convention"),
    (
        "All commit messages must start with a verb",
        "All commit messages must start with a verb.",
        "convention",
    ),
];

#[test]
fn what_is_to_last_is_kept_in_words_that_can_be_read_alone() {
    for &(message, text, category) in LASTING {
        assert_eq!(one(message), Some((text.to_owned(), category)), "{message}");
    }
}

#[test]
fn false_friends_are_not_kept() {
    for message in [
        // For the task at hand.
        "don't change the parser in this file yet",
        "remember to add a test for this",
        "use the spinner instead of the custom one",
        "never mind",
        "don't use confirm(), just prompt() with default=y",
        "always keep it short in this message",
        "for now never push",
        "let's go with option 2",
        "let's use that instead",
        "I prefer the second approach",
        "I'd prefer if you fix it",
        "don't modify send_with_retries",
        "stop asking and just list the plan now",
        "stop pushing this back to me",
        "let's go with the flexible one",
        "I told you to compile it on the fly",
        "from now on make sure your system keeps its data straight",
        "in the future we will add OAuth",
        "we might move to Postgres in the future",
        "add tests for the parser in the future",
        "I usually run the app with make dev and then it crashes",
        "update CLAUDE.md",
        // About the program, not about work.
        "the main prompt should always show one file per line",
        "the theme must never explode",
        "this must never happen again in production",
        "this function never returns null",
        "always show the total on the line before",
        // Questions, doubts, suppositions.
        "should we always use tabs?",
        "do you remember that we use tabs?",
        "what if we always cached the result?",
        "maybe we should never cache",
        "do you always run the tests before committing?",
        // Complaints and jokes.
        "you always forget the tests",
        "thanks for always breaking the build",
        "yeah right, never test anything",
        // Somebody else's words.
        "the docs say \"always use tabs\"",
        "> always use tabs",
        "he said we never deploy on Fridays",
        // Other.
        "I remember that we had tabs",
        "remember when we used tabs everywhere?",
        "it always fails on the second run",
        "immer wieder das gleiche Problem",
    ] {
        assert_eq!(kept(message), [], "{message}");
    }
}
