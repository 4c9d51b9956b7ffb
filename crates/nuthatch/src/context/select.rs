//! Finds what says the same as something further up.
//!
//! Words decide, not meanings: what is left out must be the same text, not a similar one.

use std::collections::HashSet;

use super::item::Item;
use crate::id::ContentHash;

/// Which items repeat an earlier one, or say nothing.
pub(super) fn repeats(items: &[Item]) -> Vec<bool> {
    let mut seen = HashSet::new();
    let is_new = |item: &Item| {
        let text = item.text.trim();
        !text.is_empty() && seen.insert(ContentHash::of(None, text))
    };
    items.iter().map(is_new).map(|new| !new).collect()
}
