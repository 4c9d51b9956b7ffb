//! Everything an agent should see, in one text: gathered, chosen, fitted and rendered.
//!
//! Sources stand behind one small trait and say what they have; `shown` takes out what a
//! person who reads it would not see, `select` drops repeats,
//! `budget` fits what is left into the tokens there are, `render` writes it as Markdown, XML
//! or JSON. The order is that of [`Section`] and then that of each source, so the same state
//! gives the same bytes. What did not fit is listed, because a silent cut looks like
//! forgetting.

mod budget;
mod item;
mod remembered;
mod render;
mod select;
mod shown;

use async_trait::async_trait;
use serde::Serialize;

use crate::error::Result;
use crate::text::{Estimate, TokenCounter};

pub use budget::Shares;
pub use item::{Cut, Form, Item, Note, Section};
pub use remembered::{LearningSource, MemorySource, SummarySource};
pub use render::Format;

use budget::Fitted;
use render::Renderer;

/// What a context is made for.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// What it is about, for sources that can choose.
    pub query: Option<String>,
    /// Most tokens of the whole text.
    pub budget_tokens: usize,
    /// Most tokens of the memory section.
    pub memory_tokens: usize,
    /// Which part of the budget each section can count on.
    pub shares: Shares,
    /// How the text is written.
    pub format: Format,
}

impl ContextRequest {
    /// A request with the usual shares, in Markdown.
    #[must_use]
    pub fn new(budget_tokens: usize) -> Self {
        ContextRequest {
            query: None,
            budget_tokens,
            memory_tokens: budget_tokens,
            shares: Shares::default(),
            format: Format::Markdown,
        }
    }
}

/// What a source has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// What may go in, in the order it should stand.
    pub items: Vec<Item>,
    /// What could not be had, and why; no failure.
    pub notes: Vec<Note>,
}

/// Somewhere a context comes from.
#[async_trait]
pub trait ContextSource: Send + Sync {
    /// What it is called in explanations.
    fn name(&self) -> &str;

    /// What it has for this request.
    ///
    /// # Errors
    /// Only where the whole context would be wrong without it, such as a file that was named
    /// and is not there. What is merely out of reach is a note.
    async fn gather(&self, request: &ContextRequest) -> Result<Gathered>;
}

/// The text in front of a model, and what became of everything that could have been in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Context {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// Tokens spent.
    pub spent: usize,
    /// Tokens there were.
    pub budget: usize,
    /// What is in it, in order.
    pub sections: Vec<Included>,
    /// What is not in it, or not whole.
    pub dropped: Vec<Dropped>,
    /// What could not be had.
    pub notes: Vec<Note>,
    /// What each source gave.
    pub sources: Vec<Given>,
}

/// A section of the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Included {
    /// Which one.
    pub section: Section,
    /// Tokens of it.
    pub tokens: usize,
    /// Where its items come from, in order: what to cite.
    pub citations: Vec<String>,
}

/// What did not go in whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Where it would have stood.
    pub section: Section,
    /// Where it comes from.
    pub citation: String,
    /// Tokens it would have cost.
    pub tokens: usize,
    /// Why it is missing.
    pub reason: Reason,
}

/// Why something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No room was left.
    NoRoom,
    /// The beginning, or the end, is there.
    Cut,
    /// The same text stands further up.
    Repeat,
}

/// What a source gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Given {
    /// Which one.
    pub source: String,
    /// Items it had.
    pub items: usize,
    /// Of these, how many are in the text, whole or in part.
    pub included: usize,
    /// Tokens of those, before they were written out.
    pub tokens: usize,
}

/// Builds a context by the documented estimate of tokens.
///
/// # Errors
/// Whatever a source says that makes the whole wrong.
pub async fn build(sources: &[&dyn ContextSource], request: &ContextRequest) -> Result<Context> {
    build_counted(sources, request, &Estimate).await
}

/// The same with a counter of one's own.
///
/// # Errors
/// Whatever a source says that makes the whole wrong.
pub async fn build_counted(
    sources: &[&dyn ContextSource],
    request: &ContextRequest,
    counter: &dyn TokenCounter,
) -> Result<Context> {
    let (mut items, mut notes) = (Vec::new(), Vec::new());
    for (place, source) in sources.iter().enumerate() {
        let gathered = source.gather(request).await?;
        notes.extend(gathered.notes);
        for mut item in gathered.items {
            notes.extend(shown::show(&mut item));
            items.push((place, item));
        }
    }
    // Stable: within a section sources keep their order, and items theirs.
    items.sort_by_key(|(_, item)| item.section);
    let (origins, items): (Vec<usize>, Vec<Item>) = items.into_iter().unzip();
    let repeats = select::repeats(&items);
    let fitted = budget::fit(&items, &repeats, request, counter);
    let chosen = Chosen { origins, items, fitted };
    let text = Renderer::new(request.format).whole(&chosen.fitted.kept_items(&chosen.items));
    Ok(Context {
        spent: counter.count(&text),
        budget: request.budget_tokens,
        sections: included(&chosen.items, &chosen.fitted, counter),
        sources: chosen.given(sources, counter),
        dropped: chosen.fitted.dropped,
        text,
        notes,
    })
}

/// What was gathered, and what became of it.
struct Chosen {
    /// The place of each item's source.
    origins: Vec<usize>,
    items: Vec<Item>,
    fitted: Fitted,
}

impl Chosen {
    /// What each source gave.
    fn given(&self, sources: &[&dyn ContextSource], counter: &dyn TokenCounter) -> Vec<Given> {
        let empty = |source: &&dyn ContextSource| Given {
            source: source.name().to_owned(),
            items: 0,
            included: 0,
            tokens: 0,
        };
        let mut all: Vec<Given> = sources.iter().map(empty).collect();
        for (at, (origin, item)) in self.origins.iter().zip(&self.items).enumerate() {
            let Some(given) = all.get_mut(*origin) else { continue };
            given.items += 1;
            if let Some(text) = self.fitted.kept(at, item) {
                given.included += 1;
                given.tokens += counter.count(text);
            }
        }
        all
    }
}

fn included(items: &[Item], fitted: &Fitted, counter: &dyn TokenCounter) -> Vec<Included> {
    let mut sections: Vec<Included> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Some(text) = fitted.kept(at, item) else { continue };
        let tokens = counter.count(text);
        match sections.last_mut().filter(|last| last.section == item.section) {
            Some(last) => {
                last.tokens += tokens;
                last.citations.push(item.citation.clone());
            }
            None => sections.push(Included {
                section: item.section,
                tokens,
                citations: vec![item.citation.clone()],
            }),
        }
    }
    sections
}

#[cfg(test)]
mod tests;
