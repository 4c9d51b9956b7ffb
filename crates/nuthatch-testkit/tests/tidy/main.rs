//! The house rules, held by tests.
//!
//! Each file is one subject: a check that takes a path and its text and returns what is
//! wrong, tests showing that the check can fail, and one test that this repository is clean.
//! Tables that grow with the house stand at the top of their file: the layers of the
//! library in `layers`, the crates in `manifests`, the backends' files in `backends`,
//! exceptions to sizes in `sizes`.

mod backends;
mod changelog;
mod doc_pages;
mod gate;
mod hygiene;
mod layers;
mod links;
mod manifests;
mod module_docs;
mod names;
mod orphans;
mod page;
mod purity;
mod report;
mod sizes;
mod syntax;
mod workspace;
