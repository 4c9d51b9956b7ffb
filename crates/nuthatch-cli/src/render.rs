//! How memories look to a person.
//!
//! Text is styled here and unstyled by `output` where styles would not show. What was
//! stored may come from anywhere, so control characters never reach the terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use nuthatch::recall::{Hit, Lane, Recalled};
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::text::analyse;
use nuthatch::{Memory, Shown};

const STRONG: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const LABEL: Style = AnsiColor::Cyan.on_default();
const FOUND: Style = AnsiColor::Green.on_default().bold();

/// Text without anything that could steer a terminal or hide what it says.
pub fn visible(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut in_flag = false;
    let shown = |(at, &c): (usize, &char)| {
        // The flags of some countries are spelled in letters that are not seen elsewhere.
        in_flag = c == '\u{1F3F4}' || (in_flag && is_tag(c));
        let kept = match c {
            '\n' => true,
            '\u{200C}' | '\u{200D}' => joins(&chars, at),
            c => in_flag || !is_unseen(c),
        };
        if kept { c } else { '\u{FFFD}' }
    };
    chars.iter().enumerate().map(shown).collect()
}

/// A longer text without anything that could steer a terminal; its lines and columns stay.
pub fn plain(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c) || matches!(c, '\n' | '\t')).collect()
}

/// Controls of the terminal and of the direction of writing, and what has no width. Whether
/// a joiner is seen depends on its neighbours, so the two are not among them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || is_tag(c)
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}'
            | '\u{17B5}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E007F}')
}

/// Emoji and many scripts are written with joiners; between Latin letters they only hide.
fn joins(chars: &[char], at: usize) -> bool {
    let shaped = |place: Option<usize>| {
        place.and_then(|place| chars.get(place)).is_some_and(|c| u32::from(*c) > 0x2FF)
    };
    shaped(at.checked_sub(1)) && shaped(Some(at + 1))
}

/// How long ago something happened.
pub fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs();
    let (count, unit) = match seconds {
        ..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        86_400..2_592_000 => (seconds / 86_400, "day"),
        2_592_000..31_536_000 => (seconds / 2_592_000, "month"),
        _ => (seconds / 31_536_000, "year"),
    };
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{ending} ago")
}

/// The current project goes without saying; any other scope is named.
fn scope_unless(scope: &Scope, project: &Scope) -> String {
    if scope == project {
        String::new()
    } else {
        format!(" {DIM}{}{DIM:#}", visible(&scope.to_string()))
    }
}

/// A scope in a sentence; ids of projects are for machines.
pub fn place(scope: &Scope, project: &Scope) -> String {
    match scope.kind() {
        ScopeKind::Project if scope == project => "this project".to_owned(),
        _ => scope.to_string(),
    }
}

/// One hit as a few lines.
pub fn hit(hit: &Hit, terms: &[String], project: &Scope, now: Timestamp) -> String {
    let mut text = format!("{STRONG}{:.2}{STRONG:#} ", hit.score);
    let _ = match hit.role {
        Some(role) => write!(text, "{LABEL}[{role} in {}]{LABEL:#}", hit_session(hit)),
        None => write!(text, "{LABEL}[{}]{LABEL:#}", hit.category),
    };
    text.push_str(&scope_unless(&hit.scope, project));
    if let Some(key) = &hit.key {
        let _ = write!(text, " {STRONG}{}{STRONG:#}", visible(key));
    }
    let ellipsis = if hit.cut { "…" } else { "" };
    let passage = format!("{ellipsis}{}{ellipsis}", highlighted(&visible(&hit.content), terms));
    let _ = write!(text, "\n     {}", passage.replace('\n', "\n     "));
    let _ = write!(text, "\n     {DIM}{}  {}", visible(&hit.id), age(now, hit.created_at));
    if let Some(newer) = hit.superseded_by {
        let _ = write!(text, "  replaced by {newer}");
    }
    for other in &hit.contradicts {
        let _ = write!(text, "  says otherwise than {other}");
    }
    let _ = write!(text, "{DIM:#}");
    text
}

fn hit_session(hit: &Hit) -> String {
    hit.session_id.as_ref().map(|id| visible(id.as_str())).unwrap_or_default()
}

/// Why a hit stands where it does.
pub fn evidence(hit: &Hit) -> String {
    let mut text = String::new();
    for (lane, seen) in &hit.lanes {
        let saw = match lane {
            Lane::Text => format!("by text: BM25 {:.2}", seen.raw),
            Lane::Vector => format!("by meaning: cosine {:.3}", seen.raw),
            Lane::Key => "by its key".to_owned(),
            Lane::Recent => format!("by time: {:.1} days old", seen.raw),
        };
        let _ = write!(text, "     {DIM}{saw}");
        if !seen.terms.is_empty() {
            let _ = write!(text, ", holds {}", seen.terms.join(", "));
        }
        let _ = writeln!(text, "; {}{DIM:#}", hit.trust);
    }
    let parts: Vec<String> =
        hit.parts.iter().map(|(name, value)| format!("{} {value:+.2}", part(name))).collect();
    if !parts.is_empty() {
        let _ = writeln!(text, "     {DIM}made of {}{DIM:#}", parts.join(", "));
    }
    text.truncate(text.trim_end().len());
    text
}

/// A part of a score, as people call it.
fn part(name: &str) -> &str {
    match name {
        "words" => "words in common",
        "meaning" => "nearness in meaning",
        "length" => "a long text",
        "said_by_model" => "said by a model",
        "newness" => "new",
        "age" => "old",
        "time_spoken_of" => "of the time asked about",
        "key" => "the key asked for",
        "conversation" => "a conversation that fits",
        "later" => "later than what it contradicts",
        "replaced" => "replaced by another",
        other => other,
    }
}

