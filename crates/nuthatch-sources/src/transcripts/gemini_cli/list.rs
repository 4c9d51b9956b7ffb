//! What becomes of each message in a file of Gemini CLI.
//!
//! Knows ids and places only; what messages say is in `message`.

use std::collections::{HashMap, HashSet};

use super::super::chain::Link;
use super::super::json::{self, Object};

/// Where a message stands: the line, and which of the messages on it.
type Place = (u32, u32);

/// The list of messages, as the records change it.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Ids in order, as they stand now.
    now: Vec<u64>,
    /// The same without order.
    live: HashSet<u64>,
    /// Where each id's last version stands, those that were taken away included.
    last: HashMap<u64, Place>,
    /// Where messages stand that are told, and whether they were taken away.
    told: HashMap<Place, bool>,
}

impl List {
    /// Takes note of a record.
    pub(super) fn see(&mut self, at: usize, line: Option<&Object<'_>>) {
        let (Some(line), Ok(at)) = (line, u32::try_from(at)) else { return };
        if line.raw("$rewindTo").is_some() {
            let id = Link::named(line, "$rewindTo");
            // One that nobody knows takes everything away.
            let from = self.now.iter().position(|other| *other == id).unwrap_or_default();
            self.take_away(from);
        } else if line.raw("id").is_some() && line.raw("type").is_some() {
            self.put(Link::named(line, "id"), (at, 0));
        } else if let Some(set) = line.object("$set")
            && set.raw("messages").is_some()
        {
            self.replace(&set, at);
        }
    }

    /// Whether a message is told, and whether it was taken away.
    pub(super) fn fate(&self, at: usize, nth: usize) -> Option<bool> {
        let place = (u32::try_from(at).ok()?, u32::try_from(nth).ok()?);
        self.told.get(&place).copied()
    }

    fn put(&mut self, id: u64, place: Place) {
        if let Some(earlier) = self.last.insert(id, place) {
            self.told.remove(&earlier);
        }
        if self.live.insert(id) {
            self.now.push(id);
        }
        self.told.insert(place, false);
    }

    fn take_away(&mut self, from: usize) {
        for id in self.now.drain(from..) {
            self.live.remove(&id);
            if let Some(place) = self.last.get(&id) {
                self.told.insert(*place, true);
            }
        }
    }

    /// A list in place of the one before: what it leaves out was taken away, what it repeats
    /// is known already.
    fn replace(&mut self, set: &Object<'_>, at: u32) {
        let (known, before) = (std::mem::take(&mut self.live), std::mem::take(&mut self.now));
        for (inner, nth) in set.items("messages").into_iter().filter_map(json::object).zip(0..) {
            let id = Link::named(&inner, "id");
            if known.contains(&id) && id != 0 {
                if self.live.insert(id) {
                    self.now.push(id);
                }
            } else {
                self.put(id, (at, nth));
            }
        }
        for id in before.into_iter().filter(|id| !self.live.contains(id)) {
            if let Some(place) = self.last.get(&id) {
                self.told.insert(*place, true);
            }
        }
    }
}
