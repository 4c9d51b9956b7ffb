//! Which documents hold which words: postings, in blocks of a shelf's pile.
//!
//! What is in a block is written down in `packed/`; here is where it lies, and which of them change
//! when documents come and go.

use std::collections::{BTreeMap, HashMap};

use nuthatch::error::{Error, Result};
use nuthatch::scope::Scope;
use nuthatch::text::Words;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::piles::{self, Piles};
use super::read::{failure, rows};
use crate::packed::{BLOCK_BYTES, Block, Posting, decode};

/// What kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Memory = 0,
    Turn = 1,
}

impl Kind {
    pub const ALL: [Kind; 2] = [Kind::Memory, Kind::Turn];

    pub fn of(number: i64) -> Self {
        if number == Kind::Memory as i64 { Kind::Memory } else { Kind::Turn }
    }
}

/// The postings that new documents add, by term.
#[derive(Default)]
pub struct Additions {
    postings: HashMap<String, Vec<Posting>>,
    docs: Vec<Doc>,
}

impl Additions {
    /// Adds a document; they come in ascending order.
    pub fn push(&mut self, doc: i64, words: Words) {
        self.docs.push(Doc::of(doc, &words));
        let length = words.length;
        for (term, count) in words.counts {
            self.postings.entry(term).or_default().push(Posting { doc, count, length });
        }
    }

    /// By term, in the order in which the file holds them.
    fn sorted(&self) -> Vec<(&String, &Vec<Posting>)> {
        let mut terms: Vec<_> = self.postings.iter().collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        terms
    }
}

/// The documents that leave, by term.
#[derive(Default)]
pub struct Removals {
    terms: BTreeMap<String, Vec<i64>>,
    docs: Vec<Doc>,
}

impl Removals {
    /// Takes a document out.
    pub fn push(&mut self, doc: i64, words: Words) {
        self.docs.push(Doc::of(doc, &words));
        for (term, _) in words.counts {
            self.terms.entry(term).or_default().push(doc);
        }
    }
}

/// What a document counts for.
struct Doc {
    doc: i64,
    terms: i64,
    postings: i64,
}

impl Doc {
    fn of(doc: i64, words: &Words) -> Doc {
        Doc { doc, terms: i64::from(words.length), postings: words.counts.len() as i64 }
    }
}

/// What comes to a pile, or leaves it.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub documents: i64,
    pub terms: i64,
    pub postings: i64,
}

impl Count {
    fn of<'a>(docs: impl IntoIterator<Item = &'a Doc>) -> Count {
        let mut count = Count::default();
        for Doc { terms, postings, .. } in docs {
            count.documents += 1;
            count.terms += terms;
            count.postings += postings;
        }
        count
    }

    fn negative(self) -> Count {
        let Count { documents, terms, postings } = self;
        Count { documents: -documents, terms: -terms, postings: -postings }
    }
}

/// The shelf of a scope, put up if there is none.
pub fn shelf_of(connection: &Connection, kind: Kind, scope: &Scope) -> Result<i64> {
    let find = || -> rusqlite::Result<Option<i64>> {
        connection
            .prepare_cached("SELECT shelf FROM shelves WHERE kind = ?1 AND scope = ?2")?
            .query_row(params![kind as i64, scope.to_string()], |row| row.get(0))
            .optional()
    };
    if let Some(known) = find().map_err(|error| failure(connection, error))? {
        return Ok(known);
    }
    let sql = "INSERT INTO shelves (kind, scope, documents, terms, postings, pile) \
               VALUES (?1, ?2, 0, 0, 0, ?3)";
    let pile = piles::fresh(connection)?;
    execute(connection, sql, params![kind as i64, scope.to_string(), pile])?;
    Ok(connection.last_insert_rowid())
}

/// Puts new documents on a shelf: on its pile, and on the one that is being built anew as far
/// as that has got.
pub fn add(connection: &Connection, shelf: i64, additions: &Additions) -> Result<()> {
    let Piles { present, anew } = piles::of(connection, shelf)?;
    for (term, postings) in additions.sorted() {
        add_postings(connection, present, term, postings)?;
    }
    if let Some(anew) = anew {
        for (term, postings) in additions.sorted() {
            let held: Vec<Posting> =
                postings.iter().filter(|one| anew.holds(one.doc)).copied().collect();
            add_postings(connection, anew.pile, term, &held)?;
        }
        let held = additions.docs.iter().filter(|one| anew.holds(one.doc));
        piles::count(connection, shelf, Count::of(held))?;
    }
    count(connection, shelf, Count::of(&additions.docs))
}

