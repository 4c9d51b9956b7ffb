//! `nuthatch memory log`, `diff`, `undo` and `spend`: what was published, and what it cost.
//!
//! Only `undo` writes: an earlier set, as a set of its own.

use nuthatch::autonomy::Autonomy;
use nuthatch::error::Result;
use serde::Serialize;

use crate::output::{Format, Output};
use crate::render;

/// Lists the sets.
pub fn log(autonomy: &Autonomy, out: &mut Output) -> Result<()> {
    let log = autonomy.log()?;
    if log.is_empty() && out.format() == Format::Human {
        out.note("nothing was published yet")?;
    }
    out.answer(&log, |out, log| {
        log.iter().try_for_each(|one| {
            let at = one.at.strftime("%Y-%m-%d %H:%M:%S");
            out.line(render::visible(&format!(
                "{}  {at}  {} documents, {} characters  {}",
                one.number, one.documents, one.chars, one.why
            )))
        })
    })
}

#[derive(Serialize)]
struct Differs {
    diff: String,
}

/// Shows what is different.
pub fn diff(
    autonomy: &Autonomy,
    from: Option<u64>,
    to: Option<u64>,
    out: &mut Output,
) -> Result<()> {
    let differs = Differs { diff: autonomy.diff(from, to)? };
    out.answer(&differs, |out, differs| match differs.diff.as_str() {
        "" => out.note("nothing is different"),
        diff => out.line(render::visible(diff.trim_end())),
    })
}

#[derive(Serialize)]
struct Undone {
    generation: u64,
}

/// Publishes an earlier set again.
pub fn undo(autonomy: &Autonomy, to: Option<u64>, out: &mut Output) -> Result<()> {
    let undone = Undone { generation: autonomy.undo(to)? };
    out.answer(&undone, |out, undone| out.say(format_args!("published set {}", undone.generation)))
}

/// Shows what models cost.
pub fn spend(autonomy: &Autonomy, out: &mut Output) -> Result<()> {
    let spent = autonomy.spend()?;
    out.answer(&spent, |out, spent| {
        let means = &spent.means;
        out.line(format_args!(
            "budget: {} tokens a run, {} a day, {} spent today",
            means.tokens_per_run, means.tokens_per_day, means.spent_today
        ))?;
        spent.days.iter().try_for_each(|day| {
            let paid = if day.paid { "paid" } else { "free" };
            let text = format!("{}  {} ({paid}): {} calls", day.day, day.model, day.calls);
            out.line(render::visible(&format!("{text}, {} tokens", day.tokens)))
        })
    })
}
