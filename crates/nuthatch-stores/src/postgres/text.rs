//! Search by words: PostgreSQL adds up scores to find the best, the library's formula makes them.
//!
//! The sum in the database only chooses candidates, with room for its rounding; each of them is
//! then scored by the library out of whole numbers, the same to the last bit in every store. Most
//! candidates pass a filter, so it is asked about the best first, and about all only where too few
//! of those pass.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::filter::Filter;
use nuthatch::id::{DocId, MemoryId, TurnId};
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::Corpus;
use uuid::Uuid;

use super::codec::{column, number, parsed, time};
use super::connect::{Binds, Conn, params};
use super::filter;
use super::index::{self, Shelves};

pub async fn search(conn: &Conn, query: &TextQuery) -> Result<TextMatches> {
    let shelves = index::shelves(conn, &query.filter).await?;
    let frequencies = frequencies(conn, query, &shelves).await?;
    let own = Corpus { documents: shelves.documents, length: shelves.terms, frequencies };
    let corpus = query.corpus.clone().unwrap_or(own);
    let found = best(conn, query, &shelves, &corpus).await?;
    let evidence = evidence(conn, query, &shelves, &corpus, found.keys().copied()).await?;
    let mut scored: Vec<(Timestamp, TextMatch)> = Vec::new();
    for (doc, Admitted { id, at }) in found {
        let known = evidence.get(&doc).cloned();
        scored.extend(known.map(|found| (at, TextMatch { doc: id, ..found })));
    }
    scored.sort_by(|(at, a), (other_at, b)| {
        b.bm25.total_cmp(&a.bm25).then_with(|| (other_at, &b.doc).cmp(&(at, &a.doc)))
    });
    scored.truncate(query.limit);
    let matches: Vec<TextMatch> = scored.into_iter().map(|(_, found)| found).collect();
    let others = others(conn, query, &shelves, &corpus, &matches).await?;
    Ok(TextMatches { corpus, matches, others })
}

/// In how many documents of the shelves each term occurs.
async fn frequencies(conn: &Conn, query: &TextQuery, shelves: &Shelves) -> Result<Vec<u64>> {
    if query.terms.is_empty() || shelves.documents == 0 {
        return Ok(vec![0; query.terms.len()]);
    }
    let sql = "SELECT term, count(*) FROM nuthatch.postings WHERE tenant = $1 \
               AND shelf = ANY ($2) AND term = ANY ($3) GROUP BY term";
    let mut counted: HashMap<String, u64> = HashMap::new();
    for row in conn.rows(sql, &params![shelves.all(), query.terms.clone()]).await? {
        counted.insert(super::codec::text(&row, 0)?, number(&row, 1)?);
    }
    Ok(query.terms.iter().map(|term| counted.get(term).copied().unwrap_or(0)).collect())
}

/// A document that passes a filter.
pub struct Admitted {
    pub id: DocId,
    pub at: Timestamp,
}

/// At least the best documents that pass the filter, as many as asked for, with all that are as
/// good as the last of them.
async fn best(
    conn: &Conn,
    query: &TextQuery,
    shelves: &Shelves,
    corpus: &Corpus,
) -> Result<HashMap<Uuid, Admitted>> {
    if query.limit == 0 || query.terms.is_empty() || shelves.documents == 0 {
        return Ok(HashMap::new());
    }
    let looked = query.limit.saturating_add(query.limit / 4).saturating_add(16);
    let some = candidates(conn, query, shelves, corpus, (looked, None)).await?;
    let passing = admitted(conn, &query.filter, &some).await?;
    if passing.len() >= query.limit || some.len() < looked {
        return Ok(passing);
    }
    let among = Some(&query.filter);
    let some = candidates(conn, query, shelves, corpus, (query.limit, among)).await?;
    admitted(conn, &query.filter, &some).await
}

/// The best documents by the database's own sum, and all that could be as good as the last.
async fn candidates(
    conn: &Conn,
    query: &TextQuery,
    shelves: &Shelves,
    corpus: &Corpus,
    (wanted, among): (usize, Option<&Filter>),
) -> Result<Vec<Uuid>> {
    // A count weighs count / (count + a + b · length): both are read off the library's formula.
    const LONG: u32 = 1 << 20;
    let weigh = |length| 1.0 / corpus.saturation(1, length) - 1.0;
    let a = weigh(0);
    let b = (weigh(LONG) - a) / f64::from(LONG);
    let mut binds = Binds::default();
    let on = binds.bind(shelves.all());
    let (terms, rarities) = (binds.bind(query.terms.clone()), binds.bind(corpus.rarities()));
    let (a, b) = (binds.bind(a), binds.bind(b));
    let wanted = binds.bind(wanted as u64);
    let passing = among.map_or(String::new(), |filter| passing(filter, shelves, &mut binds, "p"));
    let sql = format!(
        "WITH hits AS MATERIALIZED (SELECT p.doc, \
         sum(q.rarity * p.count / (p.count + {a} + {b} * p.length)) AS score \
         FROM unnest({terms}, {rarities}) AS q (term, rarity) \
         JOIN nuthatch.postings AS p ON p.tenant = $1 AND p.shelf = ANY ({on}) \
         AND p.term = q.term {passing} GROUP BY p.doc), \
         last AS (SELECT min(score) AS score FROM \
         (SELECT score FROM hits ORDER BY score DESC LIMIT {wanted}) AS best) \
         SELECT h.doc FROM hits AS h, last \
         WHERE h.score >= last.score - 1e-9 * (1 + abs(last.score))"
    );
    let rows = conn.rows(&sql, &binds.0).await?;
    rows.iter().map(|row| column(row, 0)).collect()
}

