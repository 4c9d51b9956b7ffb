//! PrecisionMemBench: does the right belief come up, and only that one?
//!
//! Beliefs are remembered in their scopes, a replaced one is superseded by its successor, and
//! every user has a store. Pinned beliefs are shown to a model anyway, so a case looks at what
//! recall adds to them; relations bring in their participants, as the benchmark does for
//! everybody. Precision and recall are its own: a case that expects nothing and gets nothing
//! counts for neither.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;

use super::belief::{Belief, Case, Expected, SessionCase};
use super::desk::{Desk, Routing, Wording};
use super::read;
use crate::embedding::Choice;
use crate::table::Table;

/// The user of every case that names none.
const USER: &str = "test-user";

/// Precision and recall where they are defined, by category.
#[derive(Default)]
struct Shares {
    cases: usize,
    exact: usize,
    precision: Vec<f64>,
    recall: Vec<f64>,
}

impl Shares {
    fn add(&mut self, precision: Option<f64>, recall: Option<f64>) {
        self.cases += 1;
        let perfect = |share: Option<f64>| share.is_none_or(|share| share == 1.0);
        self.exact += usize::from(perfect(precision) && perfect(recall));
        self.precision.extend(precision);
        self.recall.extend(recall);
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let mean = |shares: &[f64]| match shares.len() {
            0 => "-".to_owned(),
            n => format!("{:.3}", shares.iter().sum::<f64>() / n as f64),
        };
        let exact = format!("{}/{}", self.exact, self.cases);
        vec![name.to_owned(), mean(&self.precision), mean(&self.recall), exact]
    }
}

/// Prints the tables.
pub(super) async fn run(folder: &Path, embedder: &Choice, wrong: bool) -> anyhow::Result<()> {
    let beliefs: Vec<Belief> = read(folder, "beliefs.seed.json")?;
    let cases: Vec<Case> = read(folder, "retrieval.cases.json")?;
    let sessions: Vec<SessionCase> = read(folder, "session-retrieval.cases.json")?;
    writeln!(stdout(), "PrecisionMemBench: {} beliefs, {} cases\n", beliefs.len(), cases.len())?;
    let mut variants = Table::new(&["variant", "precision", "recall", "exact"]);
    let mut categories = None;
    for wording in Wording::ALL {
        for routing in Routing::ALL {
            let report = wrong && categories.is_none();
            let (mut total, by_category) =
                single((&beliefs, &cases), (wording, routing), embedder, report).await?;
            let name = format!("{}, {}", wording.name(), routing.name());
            let forbidden = std::mem::take(&mut total.forbidden);
            variants.row(total.shares.cells(&name));
            for leak in forbidden {
                writeln!(stdout(), "forbidden: {leak}")?;
            }
            categories.get_or_insert(by_category);
        }
    }
    variants.print()?;
    let heads = ["category (first variant)", "precision", "recall", "exact"];
    let mut table = Table::new(&heads);
    for (name, shares) in categories.unwrap_or_default() {
        table.row(shares.cells(&name));
    }
    table.print()?;
    session_table(&beliefs, &sessions, embedder).await
}

/// All cases of one variant, and what came up though a case forbids it.
#[derive(Default)]
struct Total {
    shares: Shares,
    forbidden: Vec<String>,
}

async fn single(
    (beliefs, cases): (&[Belief], &[Case]),
    variant: (Wording, Routing),
    embedder: &Choice,
    report: bool,
) -> anyhow::Result<(Total, BTreeMap<String, Shares>)> {
    let mut desks: BTreeMap<&str, Desk> = BTreeMap::new();
    let mut total = Total::default();
    let mut by_category: BTreeMap<String, Shares> = BTreeMap::new();
    for case in cases {
        let user = case.user.as_deref().unwrap_or(USER);
        if !desks.contains_key(user) {
            let own: Vec<&Belief> = beliefs.iter().filter(|belief| belief.user == user).collect();
            desks.insert(user, Desk::seeded(&own, variant, embedder).await?);
        }
        let desk = desks.get(user).context("the desk was just made")?;
        let most = case.budget.as_ref().and_then(|budget| budget.most);
        let got = desk.relevant(&case.query, &case.scope, most).await?;
        let expected = case.expect.expected(|id| desk.is_pinned(id));
        let (precision, recall) = shares(&got, &expected);
        total.shares.add(precision, recall);
        by_category.entry(case.category.clone()).or_default().add(precision, recall);
        let forbidden = case.expect.forbidden();
        let leaks = got.iter().filter(|id| forbidden.contains(*id));
        total.forbidden.extend(leaks.map(|id| format!("{id} in {}", case.id)));
        if report && (precision.is_some_and(|p| p < 1.0) || recall.is_some_and(|r| r < 1.0)) {
            writeln!(stdout(), "{}: got {got:?}, expected {expected:?}", case.id)?;
        }
    }
    Ok((total, by_category))
}

