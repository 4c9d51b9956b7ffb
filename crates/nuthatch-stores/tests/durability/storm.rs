//! Eight processes write into one store at once.

use std::collections::BTreeSet;

use nuthatch::filter::{Filter, Page};

use crate::{place, writer};

const PROCESSES: usize = 8;

/// Every text that a child was told is safe is there, and no child was ever turned away.
pub fn eight_processes_at_once_lose_nothing(backend: &str) -> Result<(), String> {
    let writes = place::amount(500, 30);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| writer::spawn(backend, folder.path(), &format!("w{number}"), writes))
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    for child in children {
        let output = child.wait_with_output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("a writer failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let acknowledged = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        if acknowledged != writes {
            return Err(format!("{acknowledged} of {writes} writes were acknowledged"));
        }
    }
    let expected: BTreeSet<String> = (0..PROCESSES)
        .flat_map(|w| (0..writes).map(move |n| format!("writer w{w} remembers number {n}")))
        .collect();
    let found = place::block_on(everything_ever_said(&place::url(backend, folder.path())))
        .map_err(|e| e.to_string())?;
    let missing: Vec<_> = expected.difference(&found).take(5).collect();
    if found.len() == expected.len() && missing.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} texts are there; missing: {missing:?}", found.len(), expected.len()))
}

/// The texts of all memories and of all their versions.
async fn everything_ever_said(
    url: &nuthatch_stores::StoreUrl,
) -> nuthatch::Result<BTreeSet<String>> {
    let engine = place::engine(url).await?;
    let mut texts = BTreeSet::new();
    let listed = engine.list(&Filter::everything(), Page::first(1_000_000)).await?;
    for memory in listed.memories {
        for version in engine.show(memory.id).await?.versions {
            texts.insert(version.content);
        }
        texts.insert(memory.content);
    }
    Ok(texts)
}
