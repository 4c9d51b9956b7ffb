//! What words a text is made of, and which part of it answers a query.
//!
//! The library does its own analysis and hands stores finished terms, so that every backend
//! indexes the same words and one ranking holds over all of them. Nothing here knows how an
//! index is kept.

mod bm25;
mod compound;
mod glyphs;
mod passage;
mod questions;
mod spelling;
mod split;
mod stop;
mod terms;
mod tokens;
mod words;

pub use bm25::Corpus;
pub use passage::{Passage, passage};
pub use questions::questions;
pub use spelling::{may_be_misspelt, most_alike};
pub use split::passages;
pub use stop::is_stop_term;
pub use terms::{Term, analyse, index_terms, query_terms};
#[cfg(feature = "exact-tokens")]
pub use tokens::ExactTokens;
pub use tokens::{Estimate, TokenCounter, estimate_tokens};
pub use words::Words;
