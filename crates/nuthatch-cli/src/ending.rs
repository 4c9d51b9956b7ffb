//! How commands end when no error is left to report.
//!
//! Which code a kind of failure has is told in `failure`.

use nuthatch::error::Kind;

/// How a command ended when no error is left to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As it should.
    Well,
    /// The answer itself tells of a failure of this kind.
    Badly(Kind),
}
