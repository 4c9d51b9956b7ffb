//! The gate every text passes before it is stored.
//!
//! Today it sanitises: the form of a text is made harmless, its meaning is not judged.

mod sanitise;

pub use sanitise::{Form, sanitise, sanitise_label};
