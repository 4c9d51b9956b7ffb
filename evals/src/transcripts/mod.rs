//! Sessions of other agents: what their readers make of real ones, and how fast they are.
//!
//! Every file of a folder is given to every reader, as `nuthatch sessions list PATH` does.
//! `speed.rs` makes sessions up and measures reading and recording apart.

mod speed;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use nuthatch::transcript::{Skipped, Voice, What};
use nuthatch_sources::transcripts::{Environment, Watermark, readers};

use crate::table::Table;

pub(crate) use speed::{Options as SpeedOptions, run as speed};

/// What is counted.
#[derive(Default)]
struct Counts {
    sessions: u64,
    person: u64,
    host: u64,
    assistant: u64,
    calls: u64,
    results: u64,
    summaries: u64,
    aside: u64,
    skipped: Skipped,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.sessions += other.sessions;
        self.person += other.person;
        self.host += other.host;
        self.assistant += other.assistant;
        self.calls += other.calls;
        self.results += other.results;
        self.summaries += other.summaries;
        self.aside += other.aside;
        for (kind, count) in other.skipped {
            *self.skipped.entry(kind).or_default() += count;
        }
    }

    fn cells(&self, name: String) -> Vec<String> {
        let skipped: Vec<String> =
            self.skipped.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let counts = [
            self.sessions,
            self.person,
            self.host,
            self.assistant,
            self.calls,
            self.results,
            self.summaries,
            self.aside,
        ];
        let counts = counts.iter().map(u64::to_string);
        std::iter::once(name).chain(counts).chain([skipped.join(", ")]).collect()
    }
}

/// Reads everything below `data/<agent>` and prints what was found.
pub(crate) fn run(data: &Path, each: bool) -> anyhow::Result<()> {
    let heads = [
        "agent",
        "sessions",
        "user",
        "host",
        "assistant",
        "calls",
        "results",
        "summaries",
        "aside",
        "skipped",
    ];
    let mut totals = Table::new(&heads);
    let mut rows = Table::new(&heads);
    let (mut unread, mut failed) = (Vec::new(), Vec::new());
    let mut folders: Vec<PathBuf> =
        fs::read_dir(data)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    folders.sort();
    let mut by_agent: BTreeMap<&'static str, Counts> = BTreeMap::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for file in files(folder)? {
            let mut is_read = false;
            for reader in readers(&Environment::default()) {
                for session in reader.at(&file).sessions {
                    is_read = true;
                    let mut counts = Counts { sessions: 1, ..Counts::default() };
                    let read = reader.read(&session, &Watermark::default(), &mut |event| {
                        counts.aside += u64::from(event.aside);
                        *match event.what {
                            What::User { voice: Voice::Person, .. } => &mut counts.person,
                            What::User { voice: Voice::Host, .. } => &mut counts.host,
                            What::Assistant { .. } => &mut counts.assistant,
                            What::ToolCall { .. } => &mut counts.calls,
                            What::ToolResult { .. } => &mut counts.results,
                            What::Summary { .. } => &mut counts.summaries,
                        } += 1;
                        ControlFlow::Continue(())
                    });
                    match read {
                        Ok(read) => counts.skipped = read.skipped,
                        Err(error) => failed.push(format!("{}: {error}", file.display())),
                    }
                    let name = file.strip_prefix(data).unwrap_or(&file).display().to_string();
                    rows.row(counts.cells(format!("{name} ({})", session.head.id)));
                    by_agent.entry(reader.agent()).or_default().add(counts);
                }
            }
            if !is_read {
                unread.push(file.strip_prefix(data).unwrap_or(&file).display().to_string());
            }
        }
    }
    for (agent, counts) in by_agent {
        totals.row(counts.cells(agent.to_owned()));
    }
    if each {
        rows.print()?;
    }
    totals.print()?;
    writeln!(stdout(), "files that are no session by themselves: {}", unread.len())?;
    if each {
        unread.iter().try_for_each(|name| writeln!(stdout(), "  {name}"))?;
    }
    failed.iter().try_for_each(|why| writeln!(stdout(), "failed: {why}"))?;
    Ok(())
}

/// Every file below a folder, and folders of storage as one.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.join("session").is_dir() && folder.join("message").is_dir() {
            found.push(folder);
            continue;
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
