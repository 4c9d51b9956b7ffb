//! Takes out of an item what a person who reads it would not see.
//!
//! A file of a repository or a page can spell orders in characters without a shape. A model
//! reads them; whoever looked at the file did not. What writing needs stays.

use super::item::{Item, Note};
use crate::guard::inspect;

/// What is taken out can bring two others together that are hidden then; a text that still
/// changes after so many rounds was made to.
const ROUNDS: usize = 8;

/// Leaves what is seen, and says how much was not.
pub(super) fn show(item: &mut Item) -> Option<Note> {
    let mut taken = 0;
    for _ in 0..ROUNDS {
        let hidden = inspect(&item.text);
        if hidden.is_empty() {
            break;
        }
        let mut shown = String::with_capacity(item.text.len());
        let mut from = 0;
        for finding in &hidden {
            shown.push_str(&item.text[from..finding.start]);
            taken += item.text[finding.start..finding.end].chars().count();
            from = finding.end;
        }
        shown.push_str(&item.text[from..]);
        item.text = shown;
    }
    let message = format!("{taken} characters that are not seen were left out");
    (taken > 0).then(|| Note::new(item.citation.clone(), message))
}
