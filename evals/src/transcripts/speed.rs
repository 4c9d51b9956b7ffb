//! Made-up sessions of Claude Code: how fast they are read and recorded, and in how much
//! memory.
//!
//! The most memory ever in use is what the system says of this process (`VmHWM`), so reading
//! the large file comes first.

use std::fs::{self, File};
use std::io::{BufWriter, Write, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use nuthatch::id::SessionId;
use nuthatch::record::RecordRequest;
use nuthatch::session::{Session, Turn};
use nuthatch::{Engine, Rules};
use nuthatch_sources::transcripts::{ClaudeCode, Environment, Located, Transcripts, Watermark};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds};
use serde_json::json;

use crate::random::Random;
use crate::table::Table;
use crate::world::block_on;

/// Turns recorded at a time, as `nuthatch sessions import` does.
const PART: usize = 2000;
const MEGABYTE: f64 = 1e6;

/// What to measure.
pub(crate) struct Options {
    /// Megabytes of the one large file.
    pub(crate) large: u64,
    /// Megabytes of all sessions together.
    pub(crate) all: u64,
    /// Megabytes of each of them.
    pub(crate) each: u64,
    pub(crate) folder: Option<PathBuf>,
}

/// Makes, reads and records, and prints how long it took.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let base = options.folder.clone().unwrap_or_else(|| scratch.path().to_owned());
    let reader =
        ClaudeCode::new(&Environment { home: Some(base.clone()), ..Environment::default() });
    let mut table = Table::new(&[
        "what",
        "MB",
        "events",
        "turns",
        "seconds",
        "MB/s",
        "CPU seconds",
        "MB/s of a core",
        "peak MB",
    ]);
    let projects = base.join(".claude/projects");
    let large = projects.join("large").join("00000000-0000-4000-8000-000000000000.jsonl");
    let size = write(&large, options.large, 0)?;
    let session = located(&reader, &large)?;
    let began = Began::now()?;
    let (events, turns) = read(&reader, &session, &mut |_| ())?;
    table.row(cells("one large file, read", size, events, turns, &began)?);

    let many: Vec<PathBuf> = (1..=options.all.div_ceil(options.each.max(1)))
        .map(|n| {
            projects
                .join(format!("p{}", n % 7))
                .join(format!("00000000-0000-4000-8000-{n:012}.jsonl"))
        })
        .collect();
    let mut size = 0;
    for (path, seed) in many.iter().zip(1..) {
        size += write(path, options.each, seed)?;
    }
    let sessions =
        many.iter().map(|path| located(&reader, path)).collect::<anyhow::Result<Vec<_>>>()?;
    let began = Began::now()?;
    let (mut events, mut turns) = (0, 0);
    for session in &sessions {
        let (more, said) = read(&reader, session, &mut |_| ())?;
        events += more;
        turns += said;
    }
    table.row(cells("sessions, read", size, events, turns, &began)?);
    let began = Began::now()?;
    let turns = block_on(record(&reader, &sessions, &base.join("memory.db")))?;
    table.row(cells("sessions, read and recorded", size, events, turns, &began)?);
    table.print()?;
    writeln!(stdout(), "store: {} MB", fs::metadata(base.join("memory.db"))?.len() / 1_000_000)?;
    Ok(())
}

fn cells(
    what: &str,
    size: u64,
    events: u64,
    turns: u64,
    began: &Began,
) -> anyhow::Result<Vec<String>> {
    let seconds = began.at.elapsed().as_secs_f64();
    let busy = busy()? - began.busy;
    let megabytes = size as f64 / MEGABYTE;
    Ok(vec![
        what.to_owned(),
        format!("{megabytes:.0}"),
        events.to_string(),
        turns.to_string(),
        format!("{seconds:.1}"),
        format!("{:.0}", megabytes / seconds),
        format!("{busy:.1}"),
        format!("{:.0}", megabytes / busy),
        (peak()? / 1000).to_string(),
    ])
}

/// When something began, by the clock and by the cores.
struct Began {
    at: Instant,
    busy: f64,
}

impl Began {
    fn now() -> anyhow::Result<Began> {
        Ok(Began { at: Instant::now(), busy: busy()? })
    }
}

