//! Conflict_Resolution: numbered facts, some of which contradict earlier ones.
//!
//! Every fact is remembered in its order, a minute apart; nobody says what replaces what.
//! Each question is then asked. What should come up is the last fact that names the answer
//! and speaks of what was asked; what it contradicts is every earlier fact that begins with
//! the same words. Counted: whether it comes up, and whether it stands above those.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::recall::RecallRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::scope::Scope;
use serde::Deserialize;

use crate::data;
use crate::embedding::Choice;
use crate::table::Table;
use crate::world::World;

/// When the first fact is told.
const BEGIN: &str = "2025-01-01T00:00:00Z";

/// One list of facts, and questions about them.
#[derive(Deserialize)]
struct Row {
    context: String,
    questions: Vec<String>,
    answers: Vec<Vec<String>>,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    qa_pair_ids: Vec<String>,
    #[serde(default)]
    source: Option<String>,
}

/// Prints one row for each list of at most `most` facts.
pub(super) async fn run(path: &Path, most: usize, embedder: &Choice) -> anyhow::Result<()> {
    let rows: Vec<Row> = data::whole(path)?;
    let heads = [
        "set",
        "facts",
        "questions",
        "top 1",
        "top 5",
        "top 10",
        "conflicts",
        "above",
        "both shown",
    ];
    let mut table = Table::new(&heads);
    let mut worlds: BTreeMap<String, (World, Vec<MemoryId>)> = BTreeMap::new();
    let mut left_out = Vec::new();
    for row in &rows {
        let facts = facts(&row.context);
        if facts.len() > most {
            left_out.push(format!("{} ({} facts)", row.name(), facts.len()));
            continue;
        }
        // The same list serves questions of one step and of several.
        if !worlds.contains_key(&row.context) {
            worlds.insert(row.context.clone(), tell(&facts, embedder).await?);
        }
        let (world, ids) = &worlds[&row.context];
        table.row(ask(row, &facts, world, ids).await?.cells(&row.name(), facts.len()));
    }
    writeln!(stdout(), "Conflict_Resolution: later facts override earlier ones\n")?;
    table.print()?;
    if !left_out.is_empty() {
        writeln!(stdout(), "left out as too long: {}\n", left_out.join(", "))?;
    }
    Ok(())
}

impl Row {
    fn name(&self) -> String {
        let first = self.metadata.qa_pair_ids.first().map(String::as_str);
        let name = self.metadata.source.as_deref().or(first).unwrap_or("unnamed");
        name.trim_start_matches("factconsolidation_").trim_end_matches("_no0").to_owned()
    }
}

/// The facts of a list, without their numbers.
fn facts(context: &str) -> Vec<String> {
    let fact = |line: &str| {
        let (number, fact) = line.trim().split_once(". ")?;
        number.bytes().all(|b| b.is_ascii_digit()).then(|| fact.trim().to_owned())
    };
    context.lines().filter_map(fact).collect()
}

/// Remembers every fact, in order.
async fn tell(facts: &[String], embedder: &Choice) -> anyhow::Result<(World, Vec<MemoryId>)> {
    let world = World::open(None, embedder).await?;
    let begin: Timestamp = BEGIN.parse()?;
    let mut ids = Vec::with_capacity(facts.len());
    for (minute, fact) in (0..).zip(facts) {
        world.clock.set(Some(begin + SignedDuration::from_mins(minute)));
        let request = RememberRequest::new(fact.clone(), Scope::Global);
        ids.push(world.engine.remember(request).await?.memory.id);
    }
    world.settle().await?;
    Ok((world, ids))
}

/// What was counted over the questions of a row.
#[derive(Default)]
struct Count {
    questions: usize,
    top: [usize; 3],
    conflicts: usize,
    above: usize,
    both: usize,
}

impl Count {
    fn cells(&self, name: &str, facts: usize) -> Vec<String> {
        let share = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            _ => format!("{:.1}", 100.0 * part as f64 / whole as f64),
        };
        let mut cells = vec![name.to_owned(), facts.to_string(), self.questions.to_string()];
        cells.extend(self.top.map(|top| share(top, self.questions)));
        cells.push(self.conflicts.to_string());
        cells.extend([self.above, self.both].map(|part| share(part, self.conflicts)));
        cells
    }
}

