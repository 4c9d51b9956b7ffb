//! A progress bar for long work: on stderr, on a terminal, unless quiet.
//!
//! Everywhere else it is nothing at all, so that logs and pipes stay clean.

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{Chatter, Output, has_terminal};

/// Shows how far something is.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar that says `what` is going on, where it can be seen.
    pub fn new(what: &'static str, out: &Output) -> Progress {
        if out.chatter() == Chatter::Quiet || !has_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::new(0).with_message(what);
        // A template that does not parse leaves the plain style, which says the same.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Progress(Some(bar))
    }

    /// So many of so many are done.
    pub fn show(&self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
