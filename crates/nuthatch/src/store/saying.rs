//! Which memories of a store say a text already: asked for many texts at once, because a store may
//! be far away.

use super::Store;
use crate::error::Result;
use crate::filter::{Cursor, Filter, Page, Scopes};
use crate::memory::Memory;
use crate::scope::Scope;

/// Texts asked for, and memories read, at once.
const BATCH: usize = 250;

/// Current memories that say what one of `these` says, in a scope of one of them.
pub(crate) async fn saying(store: &dyn Store, these: &[&Memory]) -> Result<Vec<Memory>> {
    let mut found = Vec::new();
    for some in these.chunks(BATCH) {
        let mut scopes: Vec<Scope> = some.iter().map(|memory| memory.scope.clone()).collect();
        scopes.sort_unstable();
        scopes.dedup();
        let mut filter = Filter::scoped(Scopes::These(scopes));
        filter.contents = some.iter().map(|memory| memory.content.clone()).collect();
        loop {
            let part = store.list(&filter, Page::first(BATCH as u64)).await?.memories;
            let Some(last) = part.last().filter(|_| part.len() == BATCH) else {
                found.extend(part);
                break;
            };
            filter.after = Some(Cursor::at(last));
            found.extend(part);
        }
    }
    Ok(found)
}