/// Seconds that this process has been on a core: on a machine that others share, the clock says
/// little.
fn busy() -> anyhow::Result<f64> {
    /// What Linux counts in, on every machine of today.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program may hold anything; what follows its bracket are numbers.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS)
}

fn located(reader: &ClaudeCode, path: &Path) -> anyhow::Result<Located> {
    reader.at(path).sessions.into_iter().next().ok_or_else(|| anyhow::anyhow!("no session in it"))
}

/// Reads a session; how many events and turns it has.
fn read(
    reader: &ClaudeCode,
    session: &Located,
    each: &mut dyn FnMut(Turn),
) -> anyhow::Result<(u64, u64)> {
    let id = SessionId::new(session.head.id.clone())?;
    let (mut events, mut turns) = (0, 0);
    reader.read(session, &Watermark::default(), &mut |event| {
        events += 1;
        if let Some(turn) = event.turn(&id, Timestamp::UNIX_EPOCH) {
            turns += 1;
            each(turn);
        }
        ControlFlow::Continue(())
    })?;
    Ok((events, turns))
}

async fn record(reader: &ClaudeCode, sessions: &[Located], store: &Path) -> anyhow::Result<u64> {
    let store = nuthatch_stores::open(&StoreUrl::Sqlite(store.to_owned())).await?;
    let engine =
        Engine::new(store, Arc::new(SystemClock), Arc::<SystemIds>::default(), Rules::default());
    let mut recorded = 0;
    for session in sessions {
        let mut turns = Vec::new();
        read(reader, session, &mut |turn| turns.push(turn))?;
        recorded += turns.len() as u64;
        let head = Session::new(SessionId::new(session.head.id.clone())?, Timestamp::UNIX_EPOCH);
        for part in turns.chunks(PART) {
            let request = RecordRequest::new(head.clone(), part.to_vec());
            engine.record(request, &|_, _| ()).await?;
        }
    }
    Ok(recorded)
}

/// Writes a session of about so many megabytes, with lines as long as real ones: most bytes are
/// results of tools, and a fiftieth of the lines is what a person typed.
fn write(path: &Path, megabytes: u64, seed: u64) -> anyhow::Result<u64> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut random = Random::new(seed + 1);
    let mut file = BufWriter::new(File::create(path)?);
    let (mut size, mut parent) = (0_u64, None::<String>);
    for n in 0.. {
        if size >= megabytes * 1_000_000 {
            break;
        }
        let id = format!("00000000-0000-4000-8000-{n:012}");
        let mut said = |words: usize| -> String {
            (0..words).map(|_| format!("word{} ", random.below(5000))).collect()
        };
        let (kind, message) = match n % 25 {
            0 => ("user", json!({"role": "user", "content": said(25)})),
            k if k % 3 == 1 => {
                let input = json!({"command": said(12)});
                let call = json!({"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": input});
                (
                    "assistant",
                    json!({"id": format!("m{n}"), "model": "m", "content": [call], "usage": {"output_tokens": 9}}),
                )
            }
            k if k % 3 == 2 => {
                let result = json!({"type": "tool_result", "tool_use_id": format!("t{}", n - 1), "content": said(900)});
                ("user", json!({"role": "user", "content": [result]}))
            }
            _ => {
                let text = json!({"type": "text", "text": said(60)});
                (
                    "assistant",
                    json!({"id": format!("m{n}"), "model": "m", "content": [text], "usage": {"output_tokens": 9}}),
                )
            }
        };
        let line = json!({
            "type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "cwd": "/tmp/made-up",
            "gitBranch": "main", "version": "2.1.42", "isSidechain": false, "userType": "external",
            "timestamp": "2026-03-01T10:00:00.000Z", "message": message,
        })
        .to_string();
        size += line.len() as u64 + 1;
        writeln!(file, "{line}")?;
        parent = Some(id);
    }
    file.flush()?;
    Ok(size)
}

/// The most memory this process ever had, in kilobytes.
fn peak() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = line.unwrap_or_default().trim().trim_end_matches(" kB");
    Ok(digits.trim().parse()?)
}
