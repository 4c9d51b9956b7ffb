//! Search by words: every posting of every term is read and weighed, exactly.
//!
//! Postings are packed (`words.rs`), so that reading a million of them costs less than asking the
//! server to add them up. Scores are made by the library's formula, the same to the last bit in
//! every store. Most candidates pass a filter, so it is asked about the best first, then about more
//! of them, and about everything only where too few of those pass.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use nuthatch::error::Result;
use nuthatch::filter::Filter;
use nuthatch::id::{DocId, MemoryId, TurnId};
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::Corpus;
use uuid::Uuid;

use super::codec::{self, column, number, parsed, time};
use super::connect::{Binds, Conn, params};
use super::filter;
use super::index::{self, Shelves};
use super::words::{self, Found};
use crate::packed::{Rows, Scores, Top};

/// Most documents of one score that are looked at: beyond, those that were stored last.
const MOST_TIES: usize = 10_000;
/// Most documents that are looked up one by one before everything that passes is read.
const MOST_LOOKED_UP: usize = 8_000;

pub async fn search(conn: &Conn, query: &TextQuery) -> Result<TextMatches> {
    let shelves = index::shelves(conn, &query.filter).await?;
    let found = words::find(conn, shelves.all(), &query.terms, query.limit > 0).await?;
    let own = Corpus {
        documents: shelves.documents,
        length: shelves.terms,
        frequencies: found.frequencies.clone(),
    };
    let corpus = query.corpus.clone().unwrap_or(own);
    let best = if query.limit > 0 { best(conn, query, &found, &corpus).await? } else { Vec::new() };
    drop(found);
    let docs: Vec<Uuid> = best.iter().map(|(doc, _)| *doc).collect();
    let mut evidence = evidence(conn, query, &shelves, &corpus, docs).await?;
    let mut scored: Vec<(Timestamp, TextMatch)> = Vec::new();
    for (doc, Admitted { id, at }) in best {
        scored.extend(evidence.remove(&doc).map(|known| (at, TextMatch { doc: id, ..known })));
    }
    scored.sort_by(|(at, a), (other_at, b)| {
        b.bm25.total_cmp(&a.bm25).then_with(|| (other_at, &b.doc).cmp(&(at, &a.doc)))
    });
    scored.truncate(query.limit);
    let matches: Vec<TextMatch> = scored.into_iter().map(|(_, found)| found).collect();
    let others = others(conn, query, &shelves, &corpus, &matches).await?;
    Ok(TextMatches { corpus, matches, others })
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
    found: &Found,
    corpus: &Corpus,
) -> Result<Vec<(Uuid, Admitted)>> {
    let scores = scores(found, corpus)?;
    // A few more than wanted, for those that do not pass; then as many as it seems to take.
    let mut some = query.limit.saturating_add(query.limit / 4).saturating_add(16);
    while some <= MOST_LOOKED_UP.max(query.limit.saturating_mul(2)) {
        let top = scores.top(some, None);
        let passing = admitted(conn, &query.filter, numbers(&top)).await?;
        if top.is_everything || passing.len() >= query.limit {
            return Ok(passing);
        }
        let needed = query.limit.saturating_mul(some) / passing.len().max(1);
        some = needed.saturating_add(needed / 2).max(some.saturating_mul(2));
    }
    let allowed = allowed(conn, &query.filter).await?;
    let top = scores.top(query.limit, Some(&allowed));
    admitted(conn, &query.filter, numbers(&top)).await
}

/// The score of every document that holds a term.
fn scores(found: &Found, corpus: &Corpus) -> Result<Scores> {
    let (mut lowest, mut highest) = (i64::MAX, i64::MIN);
    for block in found.blocks() {
        let block = block?;
        (lowest, highest) = (lowest.min(block.first), highest.max(block.last));
    }
    let mut scores = Scores::between(lowest, highest);
    let mut term = usize::MAX;
    for block in found.blocks() {
        let block = block?;
        if block.term != term {
            term = block.term;
            scores.begin_term(corpus.rarity(corpus.frequencies.get(term).copied().unwrap_or(0)));
        }
        if !scores.add(corpus, block.first, block.data) {
            return Err(words::damaged());
        }
    }
    Ok(scores)
}

