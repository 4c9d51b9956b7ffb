//! `nuthatch edit`: changes a memory, keeping what it said; or takes a change back.
//!
//! With no change given, and on a terminal, it opens the user's editor on the content.

mod fields;

use clap::Args;
use nuthatch::edit::EditRequest;
use nuthatch::error::Result;
use nuthatch::{Engine, Memory, Shown};

use crate::output::{Format, Output};
use crate::wiring::Desk;
use crate::{ask, editor, input, render};
use fields::Fields;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --key editor uses tabs
  $ nuthatch edit editor uses spaces since the new formatter
  $ nuthatch edit editor --pin --category preference --meta why=review
  $ nuthatch edit editor --undo";

/// Arguments of `edit`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct EditArgs {
    /// Which memory
    #[arg(value_name = "ID|KEY", value_parser = input::word)]
    name: String,
    /// Its new text; words are joined, `-` reads standard input
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// The scope of the key, where several have it
    #[arg(long)]
    scope: Option<String>,
    #[command(flatten)]
    fields: Fields,
    /// Refuse if the memory was changed after this time, as `show` tells it
    #[arg(long, value_name = "UPDATED_AT")]
    expect: Option<jiff::Timestamp>,
    /// Mark it as replaced by this memory
    #[arg(long, value_name = "ID", conflicts_with_all = ["text", "Fields", "expect", "restore", "undo"])]
    supersede_by: Option<String>,
    /// Make a replaced memory current again
    #[arg(long, conflicts_with_all = ["text", "Fields", "expect", "undo"])]
    restore: bool,
    /// Bring back what it said before
    #[arg(long, conflicts_with_all = ["text", "Fields", "expect"])]
    undo: bool,
    /// The version to bring back [default: the last one]
    #[arg(long, value_name = "NUMBER", requires = "undo")]
    version: Option<u32>,
}

/// Carries it out.
pub async fn run(args: EditArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let memory = desk.find(&args.name, desk.scopes_of_key(args.scope.as_deref())?).await?;
    let engine = desk.engine();
    let shown = if args.undo {
        engine.undo(memory.id, args.version).await?
    } else if args.restore {
        engine.supersede(memory.id, None).await?
    } else if let Some(by) = &args.supersede_by {
        let by = desk.find(by, [desk.visible(), vec![memory.scope.clone()]].concat()).await?;
        engine.supersede(memory.id, Some(by.id)).await?
    } else {
        change(args, &memory, engine).await?
    };
    if shown.memory == memory && out.format() == Format::Human {
        return out.note("nothing changed");
    }
    out.answer(&shown, |out, Shown { memory, .. }| {
        let place = render::place(&memory.scope, desk.project());
        out.say(format_args!("edited {} [{}] in {place}", memory.id, memory.category))
    })
}

async fn change(args: EditArgs, memory: &Memory, engine: &Engine) -> Result<Shown> {
    let mut request = EditRequest::new(memory.id);
    request.content = input::text(&args.text)?;
    request.expected = args.expect;
    let by_hand = request.content.is_none() && args.fields.change_nothing() && ask::can_ask();
    args.fields.fill(&mut request)?;
    if by_hand {
        let written = editor::edit(&memory.content)?;
        if written.trim_end() == memory.content {
            return engine.show(memory.id).await;
        }
        request.content = Some(written);
        // Somebody else may have changed it while the editor was open.
        request.expected = request.expected.or(Some(memory.updated_at));
    }
    engine.edit(request).await
}
