//! The gate every text passes before it is stored.
//!
//! The form of a text is made harmless (`sanitise`, `hidden`); secrets are found (`secrets`)
//! and orders to the reading agent weighed (`injection`). On the way out, `delimit` keeps
//! memory from posing as anything else. What follows from the findings is decided in `gate`;
//! `admit` takes memories, conversations and turns through it, text by text.

mod admit;
pub mod delimit;
mod finding;
mod gate;
mod hidden;
mod homoglyph;
pub mod injection;
mod passing;
mod redact;
mod sanitise;
pub mod secrets;
mod texts;

pub use admit::{admit_memory, admit_session, admit_turn, admit_turns, admit_version};
pub use finding::{Category, Finding};
pub use gate::{Examined, Verdict, examine};
pub use hidden::{HIDDEN_WORDS, inspect};
pub use passing::{Gate, Passed};
pub use redact::redact;
pub use sanitise::{Form, sanitise, sanitise_label};
pub use texts::{Part, memory_texts, session_texts, turn_texts, version_texts};
