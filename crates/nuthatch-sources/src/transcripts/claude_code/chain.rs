//! What hangs together in a file of Claude Code, found before anything is told.
//!
//! Lines name their parents. The line of talk that counts leads from the last thing said to
//! the beginning; what hangs elsewhere behind another prompt was left again. Results of tools
//! that ran side by side hang beside that line, too, and belong to it. A reply is spread over
//! several lines, of which the last knows what it cost.

use std::collections::HashSet;
use std::io;
use std::io::Read;

use super::super::json::Object;
use super::super::lines::{Line, Lines};
use super::super::watermark::hash;

/// Lines that are put in order: with more, nothing is told apart. Keeps memory bounded, far
/// beyond any session seen.
const MOST: usize = 600_000;

/// What is known of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// On a branch that was left again, or in a side-chain.
    pub aside: bool,
    /// The last line of a reply.
    pub ends_reply: bool,
    /// Said before, under the same id.
    pub repeated: bool,
}

#[derive(Clone, Copy, Default)]
struct Link {
    id: u64,
    parent: u64,
    reply: u64,
    is_prompt: bool,
    is_talk: bool,
    is_side: bool,
}

/// The lines of a file, by their order.
pub(super) struct Chain {
    marks: Vec<Marks>,
    is_partial: bool,
    /// Where the file ended when it was looked through.
    pub end: u64,
}

impl Chain {
    /// Looks through all lines.
    pub(super) fn of<R: Read>(lines: &mut Lines<R>) -> io::Result<Chain> {
        let mut links = Vec::new();
        let mut is_partial = false;
        while let Some(line) = lines.next()? {
            let link = match &line {
                Line::Whole(line) | Line::Last(line) => {
                    Object::parse(line).ok().map(|line| link(&line))
                }
                Line::TooLong => None,
            };
            if links.len() < MOST {
                links.push(link.unwrap_or_default());
            } else {
                is_partial = true;
            }
        }
        let marks = if is_partial { Vec::new() } else { marks(&links) };
        Ok(Chain { marks, is_partial, end: lines.place })
    }

    /// Whether there were too many lines.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// What is known of a line.
    pub(super) fn marks(&self, at: usize) -> Marks {
        let unknown = Marks { ends_reply: self.is_partial, ..Marks::default() };
        self.marks.get(at).copied().unwrap_or(unknown)
    }
}

fn link(line: &Object<'_>) -> Link {
    let named = |name: &str| line.text(name).map_or(0, |id| hash(id.as_bytes()));
    let kind = line.text("type").unwrap_or_default();
    let (is_user, is_model) = (kind == "user", kind == "assistant");
    let is_side = line.is("isSidechain") || line.raw("teamName").is_some();
    let message = if is_user || is_model { line.inner("message") } else { Object::default() };
    let content = message.raw("content").map_or("", |content| content.get());
    let answers = content.starts_with('[') && content.contains("\"tool_result\"");
    let is_said = !is_side && !line.is("isMeta");
    Link {
        id: named("uuid"),
        // Behind a compaction the talk goes on where it was.
        parent: match named("parentUuid") {
            0 => named("logicalParentUuid"),
            parent => parent,
        },
        reply: if is_model { message.text("id").map_or(0, |id| hash(id.as_bytes())) } else { 0 },
        is_prompt: is_user && is_said && !answers && !line.is("isCompactSummary"),
        is_talk: (is_user || is_model) && is_said,
        is_side,
    }
}

fn marks(links: &[Link]) -> Vec<Marks> {
    let mut places: Vec<(u64, u32)> = links
        .iter()
        .zip(0_u32..)
        .filter(|(link, _)| link.id != 0)
        .map(|(link, at)| (link.id, at))
        .collect();
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
        next = place_of(links[at].parent);
    }
    let mut replies = HashSet::new();
    for (at, link) in links.iter().enumerate().rev() {
        marks[at].ends_reply = link.reply == 0 || replies.insert(link.reply);
    }
    for (at, link) in links.iter().enumerate() {
        let parent = place_of(link.parent).filter(|parent| *parent < at);
        let left = match parent {
            // What begins anew was said all the same.
            None => false,
            Some(parent) => marks[parent].aside && !links[parent].is_side || link.is_prompt,
        };
        marks[at].aside = link.is_side || link.id != 0 && !is_main[at] && left;
        marks[at].repeated = place_of(link.id).is_some_and(|first| first < at);
    }
    marks
}
