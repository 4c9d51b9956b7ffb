//! Documents and their words: what a search looks through.
//!
//! A document is known by a UUID, stands on the shelf of its kind and scope, and has a number by
//! which the blocks of its terms name it (`words.rs`). The terms are kept with it, so that taking it
//! out needs no second reading of a text by words that may be cut differently by then. Everything
//! here is done with many documents at once: a statement costs more than what it does.

use std::collections::BTreeMap;

use futures_util::future::try_join;
use nuthatch::error::{Error, Result};
use nuthatch::filter::Filter;
use nuthatch::id::{ContentHash, DocId, MemoryId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::session::Turn;
use nuthatch::text::Words;
use uuid::Uuid;

use super::codec::{self, column, count, number, parsed};
use super::connect::{Conn, params};
use super::words;
use crate::packed::Posting;

/// Documents of one statement.
const AT_ONCE: usize = 1000;
/// Between the words of a document on their way to the server: no word holds it.
const BETWEEN: &str = "\u{1F}";

/// Memories and turns are counted apart.
pub const MEMORY: i64 = 0;
pub const TURN: i64 = 1;

/// A document on its way into the index.
pub struct Document {
    pub doc: Uuid,
    pub kind: i64,
    pub scope: Scope,
    pub session: String,
    pub seq: u64,
    pub words: Words,
    pub hash: ContentHash,
}

impl Document {
    pub fn memory(memory: &Memory) -> Self {
        Document {
            doc: memory.id.0,
            kind: MEMORY,
            scope: memory.scope.clone(),
            session: String::new(),
            seq: 0,
            words: Words::of(memory.key.as_deref(), &memory.content),
            hash: ContentHash::of(memory.key.as_deref(), &memory.content),
        }
    }

    pub fn turn(turn: &Turn, scope: Scope) -> Self {
        Document {
            doc: codec::turn_uuid(turn.session.as_str(), turn.seq),
            kind: TURN,
            scope,
            session: turn.session.as_str().to_owned(),
            seq: turn.seq,
            words: Words::of(turn.asked.as_deref(), &turn.text),
            hash: ContentHash::of(turn.asked.as_deref(), &turn.text),
        }
    }

    pub fn shelf(&self) -> Uuid {
        codec::shelf_uuid(self.kind, &self.scope)
    }
}

/// Columns of many documents.
#[derive(Default)]
struct Columns {
    docs: Vec<Uuid>,
    kinds: Vec<i64>,
    shelves: Vec<Uuid>,
    sessions: Vec<String>,
    seqs: Vec<i64>,
    lengths: Vec<i64>,
    terms: Vec<String>,
    counts: Vec<String>,
    hashes: Vec<Vec<u8>>,
}

impl Columns {
    fn of(documents: &[Document]) -> Columns {
        let mut columns = Columns::default();
        for document in documents {
            let (terms, counts): (Vec<&str>, Vec<String>) = document
                .words
                .counts
                .iter()
                .map(|(term, n)| (term.as_str(), n.to_string()))
                .unzip();
            columns.docs.push(document.doc);
            columns.kinds.push(document.kind);
            columns.shelves.push(document.shelf());
            columns.sessions.push(document.session.clone());
            columns.seqs.push(count(document.seq));
            columns.lengths.push(i64::from(document.words.length));
            columns.terms.push(terms.join(BETWEEN));
            columns.counts.push(counts.join(","));
            columns.hashes.push(document.hash.0.to_vec());
        }
        columns
    }
}

/// What shelves get, or lose.
#[derive(Default)]
struct Sums {
    shelves: Vec<Uuid>,
    kinds: Vec<i64>,
    scopes: Vec<String>,
    documents: Vec<i64>,
    terms: Vec<i64>,
}

impl Sums {
    fn of(documents: &[Document]) -> Sums {
        let mut by_shelf: BTreeMap<Uuid, (&Document, i64, i64)> = BTreeMap::new();
        for document in documents {
            let sum = by_shelf.entry(document.shelf()).or_insert((document, 0, 0));
            sum.1 += 1;
            sum.2 += i64::from(document.words.length);
        }
        let mut sums = Sums::default();
        for (shelf, (document, documents, terms)) in by_shelf {
            sums.shelves.push(shelf);
            sums.kinds.push(document.kind);
            sums.scopes.push(document.scope.to_string());
            sums.documents.push(documents);
            sums.terms.push(terms);
        }
        sums
    }
}

/// Whether documents wait for vectors, or have them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    Wanted,
    There,
}

