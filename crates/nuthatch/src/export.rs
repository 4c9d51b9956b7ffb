//! Writing out what a store holds, in a format that others read.
//!
//! Bytes go to a writer as they are made, so a store of any size fits. Only `jsonl` carries
//! everything; the others carry what holds now, and nothing that is quarantined: their readers
//! know no trust. What is left out is counted.

use std::collections::BTreeMap;
use std::io::Write;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::filter::{Cursor, Filter, Page, Scopes, Superseded};
use crate::id::{MemoryId, SessionId};
use crate::interchange::jsonl::{Amount, First, Last, VERSION};
use crate::interchange::{Format, line, markdown, mcp_memory, mif};
use crate::memory::Record;
use crate::scope::Scope;
use crate::store::Store;
use crate::trust::Trust;

/// Things read and written at a time.
const BATCH: u64 = 250;

/// What is to be written.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// How.
    pub format: Format,
    /// Of which scopes. Conversations belong to none: they are written with [`Scopes::All`].
    pub scopes: Scopes,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exported {
    /// How.
    pub format: Format,
    /// How much.
    #[serde(flatten)]
    pub amount: Amount,
    /// What the format has no place for, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
}

/// Where bytes go, and who watches.
pub struct Outlet<'a> {
    /// Takes the bytes.
    pub out: &'a mut (dyn Write + Send),
    /// Told how many of how many things are written.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Writes what the request means.
///
/// # Errors
/// `invalid` for a format that is only read, `unavailable` when the writer fails; whatever the
/// store says.
pub async fn export<'a>(
    store: &'a dyn Store,
    request: &ExportRequest,
    at: Timestamp,
    outlet: Outlet<'a>,
) -> Result<Exported> {
    let format = request.format;
    if !Format::WRITTEN.contains(&format) {
        return Err(Error::invalid(format!("{format} is read, and not written"))
            .with_hint("jsonl, markdown, mcp-memory or mif"));
    }
    let stats = store.stats().await?;
    let wanted = stats.scopes.iter().filter(|usage| request.scopes.contains(&usage.scope));
    let with_talk = format == Format::Jsonl && request.scopes == Scopes::All;
    let talk = if with_talk { stats.sessions + stats.turns } else { 0 };
    let total = wanted.clone().map(|usage| usage.entries).sum::<u64>() + talk;
    let exported = Exported { format, amount: Amount::default(), left_out: BTreeMap::new() };
    let mut writing = Writing { store, outlet, total, buffer: Vec::new(), exported, scope: None };
    writing.begin(at)?;
    if with_talk {
        writing.talks().await?;
    } else if stats.sessions > 0 {
        writing.exported.left_out.insert("sessions".to_owned(), stats.sessions);
    }
    // Headings of scopes come in order; everywhere else one pass finds what is new meanwhile.
    let passes = match format {
        Format::Jsonl => vec![request.scopes.clone()],
        _ => wanted.map(|usage| Scopes::These(vec![usage.scope.clone()])).collect(),
    };
    for scopes in passes {
        writing.memories(scopes).await?;
    }
    writing.end()
}

struct Writing<'a> {
    store: &'a dyn Store,
    outlet: Outlet<'a>,
    total: u64,
    buffer: Vec<u8>,
    exported: Exported,
    scope: Option<Scope>,
}

impl Writing<'_> {
    fn begin(&mut self, at: Timestamp) -> Result<()> {
        match self.exported.format {
            Format::Jsonl => {
                line(&First { nuthatch: VERSION, exported_at: at }, &mut self.buffer)?;
            }
            Format::Markdown => markdown::begin(at, &mut self.buffer),
            Format::Mif => mif::begin(at, &mut self.buffer),
            _ => {}
        }
        self.flush()
    }

    fn end(mut self) -> Result<Exported> {
        match self.exported.format {
            Format::Jsonl => line(&Last { end: self.exported.amount }, &mut self.buffer)?,
            Format::Mif => mif::end(&mut self.buffer),
            _ => {}
        }
        self.flush()?;
        self.outlet.out.flush().map_err(|error| unwritten(&error))?;
        Ok(self.exported)
    }

    fn flush(&mut self) -> Result<()> {
        self.outlet.out.write_all(&self.buffer).map_err(|error| unwritten(&error))?;
        self.buffer.clear();
        let Amount { memories, sessions, turns, .. } = self.exported.amount;
        let done = memories + sessions + turns;
        (self.outlet.progress)(done, self.total.max(done));
        Ok(())
    }

    async fn talks(&mut self) -> Result<()> {
        // All at once, because their order changes whenever one of them is continued.
        for session in self.store.sessions(Page::first(u64::MAX)).await? {
            line(&serde_json::json!({ "session": session }), &mut self.buffer)?;
            self.exported.amount.sessions += 1;
            self.turns(&session.id).await?;
        }
        Ok(())
    }

    async fn turns(&mut self, session: &SessionId) -> Result<()> {
        let mut offset = 0;
        loop {
            let turns = self.store.turns(session, Page { offset, limit: BATCH }).await?;
            if turns.is_empty() {
                return self.flush();
            }
            offset += turns.len() as u64;
            self.exported.amount.turns += turns.len() as u64;
            line(&serde_json::json!({ "turns": turns }), &mut self.buffer)?;
            self.flush()?;
        }
    }

    async fn memories(&mut self, scopes: Scopes) -> Result<()> {
        let mut filter = Filter::scoped(scopes);
        filter.superseded = Superseded::Shown;
        loop {
            let batch = self.store.list(&filter, Page::first(BATCH)).await?.memories;
            let Some(last) = batch.last() else { return Ok(()) };
            filter.after = Some(Cursor::at(last));
            let versions = match self.exported.format {
                Format::Jsonl => {
                    let ids: Vec<MemoryId> = batch.iter().map(|memory| memory.id).collect();
                    self.store.versions(&ids).await?
                }
                _ => Vec::new(),
            };
            for record in Record::joined(batch, versions) {
                self.memory(record)?;
            }
            self.flush()?;
        }
    }

    fn memory(&mut self, record: Record) -> Result<()> {
        let Record { memory, versions } = record;
        let format = self.exported.format;
        if format != Format::Jsonl {
            let why = match (memory.is_current(), memory.trust) {
                (false, _) => Some("replaced memories"),
                (true, Trust::Quarantined) => Some("quarantined memories"),
                _ => None,
            };
            if let Some(why) = why {
                *self.exported.left_out.entry(why.to_owned()).or_default() += 1;
                return Ok(());
            }
        }
        let is_first = self.exported.amount.memories == 0;
        self.exported.amount.memories += 1;
        match format {
            Format::Markdown => {
                markdown::write(&memory, self.scope.as_ref(), &mut self.buffer);
                self.scope = Some(memory.scope);
            }
            Format::McpMemory => mcp_memory::write(&memory, &mut self.buffer)?,
            Format::Mif => mif::write(&memory, is_first, &mut self.buffer)?,
            _ => {
                self.exported.amount.versions += versions.len() as u64;
                line(&Record { memory, versions }, &mut self.buffer)?;
            }
        }
        Ok(())
    }
}

fn unwritten(error: &std::io::Error) -> Error {
    Error::unavailable(format!("what is exported cannot be written: {error}"))
}
