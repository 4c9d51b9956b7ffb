//! Queries of words that nobody ever wrote: they are read as the words that are spelled most like
//! them. Only where not one of a query's words is known, because a word that is known is meant.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;
use crate::filter::Filter;
use crate::store::Store;
use crate::text::{may_be_misspelt, most_alike};

/// Words of a query that are looked up at most.
const MOST_WORDS: usize = 16;

/// The terms as they may be meant, if any of them may be meant otherwise.
pub async fn meant(
    store: &dyn Store,
    filter: &Filter,
    terms: &[String],
) -> Result<Option<Vec<String>>> {
    let mut known: BTreeMap<char, Vec<String>> = BTreeMap::new();
    let mut meant = terms.to_vec();
    let misspelt = meant.iter_mut().filter(|term| may_be_misspelt(term)).take(MOST_WORDS);
    for term in misspelt {
        let Some(initial) = term.chars().next() else { continue };
        let words = match known.entry(initial) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(store.words(filter, &initial.to_string()).await?),
        };
        if let Some(word) = most_alike(term, words) {
            *term = word.to_owned();
        }
    }
    let mut seen = BTreeSet::new();
    meant.retain(|term| seen.insert(term.clone()));
    Ok((meant != terms).then_some(meant))
}