/// Puts the words of documents that are not there into the index.
async fn add(conn: &Conn, documents: &[Document], vectors: Vectors) -> Result<()> {
    for some in documents.chunks(AT_ONCE) {
        let places = some.iter().flat_map(|document| {
            let shelf = document.shelf();
            document.words.counts.keys().map(move |term| (shelf, term.clone()))
        });
        let places = places.collect();
        let numbered = number_of(conn, some, vectors);
        let (before, last) = try_join(numbered, words::last(conn, &places)).await?;
        let mut postings: BTreeMap<words::Place, Vec<Posting>> = BTreeMap::new();
        for (doc, document) in (before + 1..).zip(some) {
            let (shelf, length) = (document.shelf(), document.words.length);
            for (term, count) in &document.words.counts {
                let posting = Posting { doc, count: *count, length };
                postings.entry((shelf, term.clone())).or_default().push(posting);
            }
        }
        words::add(conn, postings, last).await?;
    }
    Ok(())
}

/// Numbers documents, and stores what is known of them; gives the number before the first.
async fn number_of(conn: &Conn, documents: &[Document], vectors: Vectors) -> Result<i64> {
    let sql = "WITH given AS (SELECT * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10) \
               WITH ORDINALITY AS g (doc, kind, shelf, session, seq, length, terms, counts, hash, n)), \
               next AS (UPDATE nuthatch.tenants SET numbered = numbered + $11 WHERE tenant = $1 \
               RETURNING numbered - $11 AS before), \
               shelf AS (INSERT INTO nuthatch.shelves AS s \
               (tenant, shelf, kind, scope, documents, terms) SELECT $1, o.* \
               FROM unnest($12, $13, $14, $15, $16) AS o (shelf, kind, scope, documents, terms) \
               ON CONFLICT (tenant, shelf) DO UPDATE SET \
               documents = s.documents + excluded.documents, terms = s.terms + excluded.terms), \
               waits AS (INSERT INTO nuthatch.pending \
               (tenant, model, kind, session, seq, doc, shelf) \
               SELECT $1, m.model, g.kind, g.session, g.seq, g.doc, g.shelf \
               FROM given AS g, nuthatch.models AS m WHERE m.tenant = $1 AND $17 \
               ON CONFLICT DO NOTHING), \
               kept AS (INSERT INTO nuthatch.documents \
               (tenant, doc, number, kind, shelf, session, seq, length, terms, counts, hash) \
               SELECT $1, g.doc, x.before + g.n, g.kind, g.shelf, g.session, g.seq, g.length, \
               string_to_array(g.terms, E'\\x1f'), string_to_array(g.counts, ',')::integer[], g.hash \
               FROM given AS g, next AS x) \
               SELECT before FROM next";
    let columns = Columns::of(documents);
    let sums = Sums::of(documents);
    let values = params![
        columns.docs,
        columns.kinds,
        columns.shelves,
        columns.sessions,
        columns.seqs,
        columns.lengths,
        columns.terms,
        columns.counts,
        columns.hashes,
        documents.len() as u64,
        sums.shelves,
        sums.kinds,
        sums.scopes,
        sums.documents,
        sums.terms,
        vectors == Vectors::Wanted,
    ];
    match conn.one(sql, &values).await? {
        Some(row) => column(&row, 0),
        None => Err(Error::internal("a tenant without a row cannot write")),
    }
}

/// Takes the words of documents out of the index.
pub async fn remove(conn: &Conn, docs: &[Uuid]) -> Result<()> {
    let sql = "WITH gone AS (DELETE FROM nuthatch.documents WHERE tenant = $1 AND doc = ANY ($2) \
               RETURNING shelf, number, length, terms), \
               shelf AS (UPDATE nuthatch.shelves AS s SET documents = s.documents - g.documents, \
               terms = s.terms - g.terms FROM (SELECT shelf, count(*) AS documents, \
               sum(length)::bigint AS terms FROM gone GROUP BY shelf) AS g \
               WHERE s.tenant = $1 AND s.shelf = g.shelf) \
               SELECT shelf, number, terms FROM gone ORDER BY number";
    for some in docs.chunks(AT_ONCE) {
        let mut leaving: BTreeMap<words::Place, Vec<i64>> = BTreeMap::new();
        for row in conn.rows(sql, &params![some.to_vec()]).await? {
            let (shelf, number): (Uuid, i64) = (column(&row, 0)?, column(&row, 1)?);
            for term in column::<Vec<String>>(&row, 2)? {
                leaving.entry((shelf, codec::plain(term))).or_default().push(number);
            }
        }
        words::remove(conn, leaving).await?;
    }
    Ok(())
}

