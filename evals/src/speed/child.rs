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

use super::bare::{Bare, stream};
use super::build::{DIMENSIONS, bare_path, scope, store_path};
use super::synth::Language;
use crate::embedding::{self, Choice};
use crate::random::Random;
use crate::world::{World, block_on};

/// Questions asked before anything counts.
const WARM_UP: usize = 10;

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

/// What one store's recall takes.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) bare: Spread,
    pub(super) text: Spread,
    pub(super) vector: Spread,
    pub(super) hybrid: Spread,
    /// The real model on the same questions, where there is one.
    pub(super) embedding: Option<Spread>,
    /// One pass over the bytes of the vectors.
    pub(super) stream: f64,
    /// Megabytes, after all the recalls and before any yardstick.
    pub(super) resident: f64,
}

/// Starts the measuring process and reads what it found.
pub(super) fn spawn(folder: &Path, turns: usize, questions: usize) -> anyhow::Result<Figures> {
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
    command.arg("--questions").arg(questions.to_string()).stderr(Stdio::inherit());
    let output = command.output()?;
    ensure!(output.status.success(), "measuring {turns} turns failed: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Measures and prints one JSON object.
pub(crate) fn run(folder: &Path, turns: usize, questions: usize) -> anyhow::Result<()> {
    let figures = block_on(measure(folder, turns, questions))?;
    writeln!(stdout(), "{}", serde_json::to_string(&figures)?)?;
    Ok(())
}

async fn measure(folder: &Path, turns: usize, questions: usize) -> anyhow::Result<Figures> {
    let language = Language::new();
    let mut random = Random::new(5);
    let asked: Vec<String> =
        (0..questions + WARM_UP).map(|_| language.question(random.below(turns))).collect();
    drop(language);
    let url = format!("sqlite:{}", store_path(folder).display());
    let world = World::open(Some(&url), &Choice::Instant).await?;
    let modes = [Mode::Text, Mode::Vector, Mode::Hybrid];
    let mut spent: [Vec<f64>; 3] = Default::default();
    for (number, question) in asked.iter().enumerate() {
        for (mode, spent) in modes.iter().zip(&mut spent) {
            let filter = Filter::scoped(Scopes::These(vec![scope()?]));
            let request = World::recall_request(question);
            let request = RecallRequest { filter, mode: *mode, ..request };
            let begun = Instant::now();
            world.engine.recall(&request).await?;
            if number >= WARM_UP {
                spent.push(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let resident = resident()?;
    let [text, vector, hybrid] = spent.map(Spread::of);
    let bare = bare(folder, &asked)?;
    let embedding = embedding_time(&asked).await?;
    let stream = stream(turns * DIMENSIONS).as_secs_f64() * 1e3;
    Ok(Figures { bare, text, vector, hybrid, embedding, stream, resident })
}

fn bare(folder: &Path, asked: &[String]) -> anyhow::Result<Spread> {
    let table = Bare::open(&bare_path(folder))?;
    let mut spent = Vec::new();
    for (number, question) in asked.iter().enumerate() {
        let begun = Instant::now();
        table.search(question)?;
        if number >= WARM_UP {
            spent.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(Spread::of(spent))
}

/// What the built-in model takes for each question.
async fn embedding_time(asked: &[String]) -> anyhow::Result<Option<Spread>> {
    let Some(model) = embedding::open(&Choice::Builtin)? else { return Ok(None) };
    let mut spent = Vec::new();
    for (number, question) in asked.iter().enumerate() {
        let begun = Instant::now();
        model.embed(Purpose::Query, &[question.as_str()]).await?;
        if number >= WARM_UP {
            spent.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(Some(Spread::of(spent)))
}

/// Megabytes of this process in memory.
fn resident() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).context("no VmRSS")?;
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