async fn ask(
    row: &Row,
    facts: &[String],
    world: &World,
    ids: &[MemoryId],
) -> anyhow::Result<Count> {
    let mut count = Count::default();
    for (question, answers) in row.questions.iter().zip(&row.answers) {
        let Some(current) = current(facts, question, answers) else { continue };
        let filter = Filter::scoped(Scopes::These(vec![Scope::Global]));
        let request = RecallRequest { filter, ..World::recall_request(question) };
        let recalled = world.engine.recall(&request).await?;
        let found: Vec<MemoryId> = World::memories_of(&recalled).collect();
        let place = |fact: usize| found.iter().position(|id| *id == ids[fact]);
        let here = place(current);
        count.questions += 1;
        for (top, k) in count.top.iter_mut().zip([1, 5, 10]) {
            *top += usize::from(here.is_some_and(|place| place < k));
        }
        let outdated = outdated(facts, current, answers);
        if outdated.is_empty() {
            continue;
        }
        let there = outdated.iter().filter_map(|fact| place(*fact)).min();
        count.conflicts += 1;
        count.above += usize::from(here.is_some_and(|h| there.is_none_or(|t| h < t)));
        count.both += usize::from(here.is_some() && there.is_some());
    }
    Ok(count)
}

/// The last fact that names an answer, among those that share most words with the question.
fn current(facts: &[String], question: &str, answers: &[String]) -> Option<usize> {
    let asked = words(question);
    let shared = |fact: &str| words(fact).intersection(&asked).count();
    let named = facts.iter().enumerate().filter(|(_, fact)| object(fact, answers).is_some());
    named.max_by_key(|(place, fact)| (shared(fact), *place)).map(|(place, _)| place)
}

/// Earlier facts that say something else of the same thing.
fn outdated(facts: &[String], current: usize, answers: &[String]) -> Vec<usize> {
    let Some(start) = object(&facts[current], answers) else { return Vec::new() };
    let subject = &facts[current][..start];
    // A fact that begins with its object says nothing of a subject before it.
    if words(subject).len() < 2 {
        return Vec::new();
    }
    (0..current)
        .filter(|place| facts[*place].starts_with(subject) && facts[*place] != facts[current])
        .collect()
}

/// Where in a fact an answer begins, if it stands there as whole words.
fn object(fact: &str, answers: &[String]) -> Option<usize> {
    let lower = fact.to_lowercase();
    // Lower case of some letters is longer: then places differ, and nothing is claimed.
    if lower.len() != fact.len() {
        return None;
    }
    answers.iter().find_map(|answer| {
        let start = lower.rfind(&answer.to_lowercase())?;
        let end = start + answer.to_lowercase().len();
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let whole = apart(fact[..start].chars().next_back()) && apart(fact[end..].chars().next());
        (whole && fact.is_char_boundary(start)).then_some(start)
    })
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<String> {
        facts(
            "Here is a list of facts:\n0. Ann is married to Bob.\n1. Bob was born in Rome.\n\
             2. Rome is the capital of Italy.\n3. Ann is married to Carl.\n4. Carl is a cook.\n",
        )
    }

    #[test]
    fn facts_are_read_without_their_numbers() {
        assert_eq!(list().len(), 5);
        assert_eq!(list()[3], "Ann is married to Carl.");
    }

    #[test]
    fn the_last_fact_about_what_was_asked_is_current_and_contradicts_the_earlier_one() {
        let answers = ["Carl".to_owned()];
        let current = current(&list(), "Who is Ann married to?", &answers);
        assert_eq!(current, Some(3));
        assert_eq!(outdated(&list(), 3, &answers), [0]);
    }

    #[test]
    fn an_answer_inside_another_word_is_none() {
        assert_eq!(object("Carla is a cook.", &["Carl".to_owned()]), None);
        assert_eq!(current(&list(), "Who is Ann married to?", &["Zed".to_owned()]), None);
    }
}
