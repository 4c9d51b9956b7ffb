//! `nuthatch sessions show`: what was said in a session, around a place or from the first.
//!
//! What the store has is shown from there, also when the file is gone; a session that was not
//! taken in is read where it lies.

use std::ops::ControlFlow;

use clap::Args;
use jiff::Timestamp;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use nuthatch::session::Turn;
use nuthatch_sources::transcripts::Watermark;
use serde::Serialize;

use crate::output::Output;
use crate::render;
use crate::shelf::{Shelf, Wanted};
use crate::wiring::{Desk, Site};

/// Turns shown before and after a place.
const AROUND: usize = 5;
/// Turns asked for at a time.
const PAGE: u64 = 2000;

/// Arguments of `sessions show`.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The session, or one of its turns as recall names it: SESSION#PLACE
    #[arg(value_name = "SESSION")]
    session: String,
    /// Show the turns around this place
    #[arg(long, value_name = "SEQ")]
    at: Option<u64>,
    /// At most so many turns
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    limit: usize,
}

#[derive(Serialize)]
struct Shown<'a> {
    session: &'a str,
    turns: &'a [Turn],
    /// Turns that are not shown.
    more: usize,
}

/// Shows it.
pub(super) async fn run(args: &ShowArgs, site: &Site, desk: &Desk, out: &mut Output) -> Result<()> {
    let (name, at) = named(args);
    let id = SessionId::new(name)?;
    let mut turns = stored(&id, desk).await?;
    if turns.is_empty() {
        turns = lying(&id, site, desk).await?;
    }
    let all = turns.len();
    if let Some(at) = at {
        let place = turns.iter().position(|turn| turn.seq >= at).unwrap_or(all);
        let around = AROUND.min(args.limit / 2);
        turns.truncate(place + around + 1);
        turns.drain(..place.saturating_sub(around));
    }
    turns.truncate(args.limit);
    let shown = Shown { session: name, turns: &turns, more: all - turns.len() };
    out.answer(&shown, |out, shown| {
        for turn in shown.turns {
            let mark = if Some(turn.seq) == at { ">" } else { " " };
            let text = render::visible(&turn.text).replace('\n', "\n    ");
            out.line(format_args!("{mark} {} {} {}", turn.seq, turn.role, turn.at))?;
            out.line(format_args!("    {text}"))?;
        }
        if shown.more > 0 {
            out.note(format_args!("{} more turns: see --at and --limit", shown.more))?;
        }
        Ok(())
    })
}

/// The session and the place that are meant.
fn named(args: &ShowArgs) -> (&str, Option<u64>) {
    let split = args.session.rsplit_once('#');
    let place = split.and_then(|(name, seq)| Some((name, seq.parse().ok()?)));
    match place {
        Some((name, seq)) => (name, args.at.or(Some(seq))),
        None => (&args.session, args.at),
    }
}

async fn stored(id: &SessionId, desk: &Desk) -> Result<Vec<Turn>> {
    let mut all = Vec::new();
    for offset in (0..).step_by(PAGE as usize) {
        let page = desk.engine().turns(id, Page { offset, limit: PAGE }).await?;
        let is_last = (page.len() as u64) < PAGE;
        all.extend(page);
        if is_last {
            break;
        }
    }
    Ok(all)
}

/// The turns of a session that is not in the store, with secrets struck out.
async fn lying(id: &SessionId, site: &Site, desk: &Desk) -> Result<Vec<Turn>> {
    let wanted = Wanted { all: true, ..Wanted::default() };
    let shelf = Shelf::look(site, desk, &wanted).await?;
    let found = shelf.sessions.iter().find(|one| one.located.head.id == id.as_str());
    let Some(one) = found else {
        return Err(Error::not_found(format!("there is no session {id}"))
            .with_hint("`nuthatch sessions list --all` shows them"));
    };
    let mut turns = Vec::new();
    let mut last = one.located.head.started_at.unwrap_or(Timestamp::UNIX_EPOCH);
    one.reader.read(&one.located, &Watermark::default(), &mut |event| {
        last = event.at.unwrap_or(last);
        turns.extend(event.turn(id, last).map(|turn| {
            let (text, _) = nuthatch::guard::redact(&turn.text);
            Turn { text, ..turn }
        }));
        ControlFlow::Continue(())
    })?;
    Ok(turns)
}
