//! Whether everything that was forgotten is gone from the files.
//!
//! A forget cannot empty a log that somebody is reading; whoever runs `doctor` afterwards
//! finishes it.

use nuthatch::store::Finding;

/// What was forgotten while somebody was reading is finished here.
pub fn finished(lingers: &[String]) -> Finding {
    match lingers {
        [] => Finding::ok("erasure", "nothing that was forgotten can be read any more"),
        files => Finding::warning(
            "erasure",
            format!("forgotten text may stand in {}: somebody is reading", files.join(", ")),
            "end the other processes that use this store, then run nuthatch doctor again",
        ),
    }
}
