//! Two stores gone through side by side.
//!
//! Lists of all stores have one order, and what it goes by never changes. So both are read in
//! parts, each once, and memories of one id meet; what is written meanwhile lies behind.

use std::collections::VecDeque;

use super::report::Side;
use crate::error::Result;
use crate::filter::{Cursor, Filter, Page, Scopes, Superseded};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::store::Store;

/// Memories read at once.
const BATCH: u64 = 250;

/// One memory as both sides have it.
#[derive(Clone, Debug)]
pub struct Pair {
    /// As it is here.
    pub here: Option<Memory>,
    /// As it is there.
    pub there: Option<Memory>,
}

impl Pair {
    /// Which memory it is.
    pub fn id(&self) -> Option<MemoryId> {
        self.both().next().map(|memory| memory.id)
    }

    /// As the sides have it that have it.
    pub fn both(&self) -> impl Iterator<Item = &Memory> {
        self.here.iter().chain(&self.there)
    }

    /// As one side has it.
    pub fn on(&self, side: Side) -> Option<&Memory> {
        match side {
            Side::Here => self.here.as_ref(),
            Side::There => self.there.as_ref(),
        }
    }

    /// The place of one side.
    pub fn of(&mut self, side: Side) -> &mut Option<Memory> {
        match side {
            Side::Here => &mut self.here,
            Side::There => &mut self.there,
        }
    }
}

/// One list on its way.
struct Reading<'a> {
    store: &'a dyn Store,
    filter: Filter,
    read: VecDeque<Memory>,
    is_over: bool,
}

impl<'a> Reading<'a> {
    fn new(store: &'a dyn Store, scopes: &Scopes) -> Self {
        let mut filter = Filter::scoped(scopes.clone());
        filter.superseded = Superseded::Shown;
        Reading { store, filter, read: VecDeque::new(), is_over: false }
    }

    /// The place of the next memory.
    async fn next(&mut self) -> Result<Option<Cursor>> {
        if self.read.is_empty() && !self.is_over {
            let listed = self.store.list(&self.filter, Page::first(BATCH)).await?;
            self.read = listed.memories.into();
            match self.read.back() {
                Some(last) => self.filter.after = Some(Cursor::at(last)),
                None => self.is_over = true,
            }
        }
        Ok(self.read.front().map(Cursor::at))
    }
}

/// Both lists on their way.
pub struct Walk<'a> {
    here: Reading<'a>,
    there: Reading<'a>,
}

impl<'a> Walk<'a> {
    /// Goes through memories of these scopes.
    pub fn new(here: &'a dyn Store, there: &'a dyn Store, scopes: &Scopes) -> Self {
        Walk { here: Reading::new(here, scopes), there: Reading::new(there, scopes) }
    }

    /// The next pairs; none when both lists are at their end.
    pub async fn next(&mut self) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        while pairs.len() < BATCH as usize {
            let (here, there) = (self.here.next().await?, self.there.next().await?);
            // Newest first: whoever is further ahead waits.
            let (take_here, take_there) = match (here, there) {
                (None, None) => break,
                (here, there) => (here >= there, there >= here),
            };
            let here = if take_here { self.here.read.pop_front() } else { None };
            let there = if take_there { self.there.read.pop_front() } else { None };
            pairs.push(Pair { here, there });
        }
        Ok(pairs)
    }
}
