//! What hangs together in a file whose lines name their parents, found before it is told.
//!
//! The line of talk that counts leads from the last thing said to the beginning; what hangs
//! elsewhere behind another prompt was left again. Results of tools that ran side by side hang
//! beside that line, too, and belong to it. Some products spread a reply over several lines,
//! of which the last knows what it cost.

use std::collections::HashSet;
use std::io::{self, Read};

use super::json::Object;
use super::lines::{Line, Lines};
use super::watermark::hash;

/// Lines that are put in order: with more, nothing is told apart. Keeps memory bounded, far
/// beyond any session seen.
const MOST: usize = 600_000;

/// What is known of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// On a branch that was left again, or in a side-chain.
    pub aside: bool,
    /// The last line of a reply.
    pub ends_reply: bool,
    /// Said before, under the same id.
    pub repeated: bool,
}

/// How one line hangs together with others; ids as hashes, 0 for none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Link {
    pub id: u64,
    pub parent: u64,
    /// The reply it is a part of.
    pub reply: u64,
    /// Somebody asked for something: where branches begin.
    pub is_prompt: bool,
    /// Something was said on the line of talk: the last of these ends it.
    pub is_talk: bool,
    /// In a side-chain.
    pub is_side: bool,
}

impl Link {
    /// An id as it is compared.
    pub(crate) fn named(object: &Object<'_>, name: &str) -> u64 {
        object.text(name).map_or(0, |id| hash(id.as_bytes()))
    }
}

/// The lines of a file, by their order.
pub(crate) struct Chain {
    marks: Vec<Marks>,
    is_partial: bool,
    /// Where the file ended when it was looked through.
    pub end: u64,
}

impl Chain {
    /// Looks through all lines.
    pub(crate) fn of<R: Read>(
        mut lines: Lines<R>,
        link: fn(&Object<'_>) -> Link,
    ) -> io::Result<Chain> {
        let mut links = Vec::new();
        let mut is_partial = false;
        while let Some(line) = lines.next()? {
            let found = match &line {
                Line::Whole(line) | Line::Last(line) => {
                    Object::parse(line).ok().map(|line| link(&line))
                }
                Line::TooLong => None,
            };
            if links.len() < MOST {
                links.push(found.unwrap_or_default());
            } else {
                is_partial = true;
            }
        }
        let marks = if is_partial { Vec::new() } else { marks(&links) };
        Ok(Chain { marks, is_partial, end: lines.place })
    }

    /// Whether there were too many lines.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What is known of a line.
    pub(crate) fn marks(&self, at: usize) -> Marks {
        let unknown = Marks { ends_reply: self.is_partial, ..Marks::default() };
        self.marks.get(at).copied().unwrap_or(unknown)
    }
}

fn marks(links: &[Link]) -> Vec<Marks> {
    let numbered = links.iter().zip(0_u32..).filter(|(link, _)| link.id != 0);
    let mut places: Vec<(u64, u32)> = numbered.map(|(link, at)| (link.id, at)).collect();
    places.sort_unstable();
    let place_of = |id: u64| {
        let first = places.partition_point(|(other, _)| *other < id);
        places.get(first).filter(|(other, _)| *other == id && id != 0).map(|(_, at)| *at as usize)
    };
    let mut marks = vec![Marks::default(); links.len()];
    let mut is_main = vec![false; links.len()];
    let mut next = links.iter().rposition(|link| link.is_talk && link.id != 0);
    while let Some(at) = next {
        // Whoever comes by twice goes round in a circle.
        if std::mem::replace(&mut is_main[at], true) {
            break;
        }
        // Where a chain ends, because the product began anew, the talk before it still counts.
        let before = || links[..at].iter().rposition(|link| link.is_talk && link.id != 0);
        next = place_of(links[at].parent).or_else(before);
    }
    let mut replies = HashSet::new();
    for (at, link) in links.iter().enumerate().rev() {
        marks[at].ends_reply = link.reply == 0 || replies.insert(link.reply);
    }
    for (at, link) in links.iter().enumerate() {
        let parent = place_of(link.parent).filter(|parent| *parent < at);
        // What begins anew was said all the same.
        let left = parent
            .is_some_and(|parent| marks[parent].aside && !links[parent].is_side || link.is_prompt);
        marks[at].aside = link.is_side || link.id != 0 && !is_main[at] && left;
        marks[at].repeated = place_of(link.id).is_some_and(|first| first < at);
    }
    marks
}
