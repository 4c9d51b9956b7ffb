//! Postings packed in blocks, and what a search adds up out of them.
//!
//! Stores that keep many documents number them and keep, for each term, blocks of those that hold
//! it. Where the blocks lie is the store's; what is in them, and how they are weighed, is the same
//! in every one.

mod blocks;
mod rows;
mod scores;

pub use blocks::{BLOCK_BYTES, Block, Posting, decode};
pub use rows::Rows;
pub use scores::{Scores, Top};
