//! Custom commands: templates of a project or of the user, run by name.
//!
//! `find` reads them from disk, `template` takes one apart, `expand` fills in arguments and
//! says which command lines would run, `perform` runs them in a sandbox and puts the text
//! together. Nothing that came out of an argument, a file or a command is ever looked at for
//! markers: a template is taken apart once, before anything is filled in.

mod expand;
mod find;
mod perform;
mod shell;
mod template;

pub use expand::{Expanded, Piece, expand};
pub use find::{Catalogue, Definition, Origin, Unusable};
pub use perform::{Performed, Shelled, perform};
pub use shell::quote;
pub use template::Template;
