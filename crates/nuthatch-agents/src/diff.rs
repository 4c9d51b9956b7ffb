//! Shows what would change in a file, line by line, without anybody's secrets.
//!
//! Lines around a change are left out: in configuration files they hold other people's keys.

use nuthatch::guard::redact;
use similar::{ChangeTag, TextDiff};

/// Lines that go and come, with where they stand.
pub(crate) fn diff(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = format!("--- {name}\n+++ {name}\n");
    for group in diff.grouped_ops(0) {
        let (first, last) = (group.first(), group.last());
        let (Some(first), Some(last)) = (first, last) else { continue };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let hunk = |range: std::ops::Range<usize>| format!("{},{}", range.start + 1, range.len());
        text.push_str(&format!("@@ -{} +{} @@\n", hunk(old), hunk(new)));
        for op in &group {
            for change in diff.iter_changes(op) {
                let sign = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                let line = change.value().trim_end_matches(['\r', '\n']);
                text.push_str(&format!("{sign}{line}\n"));
            }
        }
    }
    redact(&text).0
}