/// The condition that a document, named by `doc` and `shelf` of `alias`, passes the filter.
pub fn passing(filter: &Filter, shelves: &Shelves, binds: &mut Binds, alias: &str) -> String {
    let memory = filter::memories(filter, binds);
    let turn = filter::turns(filter, binds);
    let (memories, turns) =
        (binds.bind(shelves.memories.clone()), binds.bind(shelves.turns.clone()));
    format!(
        "AND ({alias}.shelf = ANY ({memories}) AND EXISTS (SELECT 1 FROM nuthatch.memories AS m \
         WHERE m.id = {alias}.doc AND {memory}) \
         OR {alias}.shelf = ANY ({turns}) AND EXISTS (SELECT 1 FROM nuthatch.documents AS d \
         JOIN nuthatch.turns AS t ON t.tenant = d.tenant AND t.session = d.session \
         AND t.seq = d.seq WHERE d.tenant = $1 AND d.doc = {alias}.doc AND {turn}))"
    )
}

/// Those of these documents that pass the filter.
pub async fn admitted(
    conn: &Conn,
    filter: &Filter,
    docs: &[Uuid],
) -> Result<HashMap<Uuid, Admitted>> {
    let mut found = HashMap::new();
    if docs.is_empty() {
        return Ok(found);
    }
    let mut binds = Binds::default();
    let condition = filter::memories(filter, &mut binds);
    let among = binds.bind(docs.to_vec());
    let sql = format!(
        "SELECT m.id, m.created_at FROM nuthatch.memories AS m \
         WHERE {condition} AND m.id = ANY ({among})"
    );
    for row in conn.rows(&sql, &binds.0).await? {
        let doc: Uuid = column(&row, 0)?;
        found.insert(doc, Admitted { id: DocId::Memory(MemoryId(doc)), at: time(&row, 1)? });
    }
    let mut binds = Binds::default();
    let condition = filter::turns(filter, &mut binds);
    let among = binds.bind(docs.to_vec());
    let sql = format!(
        "SELECT d.doc, t.session, t.seq, t.at FROM nuthatch.documents AS d \
         JOIN nuthatch.turns AS t ON t.tenant = d.tenant AND t.session = d.session \
         AND t.seq = d.seq WHERE d.tenant = $1 AND d.doc = ANY ({among}) AND d.kind = 1 \
         AND {condition}"
    );
    for row in conn.rows(&sql, &binds.0).await? {
        let id = TurnId { session: parsed(&row, 1)?, seq: number(&row, 2)? };
        found.insert(column(&row, 0)?, Admitted { id: DocId::Turn(id), at: time(&row, 3)? });
    }
    Ok(found)
}

/// How often each term occurs in these documents, and their scores. The ids are put in by the
/// caller, who knows them.
async fn evidence(
    conn: &Conn,
    query: &TextQuery,
    shelves: &Shelves,
    corpus: &Corpus,
    docs: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, TextMatch>> {
    let docs: Vec<Uuid> = docs.collect();
    if docs.is_empty() || query.terms.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT p.doc, p.term, p.count, p.length FROM nuthatch.documents AS d \
               JOIN nuthatch.postings AS p ON p.tenant = $1 AND p.shelf = d.shelf \
               AND p.doc = d.doc AND p.term = ANY ($3) \
               WHERE d.tenant = $1 AND d.doc = ANY ($2) AND d.shelf = ANY ($4)";
    let places: HashMap<&str, usize> =
        query.terms.iter().enumerate().map(|(place, term)| (term.as_str(), place)).collect();
    let mut found: HashMap<Uuid, TextMatch> = HashMap::new();
    for row in conn.rows(sql, &params![docs, query.terms.clone(), shelves.all()]).await? {
        let doc: Uuid = column(&row, 0)?;
        let (count, length): (i32, i32) = (column(&row, 2)?, column(&row, 3)?);
        let one = found.entry(doc).or_insert_with(|| TextMatch {
            doc: DocId::Memory(MemoryId(doc)),
            bm25: 0.0,
            counts: vec![0; query.terms.len()],
            length: length.unsigned_abs(),
        });
        if let Some(place) = places.get(super::codec::text(&row, 1)?.as_str()) {
            one.counts[*place] = count.unsigned_abs();
        }
    }
    for one in found.values_mut() {
        one.bm25 = corpus.score(&one.counts, one.length);
    }
    Ok(found)
}

/// What was wanted beside the matches and holds at least one term, by document.
async fn others(
    conn: &Conn,
    query: &TextQuery,
    shelves: &Shelves,
    corpus: &Corpus,
    matches: &[TextMatch],
) -> Result<Vec<TextMatch>> {
    let known: HashSet<&DocId> = matches.iter().map(|found| &found.doc).collect();
    let wanted: Vec<DocId> =
        query.beside(matches).into_iter().filter(|doc| !known.contains(doc)).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let standing = index::standing(conn, &wanted, &shelves.all()).await?;
    let mut evidence =
        evidence(conn, query, shelves, corpus, standing.iter().map(|(doc, _)| *doc)).await?;
    let found = standing
        .into_iter()
        .filter_map(|(doc, id)| evidence.remove(&doc).map(|found| TextMatch { doc: id, ..found }));
    let mut found: Vec<TextMatch> = found.collect();
    found.sort_by(|a, b| a.doc.cmp(&b.doc));
    Ok(found)
}
