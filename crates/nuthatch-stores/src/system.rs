//! What the machine gives an engine: the time and fresh ids.
//!
//! The library itself never asks; it is given these at the door.

use std::sync::Mutex;

use jiff::Timestamp;
use nuthatch::clock::{Clock, Ids};
use uuid::{ContextV7, Uuid};

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// Random version 7 ids that grow within this process.
#[derive(Debug)]
pub struct SystemIds {
    order: Mutex<ContextV7>,
}

impl Default for SystemIds {
    fn default() -> Self {
        SystemIds { order: Mutex::new(ContextV7::new()) }
    }
}

impl Ids for SystemIds {
    fn fresh(&self, at: Timestamp) -> Uuid {
        let order = self.order.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let seconds = u64::try_from(at.as_second()).unwrap_or_default();
        let nanos = u32::try_from(at.subsec_nanosecond()).unwrap_or_default();
        Uuid::new_v7(uuid::Timestamp::from_unix(&*order, seconds, nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_made_in_one_instant_still_grow() {
        let (ids, now) = (SystemIds::default(), SystemClock.now());
        let made: Vec<Uuid> = (0..1000).map(|_| ids.fresh(now)).collect();
        assert!(made.is_sorted() && made.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
