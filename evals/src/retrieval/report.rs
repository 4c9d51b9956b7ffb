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

/// Prints the metrics, and how often a question got nothing.
pub(super) fn print(set: &Set, ranked: &[Ranked], level: Level) -> anyhow::Result<()> {
    table(set, ranked, level).print()?;
    let mut nothing: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for Ranked { query, ids } in ranked {
        let kind = set.queries[*query].kind.as_str();
        let kind = if APART.contains(&kind) { kind } else { "answerable" };
        let counted = nothing.entry(kind).or_default();
        counted.0 += usize::from(ids.is_empty());
        counted.1 += 1;
    }
    for (kind, (empty, all)) in nothing {
        let share = 100.0 * empty as f64 / all.max(1) as f64;
        writeln!(stdout(), "returned nothing: {kind} {empty} of {all} ({share:.1} %)")?;
    }
    Ok(())
}

/// The metrics by kind of question, and in total over those that can be answered.
fn table(set: &Set, ranked: &[Ranked], level: Level) -> Table {
    let mut by_kind: BTreeMap<&str, Mean> = BTreeMap::new();
    let mut total = Mean::default();
    for Ranked { query, ids } in ranked {
        let query = &set.queries[*query];
        let relevant = query.relevant(level);
        if relevant.is_empty() {
            continue;
        }
        let figures = figures(ids, &relevant);
        by_kind.entry(&query.kind).or_default().add(&figures);
        if !APART.contains(&query.kind.as_str()) {
            total.add(&figures);
        }
    }
    let heads: Vec<&str> = ["queries", "n"].into_iter().chain(NAMES).collect();
    let mut table = Table::new(&heads);
    let kinds = by_kind.iter().map(|(kind, mean)| (*kind, mean));
    for (kind, mean) in kinds.chain([("total", &total)]) {
        let mut cells = vec![kind.to_owned(), mean.n.to_string()];
        cells.extend(mean.percent().iter().map(|figure| format!("{figure:.1}")));
        table.row(cells);
    }
    table
}

/// Prints how long recording, embedding and asking took.
pub(super) fn pace(
    recorded: &Recorded,
    (embedding, embedded): (Duration, u64),
    (asking, questions): (Duration, usize),
) -> anyhow::Result<()> {
    let turns = recorded.turns.len();
    let rate = |done: usize, took: Duration| done as f64 / took.as_secs_f64().max(1e-9);
    writeln!(
        stdout(),
        "recorded {turns} turns in {:.1} s ({:.0} a second), embedded {embedded} in {:.1} s ({:.0} a second), \
         asked {questions} questions at {:.1} ms each\n",
        recorded.took.as_secs_f64(),
        rate(turns, recorded.took),
        embedding.as_secs_f64(),
        rate(usize::try_from(embedded)?, embedding),
        1e3 * asking.as_secs_f64() / questions.max(1) as f64,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use serde_json::json;

    use super::*;
    use crate::random::Random;
    use crate::retrieval::dump;

    /// Questions of three kinds with one to four relevant ids, and lists of up to 120.
    fn made_up(folder: &Path) -> (Set, Vec<Ranked>) {
        let mut random = Random::new(3);
        let mut id = |most: usize| format!("t{}", random.below(most));
        let mut queries = String::new();
        let mut ranked = Vec::new();
        for number in 0..200_usize {
            let relevant: Vec<String> = (0..=number % 4).map(|_| id(60)).collect();
            let kind = ["a", "b", "cat5"][number % 3];
            let row = json!({"id": number.to_string(), "ns": "n", "text": "?", "type": kind,
                "rel_turns": relevant, "rel_sessions": []});
            queries.push_str(&format!("{row}\n"));
            let mut ids: Vec<String> = Vec::new();
            for _ in 0..number % 130 {
                let next = id(400);
                if !ids.contains(&next) && ids.len() < 100 {
                    ids.push(next);
                }
            }
            ranked.push(Ranked { query: number, ids });
        }
        fs::write(folder.join("queries.jsonl"), queries).unwrap();
        fs::write(folder.join("corpus.jsonl"), "").unwrap();
        (Set::read(folder).unwrap(), ranked)
    }

    #[test]
    #[ignore = "needs python3"]
    fn a_script_that_shares_no_code_computes_the_same_table() {
        let folder = tempfile::tempdir().unwrap();
        let (set, ranked) = made_up(folder.path());
        let (rankings, printed) = (folder.path().join("r.jsonl"), folder.path().join("table"));
        dump(&rankings, &set, &ranked).unwrap();
        fs::write(&printed, table(&set, &ranked, Level::Turn).render()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("recompute.py");
        let agrees = |rankings: &Path| {
            let mut command = Command::new("python3");
            command.arg(&script).arg("--data").arg(folder.path());
            command.arg("--rankings").arg(rankings).arg("--compare").arg(&printed);
            command.output().unwrap().status.success()
        };
        assert!(agrees(&rankings));
        let fewer = folder.path().join("fewer.jsonl");
        dump(&fewer, &set, &ranked[..150]).unwrap();
        assert!(!agrees(&fewer), "a table of other rankings must not pass");
    }
}
