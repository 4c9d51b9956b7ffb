//! Finds credentials in a text: provider tokens, keys, passwords, connection strings.
//!
//! One pass looks for the keywords of the catalogue; only the rules whose keyword occurs
//! are tried, and only near it. Written for sentences as much as for code. It tells where
//! a secret stands and which rule says so, and never repeats it. What is done about a
//! finding is the caller's business.

mod assign;
mod base64;
mod catalogue;
mod check;
mod fold;
mod identifier;
mod link;
mod near;
mod published;
mod spans;
mod table;
mod token;
mod value;

use super::{Category, Finding};
use catalogue::{Catalogue, Kind};
use spans::Span;

/// Every credential in `text`, in order, as byte spans that do not overlap.
///
/// Time is linear in the text; the first call also reads the rule catalogue, and a rule's
/// pattern is compiled when its keyword is first met.
#[must_use]
pub fn scan(text: &str) -> Vec<Finding> {
    let folded = fold::fold(text);
    let mut found = scan_plain(folded.text());
    for run in base64::printable_runs(folded.text()) {
        let inner = scan_plain(&run.decoded);
        found.extend(inner.first().map(|first| Span { start: run.start, end: run.end, ..*first }));
    }
    spans::merge(found)
        .into_iter()
        .map(|span| {
            let (start, end) = folded.original(span.start, span.end);
            Finding { category: Category::Secret, rule: span.rule.id.as_str().into(), start, end }
        })
        .collect()
}

/// One level: what is wrapped in base64 or split by invisible characters is the caller's.
fn scan_plain(text: &str) -> Vec<Span> {
    let catalogue = Catalogue::shared();
    let mut found = Vec::new();
    for (rule, hits) in catalogue.hits(text) {
        match rule.kind {
            Kind::Token => token::find(text, rule, &hits, &mut found),
            Kind::Near => near::find(text, rule, &hits, &mut found),
            Kind::Password | Kind::Named | Kind::Bare => {
                assign::find(text, rule, &hits, &mut found);
                table::find(text, rule, &hits, &mut found);
            }
        }
    }
    let found = found.iter().map(|span| span.within(text));
    found.filter(|span| !published::is_sample(&text[span.start..span.end])).collect()
}

#[cfg(test)]
mod tests;
