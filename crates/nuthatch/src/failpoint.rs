//! Named moments at which a test may end the process.
//!
//! Only the feature `testing` has them, and nothing that ships turns that on: without it,
//! reaching one is nothing at all.

/// Every moment, in the order in which a run reaches them.
pub const POINTS: [&str; 11] = [
    "extract: claimed",
    "extract: taken in",
    "extract: read",
    "extract: memory stored",
    "extract: before finish",
    "extract: finished",
    "consolidate: claimed",
    "consolidate: made",
    "shelf: staged",
    "shelf: committed",
    "shelf: published",
];

#[cfg(feature = "testing")]
static REACHED: std::sync::OnceLock<fn(&str)> = std::sync::OnceLock::new();

/// Lets `act` see every moment from now on; the first one to say so stays.
#[cfg(feature = "testing")]
pub fn watch(act: fn(&str)) {
    // A second watcher has nothing to add in a process that the first one ends.
    let _ = REACHED.set(act);
}

/// Says that a moment has come.
#[inline]
pub fn reach(point: &'static str) {
    #[cfg(feature = "testing")]
    if let Some(act) = REACHED.get() {
        act(point);
    }
    #[cfg(not(feature = "testing"))]
    let _ = point;
}
