//! Columns of a Markdown table whose heading says that they hold secrets.
//!
//! In a table the name stands lines above its values, where no link of a sentence or an
//! assignment reaches.

use super::catalogue::{Kind, Rule};
use super::spans::{Span, floor};
use super::value;

/// A heading is short; this bounds how far its line is followed.
const LINE: usize = 400;
/// Rows looked at below one heading; a longer list of secrets is found by its first ones.
const ROWS: usize = 200;

/// Adds the cells below headings at `hits`.
pub(super) fn find(
    text: &str,
    rule: &'static Rule,
    hits: &[(usize, usize)],
    found: &mut Vec<Span>,
) {
    if rule.kind == Kind::Bare
        || !text.contains("|-") && !text.contains("| -") && !text.contains("|:-")
    {
        return;
    }
    let mut below = 0;
    for &(start, _) in hits {
        if start < below {
            continue;
        }
        let nearby = floor(text, start.saturating_sub(LINE));
        let line = text[nearby..start].rfind('\n').map_or(nearby, |at| nearby + at + 1);
        let ahead = floor(text, start + LINE);
        let Some(next) = text[start..ahead].find('\n').map(|at| start + at + 1) else { continue };
        let rule_line = text[next..].lines().next().unwrap_or_default();
        let ruled =
            rule_line.contains('-') && rule_line.bytes().all(|byte| b"|-: \r".contains(&byte));
        if ruled && text[line..start].contains('|') {
            let column = text[line..start].matches('|').count();
            below = cells(text, next + rule_line.len() + 1, column, rule, found);
        }
    }
}

/// Judges the cells of one column from `at` on; tells where the table ends.
fn cells(
    text: &str,
    mut at: usize,
    column: usize,
    rule: &'static Rule,
    found: &mut Vec<Span>,
) -> usize {
    for _ in 0..ROWS {
        let Some(row) = text.get(at..).and_then(|rest| rest.lines().next()) else { break };
        if !row.contains('|') {
            break;
        }
        if let Some(cell) = row.split('|').nth(column) {
            let bare = cell.trim().trim_matches(['`', '*', '"', '\'']);
            let start = bare.as_ptr() as usize - text.as_ptr() as usize;
            if secret(bare.as_bytes(), rule.kind) {
                found.push(Span { rule, start, end: start + bare.len() });
            }
        }
        at += row.len() + 1;
    }
    at
}

fn secret(cell: &[u8], kind: Kind) -> bool {
    let random = value::opaque(cell) || value::long_hex(cell) || value::long_number(cell);
    let password = kind == Kind::Password && value::chosen(cell) && value::odd(cell);
    !value::placeholder(cell) && (random || password)
}
