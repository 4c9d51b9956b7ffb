//! What ends a program: whoever waits for its answer holds it, and lets go when it is no
//! longer wanted.

use std::sync::{Arc, Mutex, PoisonError};

/// Ends a program and whatever it started, from anywhere and at any time.
#[derive(Clone, Default)]
pub(super) struct Leash(Arc<Mutex<Grip>>);

#[derive(Default)]
enum Grip {
    /// It has not begun.
    #[default]
    Open,
    /// It runs, in this group.
    On(u32),
    /// It was ended, or is to be as soon as it begins.
    Ended,
}

/// Ends it when dropped.
pub(super) struct Held(pub(super) Leash);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Leash {
    /// It has begun, in this group.
    pub(super) fn hold(&self, group: u32) {
        let mut grip = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *grip {
            Grip::Open => *grip = Grip::On(group),
            Grip::On(_) | Grip::Ended => end_group(group),
        }
    }

    /// Ends it; one that has not begun yet ends as it begins.
    pub(super) fn end(&self) {
        let mut grip = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Grip::On(group) = std::mem::replace(&mut *grip, Grip::Ended) {
            end_group(group);
        }
    }
}

fn end_group(group: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) {
        // It may have ended by itself in between.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}
