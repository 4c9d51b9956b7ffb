//! Asks the user, and only where there is one.
//!
//! A question is asked when both its text can be seen and its answer typed; whether that is
//! so, commands ask with [`can_ask`], and decide themselves what holds otherwise.

use std::io::{self, IsTerminal as _};

use dialoguer::Confirm;
use nuthatch::error::{Error, Result};

/// What the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    Yes,
    No,
}

/// Whether somebody is there to be asked.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question of yes or no; anything but a clear yes is a no.
pub fn confirm(question: &str) -> Result<Reply> {
    let asked = Confirm::new().with_prompt(question).default(false).interact_opt();
    match asked {
        Ok(Some(true)) => Ok(Reply::Yes),
        Ok(_) => Ok(Reply::No),
        Err(error) => Err(Error::unavailable("cannot ask on this terminal")
            .with_hint("--yes answers in advance")
            .with_source(error)),
    }
}
