//! How often one token may ask.
//!
//! Each has a bucket that fills at an even pace and holds two seconds' worth, so that a burst is
//! nothing and a flood is. Kept by each process for itself: what is protected is the process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Buckets kept before those that are full again are thrown away.
const BUCKETS: usize = 10_000;
/// Seconds of asking that a bucket holds.
const BURST: f64 = 2.0;
/// Seconds to wait where nothing is allowed at all.
const NEVER: u64 = 3600;

struct Bucket {
    level: f64,
    at: Duration,
}

/// A pace, and how far everybody is from it.
pub struct Rate {
    per_second: Option<u64>,
    begun: Instant,
    buckets: Mutex<HashMap<String, Bucket>>,
}

impl Rate {
    /// So many requests a second for each token, or any number.
    #[must_use]
    pub fn new(per_second: Option<u64>) -> Self {
        Rate { per_second, begun: Instant::now(), buckets: Mutex::default() }
    }

    /// Counts a request, or says after how many seconds to come again.
    pub(super) fn take(&self, who: &str) -> Result<(), u64> {
        self.take_at(who, self.begun.elapsed())
    }

    fn take_at(&self, who: &str, now: Duration) -> Result<(), u64> {
        let Some(per_second) = self.per_second else { return Ok(()) };
        #[allow(clippy::cast_precision_loss, reason = "nobody allows so many")]
        let pace = per_second as f64;
        let most = (pace * BURST).max(1.0);
        if per_second == 0 {
            return Err(NEVER);
        }
        let level = |bucket: &Bucket| {
            (bucket.level + now.saturating_sub(bucket.at).as_secs_f64() * pace).min(most)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS {
            buckets.retain(|_, bucket| level(bucket) < most);
        }
        let bucket =
            buckets.entry(who.to_owned()).or_insert(Bucket { level: most, at: Duration::ZERO });
        let filled = level(bucket);
        bucket.at = now;
        if filled < 1.0 {
            bucket.level = filled;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            return Err((((1.0 - filled) / pace).ceil() as u64).max(1));
        }
        bucket.level = filled - 1.0;
        Ok(())
    }
}

impl std::fmt::Debug for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rate({:?})", self.per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_two_seconds_passes_and_the_pace_holds_after_it() {
        let rate = Rate::new(Some(5));
        let at = Duration::from_millis;
        for _ in 0..10 {
            assert_eq!(rate.take_at("a", at(0)), Ok(()));
        }
        assert_eq!(rate.take_at("a", at(0)), Err(1));
        assert_eq!(rate.take_at("b", at(0)), Ok(()), "another token has a bucket of its own");
        assert_eq!(rate.take_at("a", at(100)), Err(1));
        assert_eq!(rate.take_at("a", at(200)), Ok(()));
        assert_eq!(rate.take_at("a", at(200)), Err(1));
        let passed = (0..100).filter(|_| rate.take_at("a", at(60_000)).is_ok()).count();
        assert_eq!(passed, 10, "a bucket never holds more than two seconds' worth");
    }

    #[test]
    fn no_limit_lets_everything_through_and_nothing_lets_nothing() {
        assert!((0..10_000).all(|_| Rate::new(None).take("a").is_ok()));
        assert_eq!(Rate::new(Some(0)).take("a"), Err(NEVER));
        let slow = Rate::new(Some(1));
        assert_eq!((slow.take("a"), slow.take("a")), (Ok(()), Ok(())));
    }
}
