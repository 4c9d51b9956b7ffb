//! Memories in SQLite and the same memories in PostgreSQL, recalled side by side.
//!
//! Both stores are filled through the importer, as a user would fill them, with the same made-up
//! memories and random vectors, and asked the same questions in turn: in every mode, and behind
//! filters that fewer and fewer memories pass. Words must find the same in both; behind a filter
//! each must find as many as there are.

use std::collections::BTreeMap;
use std::io::{Write, stderr, stdout};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use jiff::{SignedDuration, Timestamp};
use nuthatch::category::Category;
use nuthatch::filter::{Filter, Include, Page, Scopes};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::import::{ImportRequest, Whose};
use nuthatch::interchange::Item;
use nuthatch::memory::{Memory, Record};
use nuthatch::recall::{Mode, RecallRequest};
use nuthatch::store::VectorQuery;

use super::build::{self, scope};
use super::child::{Spread, WARM_UP};
use super::synth::{Language, SESSION, said_at};
use crate::embedding::{self, Choice};
use crate::random::{self, Random};
use crate::table::Table;
use crate::world::{World, block_on};

/// Memories imported in one call.
const PART: usize = 1000;
/// Hits asked for behind a filter.
const WANTED: usize = 50;
const CATEGORIES: [&str; 4] = ["fact", "preference", "decision", "event"];
const MODES: [(&str, Mode); 3] =
    [("text", Mode::Text), ("vector", Mode::Vector), ("hybrid", Mode::Hybrid)];

/// What to measure.
pub(crate) struct Options {
    pub(crate) url: String,
    pub(crate) memories: usize,
    pub(crate) questions: usize,
    pub(crate) folder: Option<PathBuf>,
}

/// One store, what filling it took, and what it answered.
struct Side {
    name: &'static str,
    world: World,
    imported: Duration,
    embedded: Duration,
    indexed: Duration,
}

/// Fills both stores where they are empty, asks, and prints.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    block_on(beside(options))
}

async fn beside(options: &Options) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = options.folder.clone().unwrap_or_else(|| scratch.path().to_owned());
    std::fs::create_dir_all(&folder)?;
    let file = format!("sqlite:{}", build::store_path(&folder).display());
    let sides =
        [side("SQLite", &file, options).await?, side("PostgreSQL", &options.url, options).await?];
    writeln!(
        stdout(),
        "{} made-up memories of 6 to 40 words in one project, random vectors of {} components, {} \
         questions of ten words, each asked of both stores before the next\n",
        options.memories,
        build::DIMENSIONS,
        options.questions,
    )?;
    print_filling(&sides, options)?;
    print_recall(&sides, options).await?;
    print_filtered(&sides, options).await
}

async fn side(name: &'static str, url: &str, options: &Options) -> anyhow::Result<Side> {
    let choice = Choice::Instant(Box::new(Choice::Builtin));
    let world = World::open(Some(url), &choice).await?;
    let mut side = Side {
        name,
        world,
        imported: Duration::ZERO,
        embedded: Duration::ZERO,
        indexed: Duration::ZERO,
    };
    let held = side.world.engine.store().stats().await?.memories;
    if held == options.memories as u64 {
        return Ok(side);
    }
    ensure!(held == 0, "{name} holds {held} memories: give it an empty place");
    let begun = Instant::now();
    import(&side.world, options.memories, name).await?;
    side.imported = begun.elapsed();
    let begun = Instant::now();
    let model = embedding::info(&Choice::Builtin)?;
    build::embed(&side.world, &model).await?;
    side.embedded = begun.elapsed();
    let begun = Instant::now();
    side.world.engine.store().drop_vectors(&[model.id]).await?;
    side.indexed = begun.elapsed();
    Ok(side)
}

/// The memory at a place.
fn memory(language: &Language, place: usize) -> anyhow::Result<Memory> {
    let id = MemoryId::derived(&["beside", &place.to_string()]);
    let mut memory = Memory::new(id, language.turn(place), scope()?, said_at(place)?);
    memory.category = Category::new(CATEGORIES[place % CATEGORIES.len()])?;
    memory.session_id = Some(SessionId::new(format!("session-{}", place / SESSION))?);
    Ok(memory)
}

