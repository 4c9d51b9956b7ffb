//! Measures one store in a process of its own, on one core where `taskset` is there.

use std::io::{Write, stdout};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use nuthatch::embedder::Purpose;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::recall::{Mode, RecallRequest};
use serde::{Deserialize, Serialize};

use super::Options;
use super::bare::{Bare, stream};
use super::build::{DIMENSIONS, bare_path, scope, store_path};
use super::synth::Language;
use crate::embedding::{self, Choice};
use crate::random::Random;
use crate::world::{World, block_on};

/// Questions asked before anything counts.
pub(super) const WARM_UP: usize = 10;

/// Milliseconds: the middle, and what one in twenty exceeds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) p50: f64,
    pub(super) p95: f64,
}

impl Spread {
    /// Of some measurements, in milliseconds.
    pub(super) fn of(mut spent: Vec<f64>) -> Spread {
        spent.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * spent.len() as f64).ceil() as usize;
            spent.get(place.saturating_sub(1)).copied().unwrap_or_default()
        };
        Spread { p50: at(0.5), p95: at(0.95) }
    }
}

/// One way of asking: by the clock, and in processor time, which a busy machine hardly changes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) clock: Spread,
    pub(super) processor: Spread,
}

/// What one store's recall takes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) bare: Asked,
    pub(super) text: Asked,
    pub(super) vector: Asked,
    pub(super) hybrid: Asked,
    /// The real model on the same questions, where there is one.
    pub(super) embedding: Option<Asked>,
    /// One pass over the bytes of the vectors.
    pub(super) stream: f64,
    /// Megabytes at most, after recalls in every way and before any yardstick.
    pub(super) resident: f64,
}

/// Measurements of one way of asking, in milliseconds.
#[derive(Default)]
struct Spent {
    clock: Vec<f64>,
    processor: Vec<f64>,
}

impl Spent {
    /// Takes the time since a begin, unless it is only for warming up.
    fn take(&mut self, begun: &Begun, counts: bool) -> anyhow::Result<()> {
        let clock = begun.clock.elapsed().as_secs_f64() * 1e3;
        let processor = processor_time()? - begun.processor;
        if counts {
            self.clock.push(clock);
            self.processor.push(processor);
        }
        Ok(())
    }

    fn spread(self) -> Asked {
        Asked { clock: Spread::of(self.clock), processor: Spread::of(self.processor) }
    }
}

struct Begun {
    clock: Instant,
    processor: f64,
}

impl Begun {
    fn now() -> anyhow::Result<Begun> {
        Ok(Begun { processor: processor_time()?, clock: Instant::now() })
    }
}

/// Milliseconds that all threads of this process were at work.
fn processor_time() -> anyhow::Result<f64> {
    let mut sum = 0.0;
    for task in std::fs::read_dir("/proc/self/task")? {
        // A thread may end between being listed and being looked at.
        let Ok(stat) = std::fs::read_to_string(task?.path().join("schedstat")) else { continue };
        let spent = stat.split_whitespace().next().context("no time in schedstat")?;
        sum += spent.parse::<f64>()? / 1e6;
    }
    Ok(sum)
}

/// Starts the measuring process and reads what it found.
pub(super) fn spawn(folder: &Path, turns: usize, options: &Options) -> anyhow::Result<Figures> {
    let own = std::env::current_exe()?;
    let arguments = ["--folder".into(), folder.as_os_str().to_owned()];
    let mut command = match Command::new("taskset").arg("-V").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => {
            let mut command = Command::new("taskset");
            command.args(["-c", "1"]).arg(own);
            command
        }
        _ => Command::new(own),
    };
    command.arg("speed-of").args(arguments).arg("--turns").arg(turns.to_string());
    command.arg("--questions").arg(options.questions.to_string());
    command.arg("--embedder").arg(options.embedder.to_string()).stderr(Stdio::inherit());
    let output = command.output()?;
    ensure!(output.status.success(), "measuring {turns} turns failed: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Measures and prints one JSON object.
pub(crate) fn run(folder: &Path, turns: usize, options: &Options) -> anyhow::Result<()> {
    let figures = block_on(measure(folder, turns, options))?;
    writeln!(stdout(), "{}", serde_json::to_string(&figures)?)?;
    Ok(())
}

async fn measure(folder: &Path, turns: usize, options: &Options) -> anyhow::Result<Figures> {
    let language = Language::new();
    let mut random = Random::new(5);
    let asked: Vec<String> =
        (0..options.questions + WARM_UP).map(|_| language.question(random.below(turns))).collect();
    drop(language);
    let url = format!("sqlite:{}", store_path(folder).display());
    let world =
        World::open(Some(&url), &Choice::Instant(Box::new(options.embedder.clone()))).await?;
    let modes = [Mode::Text, Mode::Vector, Mode::Hybrid];
    for question in &asked[..WARM_UP] {
        for mode in modes {
            world.engine.recall(&request(question, mode)?).await?;
        }
    }
    let resident = resident()?;
    let table = Bare::open(&bare_path(folder))?;
    let mut spent: [Spent; 3] = Default::default();
    let mut bare = Spent::default();
    for (number, question) in asked.iter().enumerate() {
        let counts = number >= WARM_UP;
        for (mode, spent) in modes.iter().zip(&mut spent) {
            let request = request(question, *mode)?;
            let begun = Begun::now()?;
            world.engine.recall(&request).await?;
            spent.take(&begun, counts)?;
        }
        let begun = Begun::now()?;
        table.search(question)?;
        bare.take(&begun, counts)?;
    }
    let [text, vector, hybrid] = spent.map(Spent::spread);
    let embedding = embedding_time(&options.embedder, &asked).await?;
    let stream = stream(turns * DIMENSIONS).as_secs_f64() * 1e3;
    Ok(Figures { bare: bare.spread(), text, vector, hybrid, embedding, stream, resident })
}

fn request(question: &str, mode: Mode) -> anyhow::Result<RecallRequest> {
    let filter = Filter::scoped(Scopes::These(vec![scope()?]));
    Ok(RecallRequest { filter, mode, ..World::recall_request(question) })
}

/// What the model itself takes for each question.
async fn embedding_time(embedder: &Choice, asked: &[String]) -> anyhow::Result<Option<Asked>> {
    let Some(model) = embedding::open(embedder)? else { return Ok(None) };
    let mut spent = Spent::default();
    for (number, question) in asked.iter().enumerate() {
        let begun = Begun::now()?;
        model.embed(Purpose::Query, &[question.as_str()]).await?;
        spent.take(&begun, number >= WARM_UP)?;
    }
    Ok(Some(spent.spread()))
}

/// Megabytes of this process in memory, at most so far.
fn resident() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).context("no VmHWM")?;
    Ok(kilobytes.parse::<f64>()? / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_by_nearest_rank() {
        let spread = Spread::of((1..=100).rev().map(f64::from).collect());
        assert_eq!((spread.p50, spread.p95), (50.0, 95.0));
        let one = Spread::of(vec![7.0]);
        assert_eq!((one.p50, one.p95), (7.0, 7.0));
        assert_eq!(Spread::of(Vec::new()).p50, 0.0);
    }
}
