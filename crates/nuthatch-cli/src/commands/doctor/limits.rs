//! Whether each scope of a store is within its limits.
//!
//! A limit holds at the next write, so a scope can be over one that was lowered, or that
//! the tool which wrote the file does not have. What nothing pushes out is not counted.

use nuthatch::Rules;
use nuthatch::category::Category;
use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Scopes, Superseded};
use nuthatch::limits::Overflow;
use nuthatch::scope::Scope;
use nuthatch::store::{Finding, Store};

/// A warning for each limit that a scope is over.
pub async fn exceeded(store: &dyn Store, rules: &Rules) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for usage in store.stats().await?.scopes {
        let limits = rules.limits_of(&usage.scope);
        let mut warn = |over: String, limit: Option<u64>, then: &str| {
            let limit = limit.unwrap_or(u64::MAX);
            let detail = format!("{}: {over} over the limit of {limit}; {then}", usage.scope);
            findings.push(Finding::warning("limits", detail, "raise the limit to keep them"));
        };
        let mut over = limits.entries.excess(usage.entries);
        if over > 0 {
            over = over.min(evictable(store, &usage.scope).await?);
        }
        if over > 0 {
            let entries = if over == 1 { "1 entry".into() } else { format!("{over} entries") };
            warn(entries, limits.entries.bound(), "the next write pushes them out");
        }
        let over = limits.chars.excess(usage.chars);
        if over > 0 {
            let then = match limits.overflow {
                Overflow::Refuse => "the next write is refused",
                Overflow::Evict => "the next write makes room",
            };
            warn(format!("{over} characters"), limits.chars.bound(), then);
        }
    }
    Ok(findings)
}

/// How many memories of a scope a limit may push out.
async fn evictable(store: &dyn Store, scope: &Scope) -> Result<u64> {
    let mut filter = Filter::scoped(Scopes::These(vec![scope.clone()]));
    filter.superseded = Superseded::Shown;
    filter.pinned = Some(false);
    let nothing = Page { offset: 0, limit: 0 };
    let unpinned = store.list(&filter, nothing).await?.total;
    filter.categories = vec![Category::restriction()];
    Ok(unpinned - store.list(&filter, nothing).await?.total)
}