async fn import(world: &World, memories: usize, name: &str) -> anyhow::Result<()> {
    let language = Language::new();
    let request = ImportRequest {
        source: "beside".into(),
        home: scope()?,
        project: None,
        whose: Whose::Own,
        dry_run: false,
    };
    let mut importer = world.engine.importer(request);
    for start in (0..memories).step_by(PART) {
        let part = (start..memories.min(start + PART)).map(|place| {
            let memory = memory(&language, place)?;
            Ok(Item::Record(Box::new(Record { memory, versions: Vec::new() })))
        });
        importer.take(part.collect::<anyhow::Result<_>>()?).await?;
        if start % (100 * PART) == 0 {
            writeln!(stderr(), "{name}: {start} imported")?;
        }
    }
    let done = importer.finish(BTreeMap::new());
    ensure!(done.taken.memories == memories as u64, "not everything was taken in: {done:?}");
    Ok(())
}

fn print_filling(sides: &[Side], options: &Options) -> anyhow::Result<()> {
    let mut table =
        Table::new(&["store", "imported in s", "a second", "vectors in s", "index in s"]);
    for side in sides.iter().filter(|side| !side.imported.is_zero()) {
        let seconds = side.imported.as_secs_f64();
        table.row(vec![
            side.name.to_owned(),
            format!("{seconds:.0}"),
            format!("{:.0}", options.memories as f64 / seconds),
            format!("{:.0}", side.embedded.as_secs_f64()),
            format!("{:.0}", side.indexed.as_secs_f64()),
        ]);
    }
    table.print()
}

fn request(question: &str, mode: Mode, filter: Filter, limit: usize) -> RecallRequest {
    RecallRequest { filter, mode, limit, ..World::recall_request(question) }
}

fn everything() -> anyhow::Result<Filter> {
    Ok(Filter::scoped(Scopes::These(vec![scope()?])))
}

/// Questions about memories all over.
fn questions(options: &Options) -> Vec<String> {
    let language = Language::new();
    let mut random = Random::new(5);
    let wanted = options.questions + WARM_UP;
    (0..wanted).map(|_| language.question(random.below(options.memories))).collect()
}

async fn print_recall(sides: &[Side; 2], options: &Options) -> anyhow::Result<()> {
    let mut spent: [[Vec<f64>; 3]; 2] = Default::default();
    let (mut same, mut shared, mut found) = (0, [0_usize; 3], [0_usize; 3]);
    for (number, question) in questions(options).iter().enumerate() {
        for (mode, (_, asked)) in MODES.iter().enumerate() {
            let mut answers = Vec::new();
            for (side, spent) in sides.iter().zip(&mut spent) {
                let request = request(question, *asked, everything()?, 10);
                let begun = Instant::now();
                let recalled = side.world.engine.recall(&request).await?;
                if number >= WARM_UP {
                    spent[mode].push(begun.elapsed().as_secs_f64() * 1e3);
                }
                answers.push(recalled.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>());
            }
            if number >= WARM_UP {
                same += usize::from(*asked == Mode::Text && answers[0] == answers[1]);
                found[mode] += answers[0].len();
                shared[mode] += answers[1].iter().filter(|id| answers[0].contains(id)).count();
            }
        }
    }
    let mut table = Table::new(&[
        "lane",
        "SQLite ms p50 / p95",
        "PostgreSQL",
        "PostgreSQL : SQLite",
        "hits of SQLite that PostgreSQL has, too",
    ]);
    let [sqlite, postgres] = spent.map(|modes| modes.map(Spread::of));
    for (mode, (name, _)) in MODES.iter().enumerate() {
        let (one, other) = (sqlite[mode], postgres[mode]);
        table.row(vec![
            (*name).to_owned(),
            format!("{:.1} / {:.1}", one.p50, one.p95),
            format!("{:.1} / {:.1}", other.p50, other.p95),
            format!("{:.2}", other.p50 / one.p50),
            format!("{} of {}", shared[mode], found[mode]),
        ]);
    }
    table.print()?;
    let asked = options.questions;
    writeln!(stdout(), "by words, {same} of {asked} answers were equal, hit by hit\n")?;
    Ok(())
}

