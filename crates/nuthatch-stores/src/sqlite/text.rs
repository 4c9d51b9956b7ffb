//! Search by words: every posting of every term is read and weighed, exactly.
//!
//! Postings are packed (`packed/`), so that adding up a million of them costs less than
//! finding out which to leave out. Scores are summed in the order of the query's terms, by
//! the library's formula, and are the same to the last bit in every store.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use nuthatch::error::Result;
use nuthatch::filter::Filter;
use nuthatch::id::DocId;
use nuthatch::store::{TextMatch, TextMatches, TextQuery};
use nuthatch::text::Corpus;
use rusqlite::{Connection, Row, params};

use super::admit::{self, Admitted, Shelf};
use super::codec::whole;
use super::read::rows;
use super::words::{Kind, damaged};
use crate::packed::{Rows, Scores, Top, decode};

/// Documents of one score that are simply all looked at.
const FEW_TIES: usize = 1000;
/// Steps through the index of times for each document of one score: a step costs a fraction
/// of looking at a document.
const STEPS_PER_TIE: usize = 16;
/// Most documents of one score that are looked at where the index of times does not help.
/// Beyond, which of them are given is as they were stored.
const MOST_TIES: usize = 10_000;

/// One block of a term's postings.
struct Block {
    term: usize,
    kind: Kind,
    first: i64,
    last: i64,
    start: usize,
    end: usize,
}

/// Every posting that concerns a query.
#[derive(Default)]
struct Postings {
    blocks: Vec<Block>,
    data: Vec<u8>,
}

impl Postings {
    /// Reads them, and counts in how many documents each term occurs.
    fn read(
        connection: &Connection,
        terms: &[String],
        shelves: &[Shelf],
    ) -> Result<(Postings, Vec<u64>)> {
        let sql = "SELECT first, last, documents, data FROM postings \
                   WHERE shelf = ?1 AND term = ?2 ORDER BY first";
        let mut postings = Postings::default();
        let mut frequencies = vec![0; terms.len()];
        for (number, term) in terms.iter().enumerate() {
            for shelf in shelves {
                rows(connection, sql, params![shelf.pile, term], |row| {
                    let start = postings.data.len();
                    postings.data.extend_from_slice(row.get_ref(3)?.as_blob()?);
                    frequencies[number] += whole(row.get(2)?);
                    postings.blocks.push(Block {
                        term: number,
                        kind: shelf.kind,
                        first: row.get(0)?,
                        last: row.get(1)?,
                        start,
                        end: postings.data.len(),
                    });
                    Ok(())
                })?;
            }
        }
        Ok((postings, frequencies))
    }

    /// The score of every document of a kind.
    fn scores(&self, connection: &Connection, kind: Kind, corpus: &Corpus) -> Result<Scores> {
        let blocks = || self.blocks.iter().filter(|block| block.kind == kind);
        let lowest = blocks().map(|block| block.first).min().unwrap_or(0);
        let highest = blocks().map(|block| block.last).max().unwrap_or(-1);
        let mut scores = Scores::between(lowest, highest);
        let mut term = usize::MAX;
        for block in blocks() {
            if block.term != term {
                term = block.term;
                scores.begin_term(corpus.rarity(corpus.frequencies[term]));
            }
            if !scores.add(corpus, block.first, &self.data[block.start..block.end]) {
                return Err(damaged(connection));
            }
        }
        Ok(scores)
    }

    /// How often each term occurs in these documents, and how long they are.
    fn evidence(
        &self,
        connection: &Connection,
        kind: Kind,
        docs: &mut [i64],
        terms: usize,
    ) -> Result<HashMap<i64, (Vec<u32>, u32)>> {
        docs.sort_unstable();
        let mut found: HashMap<i64, (Vec<u32>, u32)> = HashMap::new();
        for block in self.blocks.iter().filter(|block| block.kind == kind) {
            let from = docs.partition_point(|doc| *doc < block.first);
            let mut wanted = docs[from..].iter().take_while(|doc| **doc <= block.last).peekable();
            if wanted.peek().is_none() {
                continue;
            }
            let sound = decode(block.first, &self.data[block.start..block.end], |posting| {
                while wanted.next_if(|doc| **doc < posting.doc).is_some() {}
                if wanted.next_if(|doc| **doc == posting.doc).is_some() {
                    let empty = || (vec![0; terms], posting.length);
                    let (counts, _) = found.entry(posting.doc).or_insert_with(empty);
                    counts[block.term] = posting.count;
                }
            });
            if !sound {
                return Err(damaged(connection));
            }
        }
        Ok(found)
    }
}

