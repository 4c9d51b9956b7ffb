//! Processes are killed at random moments while they write.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use nuthatch::filter::{Filter, Page};
use nuthatch::store::Severity;

use crate::{place, writer};

/// Longest time a child lives: several writes of the slowest store.
const LONGEST_LIFE_MICROS: u64 = 60_000;

/// After each kill the store opens, is sound, and holds every acknowledged write.
pub fn an_acknowledged_write_survives_kill_nine(backend: &str) -> Result<(), String> {
    let kills = place::amount(200, 15);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut acknowledged: BTreeSet<String> = BTreeSet::new();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for round in 0..kills {
        let name = format!("k{round}");
        acknowledged.extend(write_until_killed(backend, folder.path(), &name, dice.roll())?);
        let found = place::block_on(texts(&place::url(backend, folder.path())))
            .map_err(|error| format!("after kill {round} the store fails: {error}"))?;
        let missing: Vec<_> = acknowledged.difference(&found).take(5).collect();
        if !missing.is_empty() {
            return Err(format!("after kill {round} these are missing: {missing:?}"));
        }
    }
    if acknowledged.len() < kills / 2 {
        return Err(format!("only {} writes in {kills} lives: too few", acknowledged.len()));
    }
    Ok(())
}

fn write_until_killed(
    backend: &str,
    folder: &Path,
    name: &str,
    roll: u64,
) -> Result<Vec<String>, String> {
    let mut child = writer::spawn(backend, folder, name, usize::MAX).map_err(|e| e.to_string())?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no pipe")?).lines();
    // The first write shows that the child is at work; the rest of its life is chance.
    let first = lines.next().ok_or("the child ended at once")?.map_err(|e| e.to_string())?;
    std::thread::sleep(Duration::from_micros(roll % LONGEST_LIFE_MICROS));
    child.kill().map_err(|e| e.to_string())?;
    child.wait().map_err(|e| e.to_string())?;
    let rest = lines.map_while(Result::ok).filter(|line| line.contains(' '));
    let numbers = std::iter::once(first).chain(rest);
    Ok(numbers
        .filter_map(|line| line.split_once(' ').map(|(_, number)| number.to_owned()))
        .map(|number| format!("writer {name} remembers number {number}"))
        .collect())
}

/// Everything that memories say or said, in a store that is found sound.
async fn texts(url: &nuthatch_stores::StoreUrl) -> nuthatch::Result<BTreeSet<String>> {
    let engine = place::engine(url).await?;
    let listed = engine.list(&Filter::everything(), Page::first(1_000_000)).await?;
    let mut texts = BTreeSet::new();
    for memory in listed.memories {
        if memory.key.is_some() {
            for version in engine.show(memory.id).await?.versions {
                texts.insert(version.content);
            }
        }
        texts.insert(memory.content);
    }
    for finding in engine.health().await? {
        if finding.severity == Severity::Failure {
            return Err(nuthatch::Error::internal(format!("{}: {}", finding.name, finding.detail)));
        }
    }
    Ok(texts)
}

/// A fixed sequence of numbers that looks like chance (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