/// Filters that fewer and fewer memories pass.
fn filters(memories: usize) -> anyhow::Result<Vec<(String, Filter)>> {
    let all = everything()?;
    let last = said_at(memories - 1)?;
    let since = |share: usize| -> anyhow::Result<Timestamp> {
        said_at(memories - (memories / share).max(1))
    };
    let fourth = vec![Category::new(CATEGORIES[1])?];
    let mut filters = vec![
        ("none".to_owned(), all.clone()),
        ("one category of four".to_owned(), Filter { categories: fourth, ..all.clone() }),
    ];
    for share in [100, 10_000, 100_000] {
        let filter = Filter { since: Some(since(share)?), until: Some(last), ..all.clone() };
        filters.push((format!("the newest of {share}"), filter));
    }
    let session = SessionId::new(format!("session-{}", memories / SESSION / 2))?;
    filters
        .push(("one conversation".to_owned(), Filter { sessions: vec![session], ..all.clone() }));
    let never = last + SignedDuration::from_hours(1);
    filters.push(("nothing".to_owned(), Filter { since: Some(never), ..all }));
    Ok(filters)
}

async fn print_filtered(sides: &[Side; 2], options: &Options) -> anyhow::Result<()> {
    let mut table = Table::new(&[
        "filter",
        "memories that pass",
        "wanted",
        "hits by vector, SQLite",
        "PostgreSQL",
        "the same",
        "by words alike",
        "hybrid ms p50, SQLite",
        "PostgreSQL",
    ]);
    let asked: Vec<String> = questions(options).into_iter().take(20).collect();
    for (name, filter) in filters(options.memories)? {
        let counted = Filter { include: Include::Memories, ..filter.clone() };
        let passing = sides[0].world.engine.store().list(&counted, Page::first(0)).await?.total;
        let (mut least, model) = ([usize::MAX; 2], embedding::info(&Choice::Builtin)?);
        let (mut alike, mut spent) = (0, [Vec::new(), Vec::new()]);
        let (mut shared, mut found) = (0, 0);
        for (number, question) in asked.iter().enumerate() {
            let (mut answers, mut nearest) = (Vec::new(), Vec::new());
            for (place, side) in sides.iter().enumerate() {
                let ask = |mode| request(question, mode, filter.clone(), WANTED);
                // Of the store: recall leaves out what only chance is near, as everything here.
                let query = VectorQuery {
                    model: model.id.clone(),
                    vector: random::direction(number as u64, build::DIMENSIONS),
                    filter: filter.clone(),
                    limit: WANTED,
                };
                let near = side.world.engine.store().search_vectors(&query).await?;
                least[place] = least[place].min(near.matches.len());
                nearest.push(near.matches.into_iter().map(|near| near.doc).collect::<Vec<_>>());
                let words = side.world.engine.recall(&ask(Mode::Text)).await?;
                answers.push(words.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>());
                let begun = Instant::now();
                side.world.engine.recall(&ask(Mode::Hybrid)).await?;
                spent[place].push(begun.elapsed().as_secs_f64() * 1e3);
            }
            alike += usize::from(answers[0] == answers[1]);
            found += nearest[0].len();
            shared += nearest[1].iter().filter(|doc| nearest[0].contains(doc)).count();
        }
        let [sqlite, postgres] = spent.map(Spread::of);
        table.row(vec![
            name,
            passing.to_string(),
            passing.min(WANTED as u64).to_string(),
            least[0].to_string(),
            least[1].to_string(),
            format!("{shared} of {found}"),
            format!("{alike} of {}", asked.len()),
            format!("{:.1}", sqlite.p50),
            format!("{:.1}", postgres.p50),
        ]);
    }
    table.print().context("a table cannot be printed")
}
