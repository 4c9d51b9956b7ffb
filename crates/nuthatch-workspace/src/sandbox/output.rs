//! An output that is read to its end and kept up to a limit.
//!
//! Reading on past the limit keeps the command from waiting for a reader that has gone.

use std::io::Read;
use std::thread::{self, JoinHandle};

/// What was kept of an output.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) bytes: Vec<u8>,
    pub(super) cut: bool,
}

/// An output that is being read.
pub(super) struct Capped(Option<JoinHandle<Kept>>);

impl Capped {
    /// Reads on a thread of its own, so that neither output waits for the other. What is
    /// over the limit is read and dropped: a writer that is blocked would never end.
    pub(super) fn read(from: Option<impl Read + Send + 'static>, limit: usize) -> Self {
        Capped(from.map(|mut from| {
            thread::spawn(move || {
                let mut kept = Kept::default();
                let mut chunk = [0; 8192];
                while let Ok(length @ 1..) = from.read(&mut chunk) {
                    let room = limit.saturating_sub(kept.bytes.len()).min(length);
                    kept.bytes.extend_from_slice(&chunk[..room]);
                    kept.cut |= room < length;
                }
                kept
            })
        }))
    }

    /// Everything, once the writers are gone.
    pub(super) fn take(self) -> Kept {
        self.0.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}