/// Puts documents on the new pile of a shelf alone.
pub fn add_anew(connection: &Connection, shelf: i64, additions: &Additions) -> Result<()> {
    let pile = piles::anew(connection, shelf)?;
    for (term, postings) in additions.sorted() {
        add_postings(connection, pile, term, postings)?;
    }
    piles::count(connection, shelf, Count::of(&additions.docs))
}

/// Takes documents off a shelf.
pub fn remove(connection: &Connection, shelf: i64, removals: Removals) -> Result<()> {
    let Piles { present, anew } = piles::of(connection, shelf)?;
    for (term, mut docs) in removals.terms {
        docs.sort_unstable();
        remove_postings(connection, present, &term, &docs)?;
        if let Some(anew) = &anew {
            docs.retain(|doc| anew.holds(*doc));
            remove_postings(connection, anew.pile, &term, &docs)?;
        }
    }
    if let Some(anew) = &anew {
        let held = removals.docs.iter().filter(|one| anew.holds(one.doc));
        piles::count(connection, shelf, Count::of(held).negative())?;
    }
    count(connection, shelf, Count::of(&removals.docs).negative())
}

fn count(connection: &Connection, shelf: i64, count: Count) -> Result<()> {
    let sql = "UPDATE shelves SET documents = documents + ?2, terms = terms + ?3, \
               postings = postings + ?4 WHERE shelf = ?1 RETURNING documents, kind";
    let Count { documents, terms, postings } = count;
    let left = rows(connection, sql, [shelf, documents, terms, postings], |row| {
        Ok((row.get::<_, i64>(0)?, Kind::of(row.get(1)?)))
    })?;
    // The scope of memories that are gone is not kept either.
    if left == [(0, Kind::Memory)] {
        piles::abandon(connection, shelf)?;
    }
    Ok(())
}

fn read_block(row: &Row<'_>) -> rusqlite::Result<Block> {
    let (first, last) = (row.get(0)?, row.get(1)?);
    Ok(Block { first, last, documents: row.get(2)?, data: row.get(3)? })
}

fn held(connection: &Connection, block: &Block) -> Result<Vec<Posting>> {
    block.postings().ok_or_else(|| damaged(connection))
}

fn put(connection: &Connection, shelf: i64, term: &str, block: &Block) -> Result<()> {
    let sql = "INSERT INTO postings (shelf, term, first, last, documents, data) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (shelf, term, first) \
               DO UPDATE SET last = ?4, documents = ?5, data = ?6";
    let Block { first, last, documents, data } = block;
    execute(connection, sql, params![shelf, term, first, last, documents, data]).map(|_| ())
}

/// The block in which a document is, or would be.
fn block_at(connection: &Connection, shelf: i64, term: &str, doc: i64) -> Result<Option<Block>> {
    let sql = "SELECT first, last, documents, data FROM postings \
               WHERE shelf = ?1 AND term = ?2 AND first <= ?3 ORDER BY first DESC LIMIT 1";
    let find = || -> rusqlite::Result<Option<Block>> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![shelf, term, doc], read_block).optional()
    };
    find().map_err(|error| failure(connection, error))
}

fn add_postings(
    connection: &Connection,
    shelf: i64,
    term: &str,
    postings: &[Posting],
) -> Result<()> {
    let Some(newest) = postings.last() else { return Ok(()) };
    let last = block_at(connection, shelf, term, newest.doc)?;
    if last.as_ref().is_some_and(|block| block.last >= postings[0].doc) {
        return insert_postings(connection, shelf, term, postings);
    }
    for block in Block::append(last, postings) {
        put(connection, shelf, term, &block)?;
    }
    Ok(())
}

/// Adds documents between others, which only those that changed are.
fn insert_postings(
    connection: &Connection,
    shelf: i64,
    term: &str,
    postings: &[Posting],
) -> Result<()> {
    for posting in postings {
        let Some(block) = block_at(connection, shelf, term, posting.doc)? else {
            put(connection, shelf, term, &Block::of(&[*posting]))?;
            continue;
        };
        let mut held = held(connection, &block)?;
        match held.binary_search_by_key(&posting.doc, |held| held.doc) {
            Ok(place) => held[place] = *posting,
            Err(place) => held.insert(place, *posting),
        }
        let whole = Block::at(block.first, &held);
        if whole.data.len() <= BLOCK_BYTES + 16 {
            put(connection, shelf, term, &whole)?;
        } else {
            let (left, right) = held.split_at(held.len() / 2);
            put(connection, shelf, term, &Block::at(block.first, left))?;
            put(connection, shelf, term, &Block::of(right))?;
        }
    }
    Ok(())
}

