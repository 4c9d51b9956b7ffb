//! What `init` asks where somebody is there to answer and has said nothing yet: three
//! questions at most, and no is always safe.

use nuthatch::error::Result;
use nuthatch_agents::Agent;

use crate::ask::{self, Reply};

/// What the user wants of a new project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Memory in the repository, as Markdown.
    pub in_repository: bool,
    /// Agents that were found are connected.
    pub connect: bool,
    /// Sessions are learnt from.
    pub learn: bool,
}

/// Asks.
pub fn ask(found: &[Agent]) -> Result<Wishes> {
    let yes = |question: &str| Ok(ask::confirm(question)? == Reply::Yes);
    let in_repository = yes(
        "Keep this project's memory in the repository, as Markdown that is reviewed like code?",
    )?;
    let names = found.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", ");
    let connect = !found.is_empty() && yes(&format!("Connect the agents found here ({names})?"))?;
    let learn = yes("Learn from the sessions of your agents by itself?")?;
    Ok(Wishes { in_repository, connect, learn })
}
