//! Time and ids that a test decides.
//!
//! Both can be shared between threads: a case may hand one clock to many writers.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use nuthatch::clock::{Clock, Ids};
use uuid::Uuid;

/// 2026-03-10T12:00:00Z: recent enough that ages in a test look like ages in life.
const START_MICROS: i64 = 1_773_144_000_000_000;

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct FixedClock {
    micros: AtomicI64,
}

impl FixedClock {
    /// A clock that shows `at`, cut to the microsecond.
    #[must_use]
    pub fn at(at: Timestamp) -> Self {
        FixedClock { micros: AtomicI64::new(at.as_microsecond()) }
    }

    /// Moves the clock to `at`, forwards or backwards.
    pub fn set(&self, at: Timestamp) {
        self.micros.store(at.as_microsecond(), Ordering::SeqCst);
    }

    /// Moves the clock by a duration and says what it shows then; a negative one goes back.
    pub fn advance(&self, by: SignedDuration) -> Timestamp {
        let micros =
            i64::try_from(by.as_micros()).expect("a test moves the clock by years at most");
        timestamp(self.micros.fetch_add(micros, Ordering::SeqCst) + micros)
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        FixedClock { micros: AtomicI64::new(START_MICROS) }
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        timestamp(self.micros.load(Ordering::SeqCst))
    }
}

fn timestamp(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).expect("a test stays within the years a timestamp has")
}

/// Ids of version 7 that count up, so that a run can be repeated and ids sort as made.
#[derive(Debug, Default)]
pub struct SequentialIds {
    next: AtomicU64,
}

impl SequentialIds {
    /// Ids that begin to count at `first`, to stay apart from those of another source.
    #[must_use]
    pub fn starting_at(first: u64) -> Self {
        SequentialIds { next: AtomicU64::new(first) }
    }
}

impl Ids for SequentialIds {
    fn fresh(&self, at: Timestamp) -> Uuid {
        // Version 7 cannot name a time before 1970.
        let millis = u64::try_from(at.as_millisecond()).unwrap_or(0);
        let mut tail = [0_u8; 10];
        tail[2..].copy_from_slice(&self.next.fetch_add(1, Ordering::SeqCst).to_be_bytes());
        uuid::Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_only_by_hand() {
        let clock = FixedClock::default();
        assert_eq!(clock.now().to_string(), "2026-03-10T12:00:00Z");
        clock.advance(SignedDuration::from_micros(-1));
        assert_eq!(clock.now().to_string(), "2026-03-10T11:59:59.999999Z");
        clock.set("1969-01-01T00:00:00Z".parse().unwrap());
        assert_eq!(clock.now(), clock.now());
    }

    #[test]
    fn sequential_ids_are_version_7_and_sort_as_made() {
        let ids = SequentialIds::default();
        let at = FixedClock::default().now();
        let made: Vec<Uuid> = (0..300).map(|_| ids.fresh(at)).collect();
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.get_version_num() == 7));
    }
}