/// Precision and recall by the benchmark's own rules.
fn shares(got: &[String], expected: &BTreeSet<String>) -> (Option<f64>, Option<f64>) {
    let got: BTreeSet<&String> = got.iter().collect();
    let hits = got.iter().filter(|id| expected.contains(**id)).count() as f64;
    let precision = match (got.len(), expected.len()) {
        (0, 0) => None,
        (0, _) => Some(0.0),
        (n, _) => Some(hits / n as f64),
    };
    let recall = (!expected.is_empty()).then(|| hits / expected.len() as f64);
    (precision, recall)
}

/// The sessions: one store through all turns, in which beliefs come and change.
async fn session_table(
    beliefs: &[Belief],
    sessions: &[SessionCase],
    embedder: &Choice,
) -> anyhow::Result<()> {
    let own: Vec<&Belief> = beliefs.iter().filter(|belief| belief.user == USER).collect();
    let mut desk = Desk::seeded(&own, (Wording::ALL[0], Routing::ALL[0]), embedder).await?;
    let (mut all, mut noise, mut noisy) = (Shares::default(), 0, 0);
    for turn in sessions.iter().flat_map(|case| &case.turns) {
        let got = desk.relevant(&turn.message, &turn.scope, None).await?;
        let expected = turn.expect.expected(|id| desk.is_pinned(id));
        let (precision, recall) = shares(&got, &expected);
        // In sessions the benchmark gives an empty answer no precision.
        all.add(precision.filter(|_| !got.is_empty()), recall);
        let unwanted = turn.expect.noise();
        noisy += usize::from(!unwanted.is_empty());
        noise += usize::from(got.iter().any(|id| unwanted.contains(id)));
        if let Some(belief) = &turn.create {
            desk.remember(belief).await?;
        }
        if let Some(update) = &turn.update {
            desk.add_names(&update.belief, &update.names).await?;
        }
    }
    let mut table = Table::new(&["sessions (first variant)", "precision", "recall", "exact"]);
    table.row(all.cells("turns of sessions"));
    table.print()?;
    writeln!(stdout(), "turns with noise: {noise} of {noisy} that name some\n")?;
    Ok(())
}

impl Expected {
    /// What should come up: exactly these, or at least these apart from the pinned ones.
    fn expected(&self, is_pinned: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let Some(tier) = &self.relevant else { return BTreeSet::new() };
        match &tier.only {
            Some(only) => only.iter().cloned().collect(),
            None => tier.must.iter().filter(|id| !is_pinned(id)).cloned().collect(),
        }
    }

    fn forbidden(&self) -> BTreeSet<String> {
        self.relevant.iter().flat_map(|tier| tier.must_not.iter().cloned()).collect()
    }

    fn noise(&self) -> BTreeSet<String> {
        self.noise.iter().flat_map(|noise| noise.must_not.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(got: &[&str], expected: &[&str]) -> (Option<f64>, Option<f64>) {
        let got: Vec<String> = got.iter().map(|id| (*id).to_owned()).collect();
        shares(&got, &expected.iter().map(|id| (*id).to_owned()).collect())
    }

    #[test]
    fn shares_follow_the_rules_of_the_benchmark() {
        assert_eq!(of(&[], &[]), (None, None));
        assert_eq!(of(&["a"], &[]), (Some(0.0), None));
        assert_eq!(of(&[], &["a"]), (Some(0.0), Some(0.0)));
        assert_eq!(of(&["a", "b"], &["a"]), (Some(0.5), Some(1.0)));
        assert_eq!(of(&["a"], &["a", "b"]), (Some(1.0), Some(0.5)));
    }
}