fn numbers(top: &Top) -> Vec<i64> {
    let ties = &top.ties[top.ties.len().saturating_sub(MOST_TIES)..];
    top.better.iter().map(|(_, number)| *number).chain(ties.iter().copied()).collect()
}

/// Those of these documents that pass the filter.
async fn admitted(
    conn: &Conn,
    filter: &Filter,
    numbers: Vec<i64>,
) -> Result<Vec<(Uuid, Admitted)>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let mut binds = Binds::default();
    let among = format!("d.number = ANY ({})", binds.bind(numbers));
    passing(conn, filter, (binds, &among)).await
}

/// Those of the documents for which a condition over `documents AS d` holds that pass the filter.
pub async fn passing(
    conn: &Conn,
    filter: &Filter,
    (mut binds, among): (Binds, &str),
) -> Result<Vec<(Uuid, Admitted)>> {
    let columns =
        ("d.doc, m.created_at, NULL::text, NULL::bigint", "d.doc, t.at, t.session, t.seq");
    let sql = filter::documents(filter, &mut binds, columns, among);
    let mut found = Vec::new();
    for row in conn.rows(&sql, &binds.0).await? {
        let doc: Uuid = column(&row, 0)?;
        let id = match column::<Option<String>>(&row, 2)? {
            None => DocId::Memory(MemoryId(doc)),
            Some(_) => DocId::Turn(TurnId { session: parsed(&row, 2)?, seq: number(&row, 3)? }),
        };
        found.push((doc, Admitted { id, at: time(&row, 1)? }));
    }
    Ok(found)
}

/// The numbers of everything that passes the filter.
async fn allowed(conn: &Conn, filter: &Filter) -> Result<Rows> {
    let mut binds = Binds::default();
    let sql = filter::documents(filter, &mut binds, ("d.number", "d.number"), "true");
    let mut allowed = Rows::default();
    for row in conn.rows(&sql, &binds.0).await? {
        allowed.insert(column(&row, 0)?);
    }
    Ok(allowed)
}

/// How often each term occurs in those of these documents that stand on the shelves, and their
/// scores. The ids are put in by the caller, who knows them.
async fn evidence(
    conn: &Conn,
    query: &TextQuery,
    shelves: &Shelves,
    corpus: &Corpus,
    docs: Vec<Uuid>,
) -> Result<HashMap<Uuid, TextMatch>> {
    if docs.is_empty() || query.terms.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT doc, length, terms, counts FROM nuthatch.documents \
               WHERE tenant = $1 AND doc = ANY ($2) AND shelf = ANY ($3)";
    let kept: Vec<String> = query.terms.iter().map(|term| codec::escaped(term)).collect();
    let places: HashMap<&str, usize> =
        kept.iter().enumerate().map(|(place, term)| (term.as_str(), place)).collect();
    let mut found: HashMap<Uuid, TextMatch> = HashMap::new();
    for row in conn.rows(sql, &params![docs, shelves.all()]).await? {
        let doc: Uuid = column(&row, 0)?;
        let mut counts = vec![0; query.terms.len()];
        let terms = column::<Vec<&str>>(&row, 2)?;
        for (term, count) in terms.into_iter().zip(column::<Vec<i32>>(&row, 3)?) {
            if let Some(place) = places.get(term) {
                counts[*place] = count.unsigned_abs();
            }
        }
        if counts.iter().all(|count| *count == 0) {
            continue;
        }
        let length = u32::try_from(number(&row, 1)?).unwrap_or(u32::MAX);
        let bm25 = corpus.score(&counts, length);
        let of = DocId::Memory(MemoryId(doc));
        found.insert(doc, TextMatch { doc: of, bm25, counts, length });
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
    let names: Vec<Uuid> = wanted.iter().map(codec::doc_uuid).collect();
    let mut evidence = evidence(conn, query, shelves, corpus, names.clone()).await?;
    let named = wanted.into_iter().zip(names);
    let mut found: Vec<TextMatch> = named
        .filter_map(|(id, name)| evidence.remove(&name).map(|known| TextMatch { doc: id, ..known }))
        .collect();
    found.sort_by(|a, b| a.doc.cmp(&b.doc));
    Ok(found)
}
