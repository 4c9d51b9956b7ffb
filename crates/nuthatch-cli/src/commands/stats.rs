//! `nuthatch stats`: says what is in the store.
//!
//! Counts the whole store, every project of it, and never what memories say.

use clap::Args;
use nuthatch::embedder::EmbedderInfo;
use nuthatch::error::Result;
use nuthatch::store::{Description, StoreStats};
use serde::Serialize;

use crate::output::Output;
use crate::render;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember uses tabs
  $ nuthatch stats
  $ nuthatch stats --json";

/// Arguments of `stats`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StatsArgs {}

#[derive(Debug, Serialize)]
struct Answer {
    store: Description,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<EmbedderInfo>,
    #[serde(flatten)]
    stats: StoreStats,
}

/// Counts.
pub async fn run(_: &StatsArgs, desk: &Desk, out: &mut Output) -> Result<()> {
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
