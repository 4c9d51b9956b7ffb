//! Everything a ranking can be made of, in files: what each turn and question is to the
//! text lane and to the vector lane, so that fusion can be studied apart from the engine.
//!
//! `turns.jsonl` and `questions.jsonl` hold words and facts, `passages.i8` and
//! `questions.i8` the vectors, row after row; a turn says which rows are its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write, stderr};
use std::path::{Path, PathBuf};

use anyhow::Context;
use nuthatch::embed;
use nuthatch::embedder::{Embedder, Purpose};
use nuthatch::id::{ContentHash, DocId};
use nuthatch::record::Conversation;
use nuthatch::session::Turn;
use nuthatch::store::Unembedded;
use nuthatch::text::{Words, query_terms, questions};
use serde_json::json;

use super::ask::asked_at;
use super::record::{self, Space};
use crate::embedding::{self, Choice};
use crate::uniform::{self, Set};
use crate::world::block_on;

/// Texts embedded at a time.
const BATCH: usize = 64;

/// What to write down, and where.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) embedder: Choice,
    pub(crate) out: PathBuf,
}

/// Writes the evidence of a set.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let set = Set::read(&options.data)?;
    let embedder = embedding::open(&options.embedder)?.context("there is nothing to embed with")?;
    fs::create_dir_all(&options.out)?;
    fs::write(options.out.join("model"), embedder.info().id.to_string())?;
    let mut spaces = BTreeMap::<String, Space>::new();
    let mut out = Out::create(&options.out)?;
    for lines in record::sessions(&set) {
        let space = spaces.entry(lines[0].ns.clone()).or_default();
        let Conversation { session, mut turns } = record::conversation(&lines, space.end)?;
        space.end = space.end.max(Some(session.last_active_at));
        link(&mut turns);
        for (turn, line) in turns.into_iter().zip(lines) {
            out.turn(turn, line)?;
        }
    }
    block_on(out.embed(&*embedder))?;
    block_on(ask(&options.out, &set, &spaces, &*embedder))
}

/// Notes for each turn what the one before it asks, as recording does.
fn link(turns: &mut [Turn]) {
    let mut asked = None;
    for turn in turns {
        turn.asked = asked.take();
        asked = questions(&turn.text);
    }
}

/// The files of the turns, and the texts that wait to be embedded.
struct Out {
    folder: PathBuf,
    turns: BufWriter<File>,
    texts: Vec<String>,
}

impl Out {
    fn create(folder: &Path) -> anyhow::Result<Out> {
        let turns = BufWriter::new(File::create(folder.join("turns.jsonl"))?);
        Ok(Out { folder: folder.to_owned(), turns, texts: Vec::new() })
    }

    fn turn(&mut self, turn: Turn, line: &uniform::Turn) -> anyhow::Result<()> {
        let words = Words::of(turn.asked.as_deref(), &turn.text);
        let first = self.texts.len();
        let document = Unembedded {
            doc: DocId::Turn(turn.id()),
            key: turn.asked,
            hash: ContentHash::of(None, &turn.text),
            text: turn.text,
        };
        self.texts.extend(embed::texts(&document).into_iter().map(|(_, text)| text));
        let row = json!({
            "ns": line.ns, "id": line.id, "session": line.session, "place": line.seq,
            "seq": turn.seq, "at": turn.at.as_second(), "role": turn.role.to_string(),
            "chars": document.text.chars().count(), "words": words.counts,
            "length": words.length, "rows": [first, self.texts.len()],
        });
        writeln!(self.turns, "{row}")?;
        Ok(())
    }

    async fn embed(mut self, embedder: &dyn Embedder) -> anyhow::Result<()> {
        self.turns.flush()?;
        let texts: Vec<&str> = self.texts.iter().map(String::as_str).collect();
        embedded(&self.folder.join("passages.i8"), embedder, Purpose::Passage, &texts).await
    }
}

async fn embedded(
    path: &Path,
    embedder: &dyn Embedder,
    purpose: Purpose,
    texts: &[&str],
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for (number, batch) in texts.chunks(BATCH).enumerate() {
        for vector in embedder.embed(purpose, batch).await? {
            let bytes: Vec<u8> = vector.components().iter().map(|c| c.cast_unsigned()).collect();
            out.write_all(&bytes)?;
        }
        if number % 20 == 0 {
            writeln!(stderr(), "{} of {}", number * BATCH, texts.len())?;
        }
    }
    out.flush()?;
    Ok(())
}

async fn ask(
    folder: &Path,
    set: &Set,
    spaces: &BTreeMap<String, Space>,
    embedder: &dyn Embedder,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(File::create(folder.join("questions.jsonl"))?);
    for query in &set.queries {
        let at = spaces.get(&query.ns).and_then(|space| asked_at(query, space));
        let row = json!({
            "id": query.id, "ns": query.ns, "text": query.text, "type": query.kind,
            "at": at.map(|at| at.as_second()), "terms": query_terms(&query.text),
            "rel_turns": query.relevant(uniform::Level::Turn),
            "rel_sessions": query.relevant(uniform::Level::Session),
            "max_seq": query.max_seq, "haystack": query.haystack,
        });
        writeln!(out, "{row}")?;
    }
    out.flush()?;
    let texts: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
    embedded(&folder.join("questions.i8"), embedder, Purpose::Query, &texts).await
}
