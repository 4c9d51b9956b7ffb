//! The gate every text passes before it is stored.
//!
//! The form of a text is made harmless (`sanitise`, `hidden`); secrets are found (`secrets`)
//! and orders to the reading agent weighed (`injection`). On the way out, `delimit` keeps
//! memory from posing as anything else. What follows from the findings is decided in `gate`.

pub mod delimit;
mod finding;
mod gate;
mod hidden;
mod homoglyph;
pub mod injection;
mod sanitise;
pub mod secrets;

pub use finding::{Category, Finding};
pub use gate::{Examined, Verdict, admit, examine, metadata_texts};
pub use hidden::{HIDDEN_WORDS, inspect};
pub use sanitise::{Form, sanitise, sanitise_label};
