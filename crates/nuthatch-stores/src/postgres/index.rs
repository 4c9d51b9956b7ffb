//! Documents and their words: what a search looks through.
//!
//! A document is known by a UUID, stands on the shelf of its kind and scope, and has a posting for
//! each of its terms. The terms are kept with it, so that taking it out needs no second reading of
//! a text by words that may be cut differently by then.

use nuthatch::error::Result;
use nuthatch::filter::Filter;
use nuthatch::id::{ContentHash, DocId, MemoryId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::session::Turn;
use nuthatch::text::Words;
use uuid::Uuid;

use super::codec::{self, column, count, number, parsed};
use super::connect::{Conn, params};

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

/// Puts a document's words into the index.
pub async fn add(conn: &Conn, document: &Document) -> Result<()> {
    let sql = "WITH shelf AS (INSERT INTO nuthatch.shelves AS s \
               (tenant, shelf, kind, scope, documents, terms) VALUES ($1, $2, $3, $4, 1, $5) \
               ON CONFLICT (tenant, shelf) DO UPDATE SET documents = s.documents + 1, \
               terms = s.terms + excluded.terms), \
               document AS (INSERT INTO nuthatch.documents \
               (tenant, doc, kind, shelf, session, seq, length, terms, hash) \
               VALUES ($1, $6, $3, $2, $7, $8, $5, $9, $10)) \
               INSERT INTO nuthatch.postings (tenant, shelf, term, doc, count, length) \
               SELECT $1, $2, w.term, $6, w.count, $5 FROM unnest($9, $11) AS w (term, count)";
    let (terms, counts): (Vec<String>, Vec<i64>) =
        document.words.counts.iter().map(|(term, n)| (term.clone(), i64::from(*n))).unzip();
    let values = params![
        document.shelf(),
        document.kind,
        &document.scope,
        i64::from(document.words.length),
        document.doc,
        document.session.as_str(),
        count(document.seq),
        terms,
        document.hash.0.to_vec(),
        counts,
    ];
    conn.execute(sql, &values).await.map(|_| ())
}

/// Takes a document's words out of the index.
pub async fn remove(conn: &Conn, doc: Uuid) -> Result<()> {
    let sql = "WITH gone AS (DELETE FROM nuthatch.documents WHERE tenant = $1 AND doc = $2 \
               RETURNING shelf, length, terms), \
               shelf AS (UPDATE nuthatch.shelves AS s SET documents = s.documents - 1, \
               terms = s.terms - g.length FROM gone AS g \
               WHERE s.tenant = $1 AND s.shelf = g.shelf) \
               DELETE FROM nuthatch.postings AS p USING gone AS g, unnest(g.terms) AS w (term) \
               WHERE p.tenant = $1 AND p.shelf = g.shelf AND p.term = w.term AND p.doc = $2";
    conn.execute(sql, &params![doc]).await.map(|_| ())
}

/// Takes a document's vectors away, and stops waiting for them.
pub async fn drop_vectors(conn: &Conn, doc: Uuid) -> Result<()> {
    let sql = "WITH waits AS (DELETE FROM nuthatch.pending WHERE tenant = $1 AND doc = $2) \
               DELETE FROM nuthatch.vectors WHERE tenant = $1 AND doc = $2 \
               AND model = ANY (ARRAY(SELECT model FROM nuthatch.models WHERE tenant = $1))";
    conn.execute(sql, &params![doc]).await.map(|_| ())
}

/// A document that is new or says something else waits for every known model.
pub async fn await_vectors(conn: &Conn, document: &Document) -> Result<()> {
    let sql = "INSERT INTO nuthatch.pending (tenant, model, kind, session, seq, doc, shelf) \
               SELECT $1, model, $2, $3, $4, $5, $6 FROM nuthatch.models WHERE tenant = $1 \
               ON CONFLICT DO NOTHING";
    let values = params![
        document.kind,
        document.session.as_str(),
        count(document.seq),
        document.doc,
        document.shelf(),
    ];
    conn.execute(sql, &values).await.map(|_| ())
}

/// Puts a document that is new, or says something else, in the place of what it was.
pub async fn replace(conn: &Conn, document: &Document) -> Result<()> {
    remove(conn, document.doc).await?;
    drop_vectors(conn, document.doc).await?;
    add(conn, document).await?;
    await_vectors(conn, document).await
}

/// Puts a document that says what it said on the shelf where it is now, or indexes its words
/// anew; its vectors stay.
pub async fn move_to(conn: &Conn, document: &Document) -> Result<()> {
    remove(conn, document.doc).await?;
    add(conn, document).await?;
    let sql = "WITH waits AS (UPDATE nuthatch.pending SET shelf = $3 \
               WHERE tenant = $1 AND doc = $2 AND shelf <> $3) \
               UPDATE nuthatch.vectors SET shelf = $3 WHERE tenant = $1 AND doc = $2 \
               AND shelf <> $3 AND model = ANY (ARRAY(SELECT model FROM nuthatch.models WHERE tenant = $1))";
    conn.execute(sql, &params![document.doc, document.shelf()]).await.map(|_| ())
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

/// The documents of these ids that stand on one of these shelves.
pub async fn standing(conn: &Conn, docs: &[DocId], shelves: &[Uuid]) -> Result<Vec<(Uuid, DocId)>> {
    let names: std::collections::HashMap<Uuid, &DocId> =
        docs.iter().map(|doc| (codec::doc_uuid(doc), doc)).collect();
    let sql = "SELECT doc FROM nuthatch.documents WHERE tenant = $1 AND doc = ANY ($2) \
               AND shelf = ANY ($3)";
    let values = params![names.keys().copied().collect::<Vec<Uuid>>(), shelves.to_vec()];
    let mut found = Vec::new();
    for row in conn.rows(sql, &values).await? {
        let uuid: Uuid = column(&row, 0)?;
        found.extend(names.get(&uuid).map(|doc| (uuid, DocId::clone(doc))));
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
