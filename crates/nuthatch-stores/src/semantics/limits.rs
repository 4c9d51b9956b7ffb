//! Limits, held inside the write that would break them.
//!
//! Entries beyond the limit go, oldest first and all at once; what was just written goes
//! last. Characters are refused or make room, as `overflow` says. Pinned memories and
//! restrictions are never pushed out by others.

use nuthatch::error::{Error, Result};
use nuthatch::id::MemoryId;
use nuthatch::limits::{Overflow, ScopeLimits};
use nuthatch::memory::Memory;

use crate::tx::{Tx, Usage};

/// Makes the scope of `written` keep its limits; `before` is what the scope held before the
/// write. Returns what was pushed out.
pub async fn enforce<T: Tx>(
    tx: &mut T,
    written: &Memory,
    before: Usage,
    limits: &ScopeLimits,
) -> Result<Vec<MemoryId>> {
    let usage = tx.usage(&written.scope).await?;
    if limits.entries.excess(usage.entries) == 0 && limits.chars.excess(usage.chars) == 0 {
        return Ok(Vec::new());
    }
    let mut leaving = Leaving::new(tx, written, usage).await?;
    while limits.entries.excess(leaving.usage.entries) > 0 && leaving.next() {}
    if limits.entries.excess(leaving.usage.entries) > 0 && written.is_evictable() {
        leaving.push(written.id, written.chars());
    }
    // A write that only shrinks is always welcome, even in a scope that is over its limit.
    let grows = usage.chars > before.chars;
    let itself_gone = leaving.gone.contains(&written.id);
    if grows && !itself_gone && limits.chars.excess(leaving.usage.chars) > 0 {
        make_room(&mut leaving, written, before, limits)?;
    }
    let gone = leaving.gone;
    for id in &gone {
        tx.remove_memory(*id).await?;
    }
    Ok(gone)
}

fn make_room(
    leaving: &mut Leaving,
    written: &Memory,
    before: Usage,
    limits: &ScopeLimits,
) -> Result<()> {
    let fits_alone = limits.chars.excess(written.chars()) == 0;
    if limits.overflow == Overflow::Evict && fits_alone {
        while limits.chars.excess(leaving.usage.chars) > 0 && leaving.next() {}
    }
    if limits.chars.excess(leaving.usage.chars) == 0 {
        return Ok(());
    }
    let limit = limits.chars.bound().unwrap_or(u64::MAX);
    Err(Error::conflict(format!(
        "no room in {}: {} of {limit} characters are used, and {} are needed",
        written.scope.kind().name(),
        before.chars,
        written.chars(),
    ))
    .with_hint("forget something, shorten it, or raise the limit; overflow = \"evict\" makes room by itself"))
}

/// The memories that may leave, oldest first, and those that do.
struct Leaving {
    candidates: std::vec::IntoIter<(MemoryId, u64)>,
    gone: Vec<MemoryId>,
    usage: Usage,
}

impl Leaving {
    async fn new<T: Tx>(tx: &mut T, written: &Memory, usage: Usage) -> Result<Self> {
        let mut candidates = tx.evictable(&written.scope).await?;
        candidates.retain(|(id, _)| *id != written.id);
        Ok(Leaving { candidates: candidates.into_iter(), gone: Vec::new(), usage })
    }

    /// The next oldest leaves; false when none is left.
    fn next(&mut self) -> bool {
        match self.candidates.next() {
            Some((id, chars)) => {
                self.push(id, chars);
                true
            }
            None => false,
        }
    }

    fn push(&mut self, id: MemoryId, chars: u64) {
        self.gone.push(id);
        self.usage.entries -= 1;
        self.usage.chars = self.usage.chars.saturating_sub(chars);
    }
}
