//! The table of a run: metrics by kind of question, and the total over those that can be
//! answered.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::time::Duration;

use super::record::Recorded;
use super::{APART, Ranked};
use crate::metrics::{Mean, NAMES, figures};
use crate::table::Table;
use crate::uniform::{Level, Set};

/// Prints the metrics, and how often a question that cannot be answered got nothing.
pub(super) fn table(set: &Set, ranked: &[Ranked], level: Level) -> anyhow::Result<()> {
    let mut by_kind: BTreeMap<&str, Mean> = BTreeMap::new();
    let mut total = Mean::default();
    let mut nothing: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for Ranked { query, ids } in ranked {
        let query = &set.queries[*query];
        let apart = APART.contains(&query.kind.as_str());
        let counted = nothing.entry(if apart { &query.kind } else { "answerable" }).or_default();
        counted.0 += usize::from(ids.is_empty());
        counted.1 += 1;
        let relevant = query.relevant(level);
        if relevant.is_empty() {
            continue;
        }
        let figures = figures(ids, &relevant);
        by_kind.entry(&query.kind).or_default().add(&figures);
        if !apart {
            total.add(&figures);
        }
    }
    let heads: Vec<&str> = ["queries", "n"].into_iter().chain(NAMES).collect();
    let mut table = Table::new(&heads);
    for (kind, mean) in by_kind.iter().map(|(kind, mean)| (*kind, mean)).chain([("total", &total)])
    {
        let mut cells = vec![kind.to_owned(), mean.n.to_string()];
        cells.extend(mean.percent().iter().map(|figure| format!("{figure:.1}")));
        table.row(cells);
    }
    table.print()?;
    let mut out = stdout();
    for (kind, (empty, all)) in nothing {
        let share = 100.0 * empty as f64 / all.max(1) as f64;
        writeln!(out, "returned nothing: {kind} {empty} of {all} ({share:.1} %)")?;
    }
    Ok(())
}

/// Prints how long recording, embedding and asking took.
pub(super) fn pace(
    recorded: &Recorded,
    embedding: Duration,
    (asking, questions): (Duration, usize),
) -> anyhow::Result<()> {
    let turns = recorded.turns.len();
    let rate = |took: Duration| turns as f64 / took.as_secs_f64().max(1e-9);
    writeln!(
        stdout(),
        "recorded {turns} turns in {:.1} s ({:.0} a second), embedded in {:.1} s ({:.0} a second), \
         asked {questions} questions at {:.1} ms each\n",
        recorded.took.as_secs_f64(),
        rate(recorded.took),
        embedding.as_secs_f64(),
        rate(embedding),
        1e3 * asking.as_secs_f64() / questions.max(1) as f64,
    )?;
    Ok(())
}
