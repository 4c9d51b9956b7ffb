//! Hooks of every product, as one conversation: an event comes in, an answer goes out.
//!
//! `event` reads what a product says and recognises it where nobody names it; `answer` writes
//! what it accepts; `given` knows what a session has been given already; `log` keeps why
//! nothing was said. What is worth saying is decided elsewhere.

mod answer;
mod event;
mod given;
mod log;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod tests;

pub use answer::{MOST_CHARS, answer, nothing};
pub use event::{Event, Moment, understand};
pub use given::{Given, Sessions};
pub use log::{Log, Trouble};
