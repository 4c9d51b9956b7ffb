//! Forgetting: by id, or everything a filter means.
//!
//! What a filter means is looked up first, so that it can be shown before it goes.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::filter::{Cursor, Filter, Page};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::store::Store;

/// Ids looked up at a time when a filter is forgotten: bounds memory, not the answer.
const BATCH: u64 = 1000;

/// What was forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forgotten {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// Files in which something of them can still be read, because somebody was reading:
    /// `doctor` empties them once nobody is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lingers: Vec<String>,
}

/// Every memory a filter means: what a forget by that filter would remove.
pub(crate) async fn meant(store: &dyn Store, filter: &Filter) -> Result<Vec<Memory>> {
    let mut found: Vec<Memory> = Vec::new();
    let mut filter = filter.clone();
    loop {
        let batch = store.list(&filter, Page::first(BATCH)).await?.memories;
        let Some(last) = batch.last() else { return Ok(found) };
        // A place in the order stays where it is when memories before it come and go.
        filter.after = Some(Cursor::at(last));
        found.extend(batch);
    }
}