/// Takes the vectors of documents away, and stops waiting for them.
pub async fn drop_vectors(conn: &Conn, docs: &[Uuid]) -> Result<()> {
    let sql = "WITH waits AS (DELETE FROM nuthatch.pending WHERE tenant = $1 AND doc = ANY ($2)) \
               DELETE FROM nuthatch.vectors WHERE tenant = $1 AND doc = ANY ($2) \
               AND model = ANY (ARRAY(SELECT model FROM nuthatch.models WHERE tenant = $1))";
    for some in docs.chunks(AT_ONCE) {
        conn.execute(sql, &params![some.to_vec()]).await?;
    }
    Ok(())
}

/// Puts documents that are new into the index; they wait for every known model.
pub async fn add_new(conn: &Conn, documents: &[Document]) -> Result<()> {
    add(conn, documents, Vectors::Wanted).await
}

/// Puts documents that say something else in the place of what they were.
pub async fn replace(conn: &Conn, documents: &[Document]) -> Result<()> {
    let docs: Vec<Uuid> = documents.iter().map(|document| document.doc).collect();
    remove(conn, &docs).await?;
    drop_vectors(conn, &docs).await?;
    add(conn, documents, Vectors::Wanted).await
}

/// Puts documents that say what they said on the shelf where they are now, or indexes their words
/// anew; their vectors stay.
pub async fn move_to(conn: &Conn, documents: &[Document]) -> Result<()> {
    let sql = "WITH waits AS (UPDATE nuthatch.pending AS o SET shelf = w.shelf \
               FROM unnest($2, $3) AS w (doc, shelf) \
               WHERE o.tenant = $1 AND o.doc = w.doc AND o.shelf <> w.shelf) \
               UPDATE nuthatch.vectors AS v SET shelf = w.shelf \
               FROM unnest($2, $3) AS w (doc, shelf) WHERE v.tenant = $1 AND v.doc = w.doc \
               AND v.shelf <> w.shelf \
               AND v.model = ANY (ARRAY(SELECT model FROM nuthatch.models WHERE tenant = $1))";
    for some in documents.chunks(AT_ONCE) {
        let docs: Vec<Uuid> = some.iter().map(|document| document.doc).collect();
        let shelves: Vec<Uuid> = some.iter().map(Document::shelf).collect();
        remove(conn, &docs).await?;
        add(conn, some, Vectors::There).await?;
        conn.execute(sql, &params![docs, shelves]).await?;
    }
    Ok(())
}

/// What a filter's scopes name.
#[derive(Default)]
pub struct Shelves {
    pub memories: Vec<Uuid>,
    pub turns: Vec<Uuid>,
    pub documents: u64,
    pub terms: u64,
}

impl Shelves {
    pub fn all(&self) -> Vec<Uuid> {
        self.memories.iter().chain(&self.turns).copied().collect()
    }
}

/// The shelves to look through.
pub async fn shelves(conn: &Conn, filter: &Filter) -> Result<Shelves> {
    let sql = "SELECT shelf, kind, scope, documents, terms FROM nuthatch.shelves \
               WHERE tenant = $1 AND documents > 0";
    let mut found = Shelves::default();
    for row in conn.rows(sql, &[]).await? {
        let kind: i64 = column(&row, 1)?;
        let scope: Scope = parsed(&row, 2)?;
        let included =
            if kind == MEMORY { filter.include.memories() } else { filter.include.turns() };
        if included && filter.scopes.contains(&scope) {
            let of_kind = if kind == MEMORY { &mut found.memories } else { &mut found.turns };
            of_kind.push(column(&row, 0)?);
            found.documents += number(&row, 3)?;
            found.terms += number(&row, 4)?;
        }
    }
    Ok(found)
}

/// The id of a document out of its row's kind, UUID, session and place.
pub fn doc_id(kind: i64, doc: Uuid, session: &str, seq: u64) -> Result<DocId> {
    if kind == MEMORY {
        return Ok(DocId::Memory(MemoryId(doc)));
    }
    Ok(DocId::Turn(nuthatch::id::TurnId { session: session.parse()?, seq }))
}
