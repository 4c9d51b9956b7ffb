//! `nuthatch list`: memories that pass a filter, newest first, a page at a time.
//!
//! Nothing is searched or ranked here; that is `recall`.

use clap::Args;
use nuthatch::error::Result;
use nuthatch::filter::Page;
use nuthatch::store::Listed;

use crate::output::Output;
use crate::render;
use crate::select::{self, SelectArgs};
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember --key editor --category preference uses tabs
  $ nuthatch list
  $ nuthatch list --category preference --since yesterday --limit 5
  $ nuthatch list --json --all-projects --superseded";

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ListArgs {
    /// At most so many
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u64,
    /// Leave out so many first
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: u64,
    /// Only what was stored from, or belongs to, this conversation
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only the memory of this key
    #[arg(long)]
    key: Option<String>,
    /// Only pinned memories
    #[arg(long)]
    pinned: bool,
    #[command(flatten)]
    select: SelectArgs,
}

/// Lists them.
pub async fn run(args: ListArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let session = select::session(args.session.as_deref())?;
    let mut filter = args.select.filter(desk, session.as_ref())?;
    filter.sessions = session.into_iter().collect();
    filter.key = args.key;
    filter.pinned = args.pinned.then_some(true);
    let page = Page { offset: args.offset, limit: args.limit };
    let listed = desk.engine().list(&filter, page).await?;
    out.answer(&listed, |out, listed| print(listed, page, desk, out))
}

fn print(listed: &Listed, page: Page, desk: &Desk, out: &mut Output) -> Result<()> {
    let width = out.width();
    for memory in &listed.memories {
        out.line(render::line(memory, desk.project(), width))?;
    }
    let shown = listed.memories.len() as u64;
    if listed.total == 0 {
        return out.note("no memories here");
    }
    let total = render::memories(listed.total);
    if shown == 0 {
        return out.note(format_args!("none of {total}; --limit and --offset choose others"));
    }
    if shown < listed.total {
        let (first, last) = (page.offset + 1, page.offset + shown);
        return out.note(format_args!("{first} to {last} of {total}; --offset shows more"));
    }
    Ok(())
}
