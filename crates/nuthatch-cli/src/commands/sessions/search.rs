//! `nuthatch sessions search`: finds what was said, and says how to open it.
//!
//! It is `recall` over conversations alone; every option of that is there.

use clap::Args;
use nuthatch::error::Result;
use nuthatch::filter::Include;
use nuthatch::recall::RecallRequest;

use crate::output::{Format, Output};
use crate::select::SelectArgs;
use crate::wiring::Desk;
use crate::{input, render};

/// Arguments of `sessions search`.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// What to look for
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// At most so many hits [default: recall.limit of the configuration]
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    #[command(flatten)]
    select: SelectArgs,
}

/// Looks for it.
pub(super) async fn run(args: &SearchArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let mut filter = args.select.filter(desk, None)?;
    filter.include = Include::Sessions;
    let request = RecallRequest {
        limit: args.limit.unwrap_or(desk.recall().limit),
        mode: desk.recall().mode.for_recall(),
        ..RecallRequest::new(input::joined(&args.query), filter)
    };
    let recalled = desk.engine().recall(&request).await?;
    if recalled.hits.is_empty() && out.format() == Format::Human {
        out.note("nothing found; `nuthatch sessions import` takes in what was said since")?;
    }
    let now = desk.now().timestamp();
    out.answer(&recalled, |out, recalled| {
        for hit in &recalled.hits {
            out.line(render::hit(hit, &recalled.trace.terms, desk.project(), now))?;
            let (session, seq) = (&hit.session_id, hit.seq);
            if let (Some(session), Some(seq)) = (session, seq) {
                let session = render::visible(session.as_str());
                out.note(format_args!("     nuthatch sessions show {session} --at {seq}"))?;
            }
        }
        Ok(())
    })
}
