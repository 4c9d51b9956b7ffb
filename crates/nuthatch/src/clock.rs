//! Time and fresh ids come from outside, so that the library is deterministic.
//!
//! The machine's own are in `nuthatch-stores`, ones that stand still in `nuthatch-testkit`.

use jiff::Timestamp;
use uuid::Uuid;

/// Says what time it is.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Timestamp;
}

/// Makes ids nobody has seen.
pub trait Ids: Send + Sync {
    /// A fresh version 7 id for something that happens `at`.
    fn fresh(&self, at: Timestamp) -> Uuid;
}