fn remove_postings(connection: &Connection, shelf: i64, term: &str, docs: &[i64]) -> Result<()> {
    let mut rest = docs;
    while let Some(doc) = rest.first() {
        let Some(block) = block_at(connection, shelf, term, *doc)? else {
            rest = &rest[1..];
            continue;
        };
        let here = rest.partition_point(|doc| *doc <= block.last).max(1);
        let leaving = &rest[..here];
        let left = block.without(|doc| leaving.binary_search(&doc).is_ok());
        let left = left.ok_or_else(|| damaged(connection))?;
        rest = &rest[here..];
        if left.documents == 0 {
            let sql = "DELETE FROM postings WHERE shelf = ?1 AND term = ?2 AND first = ?3";
            execute(connection, sql, params![shelf, term, block.first])?;
        } else {
            put(connection, shelf, term, &left)?;
        }
    }
    Ok(())
}

/// How the index of words does not add up, if it does not.
pub fn miscounted(connection: &Connection) -> Result<Vec<String>> {
    let mut held: BTreeMap<i64, i64> = BTreeMap::new();
    let mut unreadable = 0;
    let sql = "SELECT shelf, first, documents, data FROM postings \
               WHERE shelf IN (SELECT pile FROM shelves)";
    rows(connection, sql, [], |row| {
        let (mut found, claimed): (i64, i64) = (0, row.get(2)?);
        let sound = decode(row.get(1)?, row.get_ref(3)?.as_blob()?, |_| found += 1);
        unreadable += i64::from(!sound || found != claimed);
        *held.entry(row.get(0)?).or_default() += found;
        Ok(())
    })?;
    let sql = "SELECT s.pile, s.scope, s.documents, s.terms, s.postings, \
          CASE s.kind WHEN 0 THEN (SELECT count(*) FROM memories AS m WHERE m.scope = s.scope) \
          ELSE (SELECT count(*) FROM turns AS t JOIN sessions AS c ON c.row = t.session \
          WHERE c.shelf = s.shelf) END, \
          CASE s.kind WHEN 0 THEN \
          (SELECT coalesce(sum(terms), 0) FROM memories AS m WHERE m.scope = s.scope) \
          ELSE (SELECT coalesce(sum(terms), 0) FROM turns AS t JOIN sessions AS c \
          ON c.row = t.session WHERE c.shelf = s.shelf) END FROM shelves AS s";
    let mut wrong = Vec::new();
    rows(connection, sql, [], |row| {
        let scope: String = row.get(1)?;
        let number = |place| row.get::<_, i64>(place);
        let held = held.remove(&number(0)?).unwrap_or_default();
        for (what, known, there) in [
            ("documents", number(2)?, number(5)?),
            ("words", number(3)?, number(6)?),
            ("different words", held, number(4)?),
        ] {
            if known != there {
                wrong.push(format!("{scope}: {there} {what} are there, {known} in the index"));
            }
        }
        Ok(())
    })?;
    let homeless = "SELECT count(*) FROM memories AS m WHERE NOT EXISTS \
                    (SELECT 1 FROM shelves AS s WHERE s.kind = 0 AND s.scope = m.scope)";
    let homeless: i64 = rows(connection, homeless, [], |row| row.get::<_, i64>(0))?.iter().sum();
    if homeless > 0 {
        wrong.push(format!("{homeless} memories are not in the index"));
    }
    if unreadable > 0 {
        wrong.push(format!("{unreadable} blocks of words cannot be read"));
    }
    Ok(wrong)
}

/// A block that makes no sense.
pub fn damaged(connection: &Connection) -> Error {
    let place = super::open::place(connection);
    Error::unavailable(format!("the index of words in {} is damaged", place.display()))
        .with_hint("run nuthatch reindex")
}

/// Runs a statement, and says how many rows it concerned.
pub fn execute(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<usize> {
    let run = || connection.prepare_cached(sql)?.execute(params);
    run().map_err(|error| failure(connection, error))
}
