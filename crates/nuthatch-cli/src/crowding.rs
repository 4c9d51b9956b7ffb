//! Says where a store holds more than its limits allow.
//!
//! What is moved or taken in always arrives, whatever the limits say; the next write to the
//! scope holds them, and nobody shall be surprised by that.

use nuthatch::Scope;
use nuthatch::error::Result;
use nuthatch::limits::ScopeLimits;
use nuthatch::store::Store;

use crate::output::Output;
use crate::render;

/// Warns of every scope that the next write would push something out of.
pub async fn warn(
    store: &dyn Store,
    limits: impl Fn(&Scope) -> ScopeLimits,
    out: &mut Output,
) -> Result<()> {
    for usage in store.stats().await?.scopes {
        let entries = limits(&usage.scope).entries;
        let excess = entries.excess(usage.entries);
        if let (Some(limit), true) = (entries.bound(), excess > 0) {
            out.warn(format_args!(
                "{} holds {}, and its limit is {limit}: the next write to it pushes out {excess}",
                usage.scope,
                render::memories(usage.entries),
            ))?;
        }
    }
    Ok(())
}
