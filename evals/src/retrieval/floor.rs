//! Knowing when there is nothing: questions asked of the wrong store should return nothing,
//! and questions that can be answered should not lose their answer to the floor.

use std::collections::BTreeSet;
use std::io::{Write, stdout};

use super::ask::{Asker, Floor};
use super::{APART, Ranked};
use crate::uniform::Set;

/// Prints both shares.
pub(super) async fn report(
    asker: &Asker<'_>,
    set: &Set,
    ranked: &[Ranked],
    other: &Set,
) -> anyhow::Result<()> {
    wrong(asker, other).await?;
    lost(asker, set, ranked).await
}

/// The questions of another set, spread over the name spaces of this one.
async fn wrong(asker: &Asker<'_>, other: &Set) -> anyhow::Result<()> {
    let spaces: Vec<&String> = asker.recorded.spaces.keys().collect();
    let mut nothing = 0;
    for (query, ns) in other.queries.iter().zip(spaces.iter().cycle()) {
        // The store is the wrong one, so no condition of the question means anything in it.
        let mut query = query.clone();
        query.max_seq = None;
        query.haystack = None;
        nothing += usize::from(asker.ask(&query, ns, Floor::Usual).await?.is_empty());
    }
    let all = other.queries.len();
    let share = 100.0 * nothing as f64 / all.max(1) as f64;
    writeln!(
        stdout(),
        "questions of {}: {nothing} of {all} return nothing ({share:.1} %)",
        other.name
    )?;
    Ok(())
}

/// Questions that find evidence without the floor and none with it.
async fn lost(asker: &Asker<'_>, set: &Set, ranked: &[Ranked]) -> anyhow::Result<()> {
    let (mut lost, mut all) = (0, 0);
    for Ranked { query, ids } in ranked {
        let query = &set.queries[*query];
        let relevant = query.relevant(asker.level);
        if relevant.is_empty() || APART.contains(&query.kind.as_str()) {
            continue;
        }
        all += 1;
        let holds = |ids: &[String]| {
            ids.iter().collect::<BTreeSet<_>>().iter().any(|id| relevant.contains(*id))
        };
        if !holds(ids) && holds(&asker.ask(query, &query.ns, Floor::Off).await?) {
            lost += 1;
        }
    }
    let share = 100.0 * f64::from(lost) / f64::from(all.max(1));
    writeln!(
        stdout(),
        "answerable questions that lose all evidence to the floor: {lost} of {all} ({share:.1} %)\n"
    )?;
    Ok(())
}
