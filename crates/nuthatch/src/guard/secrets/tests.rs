//! What the scanner promises, rule by rule and text by text.
//!
//! No secret-looking string stands in these files: samples are put together from the
//! pieces that the catalogue gives, with random parts drawn here.

mod promises;
mod samples;