/// A document with its score.
struct Ranked {
    kind: Kind,
    row: i64,
    score: f64,
    admitted: Admitted,
}

/// Memories and turns that hold at least one of the terms, best first.
pub(super) fn search(connection: &Connection, query: &TextQuery) -> Result<TextMatches> {
    let shelves = admit::shelves(connection, &query.filter)?;
    let (postings, frequencies) = Postings::read(connection, &query.terms, &shelves)?;
    let corpus = Corpus {
        documents: shelves.iter().map(|shelf| shelf.documents).sum(),
        length: shelves.iter().map(|shelf| shelf.terms).sum(),
        frequencies,
    };
    let corpus = query.corpus.clone().unwrap_or(corpus);
    if query.limit == 0 && query.also.is_empty() {
        return Ok(TextMatches { corpus, ..TextMatches::default() });
    }
    let mut scores = Vec::new();
    let mut ranked = Vec::new();
    for kind in Kind::ALL {
        let of_kind = postings.scores(connection, kind, &corpus)?;
        ranked.extend(best(connection, query, kind, &of_kind)?);
        scores.push((kind, of_kind));
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.admitted.newer(&b.admitted)));
    ranked.truncate(query.limit);
    let others = beside(connection, query, &ranked, &scores)?;
    let both = [ranked.as_slice(), others.as_slice()];
    let mut evidence = HashMap::new();
    for kind in Kind::ALL {
        let of_kind = both.iter().flat_map(|some| some.iter()).filter(|one| one.kind == kind);
        let mut docs: Vec<i64> = of_kind.map(|one| one.row).collect();
        evidence.insert(kind, postings.evidence(connection, kind, &mut docs, query.terms.len())?);
    }
    let told = |one: Ranked| -> Option<TextMatch> {
        let (counts, length) = evidence.get(&one.kind)?.get(&one.row)?.clone();
        Some(TextMatch { doc: one.admitted.doc, bm25: one.score, counts, length })
    };
    let matches = ranked.into_iter().filter_map(&told).collect();
    let mut others: Vec<TextMatch> = others.into_iter().filter_map(&told).collect();
    others.sort_by(|a, b| a.doc.cmp(&b.doc));
    Ok(TextMatches { corpus, matches, others })
}

/// The words on the shelves of a filter that begin so, in order.
pub(super) fn words(
    connection: &Connection,
    filter: &Filter,
    beginning: &str,
) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT term FROM postings WHERE shelf = ?1 AND term >= ?2 AND term < ?3";
    // Nothing that begins so comes after the greatest of all characters.
    let end = format!("{beginning}{}", char::MAX);
    let mut found = BTreeSet::new();
    for shelf in admit::shelves(connection, filter)? {
        let read = |row: &Row<'_>| row.get::<_, String>(0);
        found.extend(rows(connection, sql, params![shelf.pile, beginning, end], read)?);
    }
    Ok(found.into_iter().collect())
}

/// The best documents of a kind that pass the filter: at least as many as asked for, if there
/// are so many, and every one that is as good as the last of them.
fn best(
    connection: &Connection,
    query: &TextQuery,
    kind: Kind,
    scores: &Scores,
) -> Result<Vec<Ranked>> {
    // A few more than wanted, for those that do not pass.
    let some = query.limit.saturating_add(query.limit / 4).saturating_add(16);
    let top = scores.top(some, None);
    let found = admit(connection, query, kind, &top)?;
    if top.is_everything || found.len() >= query.limit {
        return Ok(found);
    }
    let allowed = admit::allowed(connection, &query.filter, kind)?;
    admit(connection, query, kind, &scores.top(query.limit, Some(&allowed)))
}

