//! `nuthatch memory clear` and `reset`: removes what was learnt about this project.
//!
//! It asks first; off a terminal it takes `--yes`. No other project is touched.

use clap::Args;
use nuthatch::autonomy::{Afterwards, Autonomy};
use nuthatch::error::{Error, Result};

use crate::ask::{self, Reply};
use crate::output::Output;
use crate::render;

/// Arguments of `memory clear` and `memory reset`.
#[derive(Clone, Copy, Debug, Args)]
pub struct ClearArgs {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Removes it, once somebody has said so.
pub async fn run(
    autonomy: &Autonomy,
    args: ClearArgs,
    afterwards: Afterwards,
    out: &mut Output,
) -> Result<()> {
    if !args.yes {
        let memories = render::memories(autonomy.learnt_here().await?.len() as u64);
        let sets = autonomy.log()?.len();
        let question = format!(
            "remove {memories} that were learnt about this project and {sets} sets of documents?"
        );
        if !ask::can_ask() {
            return Err(Error::invalid("nobody can be asked whether to remove that")
                .with_hint("--yes answers in advance"));
        }
        if ask::confirm(&question)? == Reply::No {
            return out.note("nothing was removed");
        }
    }
    let gone = autonomy.clear(afterwards).await?;
    out.answer(&gone, |out, gone| {
        let memories = render::memories(gone.memories);
        out.say(format_args!(
            "removed {memories}, {} documents and {} sets of this project",
            gone.shelf.documents, gone.shelf.generations
        ))?;
        match afterwards {
            Afterwards::LearnAnew => out.note(format_args!("{} jobs begin anew", gone.jobs)),
            Afterwards::StayAway => Ok(()),
        }
    })
}