/// How an answer came about.
pub fn trace(recalled: &Recalled) -> String {
    let trace = &recalled.trace;
    let terms = match trace.terms.as_slice() {
        [] => "no words".to_owned(),
        terms => terms.join(", "),
    };
    let mut text = format!("{DIM}{} recall for {terms}: {} found", trace.mode.name(), trace.found);
    if let Some(model) = &trace.model {
        let _ = write!(text, "; meanings by {model}");
    }
    if trace.pending > 0 {
        let _ = write!(text, "; {} not embedded yet", trace.pending);
    }
    if let Some(period) = &trace.period {
        let _ = write!(text, "; about {} to {}", period.from, period.to);
    }
    text + &format!("{DIM:#}")
}

/// The words of the query, marked where they stand in `text`.
fn highlighted(text: &str, terms: &[String]) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut at = 0;
    for found in analyse(text).into_iter().filter(|found| terms.contains(&found.term)) {
        // Parts of an identifier overlap with the whole; the first mark covers them.
        if found.start >= at {
            let word = &text[found.start..found.end];
            let _ = write!(marked, "{}{FOUND}{word}{FOUND:#}", &text[at..found.start]);
            at = found.end;
        }
    }
    marked.push_str(&text[at..]);
    marked
}

/// One memory on one line, cut to `width` where one is given.
pub fn line(memory: &Memory, project: &Scope, width: Option<usize>) -> String {
    let pin = if memory.pinned { "*" } else { " " };
    let mut plain = format!("[{}]", memory.category);
    if memory.scope != *project {
        let _ = write!(plain, " {}", visible(&memory.scope.to_string()));
    }
    if let Some(key) = &memory.key {
        let _ = write!(plain, " {}:", visible(key));
    }
    if !memory.is_current() {
        plain.push_str(" (replaced)");
    }
    let content = visible(&memory.content).replace('\n', " ");
    let room = width.map(|width| width.saturating_sub(40 + plain.chars().count()));
    let content = match room {
        Some(room) if content.chars().count() > room => {
            let cut: String = content.chars().take(room.saturating_sub(1)).collect();
            format!("{cut}…")
        }
        _ => content,
    };
    format!("{DIM}{}{DIM:#} {pin}{LABEL}{plain}{LABEL:#} {content}", memory.id)
}

/// A memory with everything known about it.
pub fn shown(shown: &Shown, project: &Scope, now: Timestamp) -> String {
    let memory = &shown.memory;
    let mut text = format!("{}\n\n", visible(&memory.content));
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{LABEL}{name:<11}{LABEL:#} {}", visible(&value));
    };
    let when = |at: Timestamp| format!("{at} ({})", age(now, at));
    row("id", memory.id.to_string());
    memory.key.iter().for_each(|key| row("key", key.clone()));
    row("category", memory.category.to_string());
    row(
        "scope",
        format!(
            "{}{}",
            memory.scope,
            if memory.scope == *project { " (this project)" } else { "" }
        ),
    );
    memory.session_id.iter().for_each(|session| row("session", session.to_string()));
    row("trust", format!("{}, said by {}", memory.trust, memory.origin));
    row("importance", memory.importance.value().to_string());
    row("pinned", if memory.pinned { "yes" } else { "no" }.to_owned());
    row("created", when(memory.created_at));
    row("updated", when(memory.updated_at));
    row(
        "used",
        memory.last_used_at.map_or("not yet".to_owned(), |at| {
            format!("{}, last {}", times(memory.used), when(at))
        }),
    );
    memory.metadata.iter().for_each(|(name, value)| row("metadata", format!("{name}={value}")));
    memory.superseded_by.iter().for_each(|by| row("replaced by", by.to_string()));
    for version in &shown.versions {
        row(
            &format!("version {}", version.number),
            format!("{} ({})", version.content.replace('\n', " "), age(now, version.replaced_at)),
        );
    }
    text
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// `1 memory`, `2 memories`.
pub fn memories(count: u64) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let then: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        for (now, expected) in [
            ("2026-01-01T00:00:59Z", "just now"),
            ("2025-12-01T00:00:00Z", "just now"),
            ("2026-01-01T00:01:00Z", "1 minute ago"),
            ("2026-01-01T05:00:00Z", "5 hours ago"),
            ("2026-01-03T00:00:00Z", "2 days ago"),
            ("2026-03-15T00:00:00Z", "2 months ago"),
            ("2029-01-01T00:00:00Z", "3 years ago"),
        ] {
            assert_eq!(age(now.parse().unwrap(), then), expected);
        }
    }

    #[test]
    fn stored_text_cannot_steer_the_terminal() {
        assert_eq!(visible("a\u{1B}[31mb\nc\u{9B}d"), "a\u{FFFD}[31mb\nc\u{FFFD}d");
        assert_eq!(visible("a\u{202E}b\u{2066}c\u{200B}d"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}d");
        assert_eq!(visible("to\u{200D}ken\u{E0041}"), "to\u{FFFD}ken\u{FFFD}");
        let flag = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        for written in [flag, "👩\u{200D}💻", "می\u{200C}خواهم", "中文"] {
            assert_eq!(visible(written), written);
        }
    }

    #[test]
    fn matched_words_are_marked_in_whatever_form_they_stand() {
        let terms = nuthatch::text::query_terms("tab databases");
        let marked = highlighted("Tabs, never a DATABASE", &terms);
        let plain = anstream::adapter::strip_str(&marked).to_string();
        assert_eq!(plain, "Tabs, never a DATABASE");
        assert!(marked.starts_with(&format!("{FOUND}Tabs{FOUND:#}, never")));
        assert!(marked.ends_with(&format!("{FOUND}DATABASE{FOUND:#}")));
    }
}
