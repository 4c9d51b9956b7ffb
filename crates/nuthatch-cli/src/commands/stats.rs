//! `nuthatch stats`: says what is in the store.
//!
//! Counts the whole store, every project of it, and never what memories say. `--growth` says
//! how it came to be, day by day.

use clap::Args;
use nuthatch::embedder::EmbedderInfo;
use nuthatch::error::{Error, Result};
use nuthatch::growth::{Grown, GrowthRequest};
use nuthatch::store::{Description, StoreStats};
use serde::Serialize;

use crate::output::Output;
use crate::render;
use crate::select::ScopeArgs;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch stats
  $ nuthatch stats --growth --days 7
  $ nuthatch stats --json";

/// Arguments of `stats`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StatsArgs {
    /// How memory grew and was used, day by day, of what can be seen from here
    #[arg(long)]
    growth: bool,
    /// So many days, up to and with today
    #[arg(long, value_name = "DAYS", default_value_t = 90, requires = "growth")]
    days: u32,
    #[command(flatten)]
    scopes: ScopeArgs,
}

#[derive(Debug, Serialize)]
struct Answer {
    store: Description,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<EmbedderInfo>,
    #[serde(flatten)]
    stats: StoreStats,
}

/// Counts.
pub async fn run(args: &StatsArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    if args.growth {
        return growth(args, desk, out).await;
    }
    if !args.scopes.scopes.is_empty() || args.scopes.all_projects {
        return Err(Error::invalid("the whole store is counted, whatever the scope")
            .with_hint("--growth counts single scopes"));
    }
    let engine = desk.engine();
    let answer = Answer {
        store: engine.store().describe(),
        model: engine.embedder(),
        stats: engine.stats().await?,
    };
    out.answer(&answer, |out, Answer { store, model, stats }| {
        let rows = [
            ("store", store.url.clone()),
            ("size", format!("{} KiB", stats.bytes.div_ceil(1024))),
            ("memories", stats.memories.to_string()),
            ("versions", stats.versions.to_string()),
            ("sessions", stats.sessions.to_string()),
            ("turns", stats.turns.to_string()),
        ];
        for (name, value) in rows {
            out.line(format_args!("{name:<10} {value}"))?;
        }
        for usage in &stats.scopes {
            let here = if usage.scope == *desk.project() { " (this project)" } else { "" };
            out.line(format_args!(
                "scope      {}{here}: {}, {} characters",
                usage.scope,
                render::memories(usage.entries),
                usage.chars
            ))?;
        }
        for (category, count) in &stats.categories {
            out.line(format_args!("category   {category}: {count}"))?;
        }
        for usage in &stats.vectors {
            out.line(format_args!(
                "vectors    {}: {} embedded, {} waiting",
                usage.model, usage.documents, usage.pending
            ))?;
        }
        model.iter().try_for_each(|model| out.line(format_args!("model      {}", model.id)))
    })
}

async fn growth(args: &StatsArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let scopes = args.scopes.scopes(desk, None)?;
    let zone = desk.now().time_zone().clone();
    let request = GrowthRequest { scopes, days: args.days, zone };
    let grown = desk.engine().growth(&request).await?;
    out.answer(&grown, |out, grown: &Grown| {
        out.line(format_args!("{:<10} {:>8} {:>8} {:>8}", "day", "stored", "used", "held"))?;
        // Days on which nothing happened say nothing; the last one says how it stands.
        let last = grown.days.len().saturating_sub(1);
        for (place, day) in grown.days.iter().enumerate() {
            if day.stored + day.used > 0 || place == last {
                let (stored, used, held) = (day.stored, day.used, day.held);
                out.line(format_args!("{:<10} {stored:>8} {used:>8} {held:>8}", day.date))?;
            }
        }
        out.line(format_args!(
            "{}, {} replaced, {} pinned, {} uses",
            render::memories(grown.memories),
            grown.replaced,
            grown.pinned,
            grown.uses
        ))
    })
}
