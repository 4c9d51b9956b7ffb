//! Fits chosen items into a token budget.
//!
//! Every section can count on its share; what a section leaves goes to the others, in order
//! of precedence. Costs are those of the text as it will be written, headings and blocks
//! included. Never reorders and never fetches; what does not fit is reported.

use super::item::{Cut, Item, Section};
use super::render::Renderer;
use super::{ContextRequest, Dropped, Reason};
use crate::text::TokenCounter;

/// Less than this of a text is not worth its heading.
const SHORTEST_CUT: usize = 48;

/// Hundredths of the budget that each section can count on, in the order of [`Section::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares(pub [u8; 7]);

impl Default for Shares {
    /// Files and memory are what agents miss most; the rest is short by nature.
    fn default() -> Self {
        Shares([25, 10, 10, 25, 5, 20, 5])
    }
}

impl Shares {
    fn of(self, section: Section, budget: usize) -> usize {
        let at = Section::ALL.iter().position(|known| *known == section).unwrap_or(0);
        budget.saturating_mul(usize::from(self.0[at])) / 100
    }
}

/// What was made of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate {
    Waiting,
    Kept,
    Shortened(String),
    Out(Reason),
}

/// What fits.
pub(super) struct Fitted {
    fates: Vec<Fate>,
    pub(super) dropped: Vec<Dropped>,
}

impl Fitted {
    /// The text of an item as it goes in, if it does.
    pub(super) fn kept<'a>(&'a self, at: usize, item: &'a Item) -> Option<&'a str> {
        match self.fates.get(at)? {
            Fate::Kept => Some(&item.text),
            Fate::Shortened(text) => Some(text),
            Fate::Waiting | Fate::Out(_) => None,
        }
    }

    /// What goes in, in order.
    pub(super) fn kept_items(&self, items: &[Item]) -> Vec<Item> {
        let kept = items.iter().enumerate().filter_map(|(at, item)| {
            let text = self.kept(at, item)?.to_owned();
            Some(Item { text, ..item.clone() })
        });
        kept.collect()
    }
}

/// Chooses what goes in.
pub(super) fn fit(
    items: &[Item],
    repeats: &[bool],
    request: &ContextRequest,
    counter: &dyn TokenCounter,
) -> Fitted {
    let renderer = Renderer::new(request.format);
    let mut fitting = Fitting::new(items, request, &renderer, counter);
    for (at, repeat) in repeats.iter().enumerate() {
        if *repeat {
            fitting.fates[at] = Fate::Out(Reason::Repeat);
        }
    }
    for (at, item) in items.iter().enumerate() {
        let share = request.shares.of(item.section, request.budget_tokens);
        fitting.take_whole(at, share);
    }
    for at in 0..items.len() {
        if !fitting.take_whole(at, usize::MAX) {
            fitting.take_part(at);
        }
    }
    fitting.shrink_until_it_holds();
    let fates = fitting.fates;
    let dropped = items.iter().zip(&fates).filter_map(|(item, fate)| {
        let reason = match fate {
            Fate::Kept => return None,
            Fate::Shortened(_) => Reason::Cut,
            Fate::Waiting => Reason::NoRoom,
            Fate::Out(reason) => *reason,
        };
        let tokens = counter.count(&item.text);
        let citation = item.citation.clone();
        Some(Dropped { section: item.section, citation, tokens, reason })
    });
    let dropped = dropped.collect();
    Fitted { fates, dropped }
}

struct Fitting<'a> {
    items: &'a [Item],
    request: &'a ContextRequest,
    renderer: &'a Renderer,
    counter: &'a dyn TokenCounter,
    fates: Vec<Fate>,
    spent: usize,
    /// What each section has spent, by its place in [`Section::ALL`].
    spent_of: [usize; 7],
}

impl<'a> Fitting<'a> {
    fn new(
        items: &'a [Item],
        request: &'a ContextRequest,
        renderer: &'a Renderer,
        counter: &'a dyn TokenCounter,
    ) -> Self {
        let fates = vec![Fate::Waiting; items.len()];
        Fitting { items, request, renderer, counter, fates, spent: 0, spent_of: [0; 7] }
    }

    /// Keeps an item if it fits whole within the section's limit; also true when nothing is
    /// left to decide about it.
    fn take_whole(&mut self, at: usize, limit: usize) -> bool {
        if self.fates[at] != Fate::Waiting {
            return true;
        }
        let item = &self.items[at];
        let cost = self.cost(item);
        if cost > self.room(item.section, limit) {
            return false;
        }
        self.pay(item.section, cost);
        self.fates[at] = Fate::Kept;
        true
    }

    /// Keeps as many whole lines as fit.
    fn take_part(&mut self, at: usize) {
        let item = &self.items[at];
        let room = self.room(item.section, usize::MAX);
        if item.cut == Cut::Never || room < SHORTEST_CUT {
            return;
        }
        let lines: Vec<&str> = item.text.lines().collect();
        let shortened = |count: usize| Item { text: part(&lines, count, item.cut), ..item.clone() };
        // The most lines that fit: more lines never cost less.
        let (mut fits, mut too_many) = (0, lines.len());
        while too_many - fits > 1 {
            let middle = usize::midpoint(fits, too_many);
            if self.cost(&shortened(middle)) <= room { fits = middle } else { too_many = middle }
        }
        if fits > 0 {
            let part = shortened(fits);
            self.pay(item.section, self.cost(&part));
            self.fates[at] = Fate::Shortened(part.text);
        }
    }

    /// What is left of the whole and of the section's limit.
    fn room(&self, section: Section, limit: usize) -> usize {
        let limit =
            if section == Section::Memory { limit.min(self.request.memory_tokens) } else { limit };
        let left = self.request.budget_tokens.saturating_sub(self.spent);
        left.min(limit.saturating_sub(self.spent_of[place(section)]))
    }

    /// What an item costs with everything that has to be written because of it.
    fn cost(&self, item: &Item) -> usize {
        let mut cost = self.counter.count(&self.renderer.item(item));
        if self.spent_of[place(item.section)] == 0 {
            cost += self.counter.count(&self.renderer.around_section(item.section));
        }
        if self.spent == 0 {
            cost += self.counter.count(&self.renderer.around_whole());
        }
        cost
    }

    fn pay(&mut self, section: Section, cost: usize) {
        self.spent += cost;
        self.spent_of[place(section)] += cost;
    }

    /// A counter need not add up: the whole text is counted, and the last of what weighs
    /// least goes until it holds.
    fn shrink_until_it_holds(&mut self) {
        loop {
            let fitted = Fitted { fates: self.fates.clone(), dropped: Vec::new() };
            let whole = self.renderer.whole(&fitted.kept_items(self.items));
            if self.counter.count(&whole) <= self.request.budget_tokens {
                return;
            }
            let is_in = |fate: &Fate| matches!(fate, Fate::Kept | Fate::Shortened(_));
            let Some(last) = self.fates.iter().rposition(is_in) else { return };
            self.fates[last] = Fate::Out(Reason::NoRoom);
        }
    }
}

fn place(section: Section) -> usize {
    Section::ALL.iter().position(|known| *known == section).unwrap_or(0)
}

/// Some lines of a text, and a line that says so.
fn part(lines: &[&str], count: usize, cut: Cut) -> String {
    let missing = lines.len() - count.min(lines.len());
    let mark = format!("[… {missing} more lines]");
    match cut {
        Cut::Beginning => format!("{mark}\n{}", lines[missing..].join("\n")),
        Cut::End | Cut::Never => format!("{}\n{mark}", lines[..lines.len() - missing].join("\n")),
    }
}