/// Those of the best that pass. Of very many that are equally good, the newest.
fn admit(connection: &Connection, query: &TextQuery, kind: Kind, top: &Top) -> Result<Vec<Ranked>> {
    let better: Vec<i64> = top.better.iter().map(|(_, row)| *row).collect();
    let mut admitted = admit::admitted(connection, &query.filter, kind, &better)?;
    let ranked = top.better.iter().filter_map(|(score, row)| {
        let admitted = admitted.remove(row)?;
        Some(Ranked { kind, row: *row, score: *score, admitted })
    });
    let mut found: Vec<Ranked> = ranked.collect();
    let wanted = query.limit.saturating_sub(found.len());
    let ties = match top.ties.len() {
        0..=FEW_TIES => admit::admitted(connection, &query.filter, kind, &top.ties)?,
        _ => newest(connection, query, kind, &top.ties, wanted)?,
    };
    let tied = |(row, admitted)| Ranked { kind, row, score: top.least, admitted };
    found.extend(ties.into_iter().map(tied));
    Ok(found)
}

/// The newest of very many documents that pass: they are met in the order of time, so that
/// hardly more of them are looked at than are wanted. Where they lie too far apart for that,
/// they are all looked at, up to [`MOST_TIES`].
fn newest(
    connection: &Connection,
    query: &TextQuery,
    kind: Kind,
    ties: &[i64],
    wanted: usize,
) -> Result<HashMap<i64, Admitted>> {
    let mut found = HashMap::new();
    if wanted == 0 {
        return Ok(found);
    }
    let mut tied = Rows::default();
    ties.iter().for_each(|row| tied.insert(*row));
    let batch = wanted.saturating_add(wanted / 4).saturating_add(16);
    let (mut some, mut last, mut left) = (Vec::new(), i64::MAX, ties.len() * STEPS_PER_TIE);
    admit::by_time(connection, kind, |row, at| {
        left = left.saturating_sub(1);
        if left == 0 {
            return Ok(ControlFlow::Break(()));
        }
        // Those of one moment are told apart by more than their time, and so met together.
        if some.len() >= batch && at < last {
            found.extend(admit::admitted(connection, &query.filter, kind, &some)?);
            some.clear();
        }
        if found.len() >= wanted {
            return Ok(ControlFlow::Break(()));
        }
        if tied.contains(row) {
            some.push(row);
            last = at;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if left == 0 {
        let most = &ties[..ties.len().min(MOST_TIES)];
        return admit::admitted(connection, &query.filter, kind, most);
    }
    found.extend(admit::admitted(connection, &query.filter, kind, &some)?);
    Ok(found)
}

/// What is wanted beside the matches and holds a term.
fn beside(
    connection: &Connection,
    query: &TextQuery,
    matches: &[Ranked],
    scores: &[(Kind, Scores)],
) -> Result<Vec<Ranked>> {
    if query.also.is_empty() && query.reach == 0 {
        return Ok(Vec::new());
    }
    let also = admit::rows_of(connection, &query.also)?;
    let mut others = Vec::new();
    for (kind, scores) in scores {
        let named = also.iter().filter(|(of, _, _)| of == kind).map(|(_, row, _)| *row);
        let matched: Vec<i64> =
            matches.iter().filter(|one| one.kind == *kind).map(|one| one.row).collect();
        let mut wanted: Vec<i64> = named.chain(matched.iter().copied()).collect();
        if *kind == Kind::Turn && query.reach > 0 {
            wanted = admit::neighbours(connection, &wanted, query.reach)?;
        }
        wanted.retain(|row| scores.of(*row) > 0.0 && !matched.contains(row));
        wanted.sort_unstable();
        wanted.dedup();
        for (row, admitted) in admit::documents(connection, *kind, &wanted)? {
            others.push(Ranked { kind: *kind, row, score: scores.of(row), admitted });
        }
    }
    Ok(others)
}

/// What names a document, for whoever only has its row.
pub(super) fn names(
    connection: &Connection,
    kind: Kind,
    rows: &[i64],
) -> Result<HashMap<i64, DocId>> {
    let found = admit::documents(connection, kind, rows)?;
    Ok(found.into_iter().map(|(row, admitted)| (row, admitted.doc)).collect())
}
