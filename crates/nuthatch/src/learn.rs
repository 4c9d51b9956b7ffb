//! What work taught: mistakes and what mends them, strategies that worked, preferences.
//!
//! A lesson is a memory with a mark of its own, so it is guarded, scoped, searched, exported
//! and forgotten like any other. What says nearly the same is merged into one; counters tell
//! how often it helped or harmed, and the best few go into contexts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::category::Category;
use crate::edit::EditRequest;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::{Filter, Include, Page, Scopes};
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::remember::RememberRequest;
use crate::scope::Scope;
use crate::text::query_terms;
use crate::trust::{Origin, Trust};

/// Marks a memory as a lesson.
const LEARNED: &str = "learned";
const HELPFUL: &str = "helpful";
const HARMFUL: &str = "harmful";
const SEEN: &str = "seen";

/// Of the words of two lessons together, how many both must have to be one: at this share
/// people call two sentences the same advice.
const SAME: f64 = 0.6;
/// Lessons looked at: far more than anybody teaches in one project.
const MOST: u64 = 1000;

/// What kind of lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lesson {
    /// Something that went wrong, and what mends it.
    Mistake,
    /// Something that works.
    Strategy,
    /// How somebody wants it.
    Preference,
}

impl Lesson {
    /// Every kind.
    pub const ALL: [Lesson; 3] = [Lesson::Mistake, Lesson::Strategy, Lesson::Preference];

    /// The name used on the wire, which is also the category of its memories.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Lesson::Mistake => "mistake",
            Lesson::Strategy => "strategy",
            Lesson::Preference => "preference",
        }
    }

    /// The kind of a memory, if it is a lesson. A preference is one only where it was learnt:
    /// the others are mere memories, while mistakes and strategies are nothing else.
    #[must_use]
    pub fn of(memory: &Memory) -> Option<Lesson> {
        let name = match memory.metadata.get(LEARNED) {
            Some(name) => name.as_str(),
            None => Some(memory.category.as_str()).filter(|name| *name != "preference")?,
        };
        Lesson::ALL.into_iter().find(|lesson| lesson.name() == name)
    }
}

/// What is to be learnt.
#[derive(Clone, Debug)]
pub struct LearnRequest {
    /// What kind of lesson.
    pub lesson: Lesson,
    /// What happened, or what to do.
    pub text: String,
    /// What mends a mistake.
    pub fix: Option<String>,
    /// Whose lesson.
    pub scope: Scope,
    /// Who says it.
    pub origin: Origin,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Learned {
    /// The lesson as it is now.
    pub memory: Memory,
    /// Whether it was known already, in these or other words.
    pub merged: bool,
}

/// How a lesson turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    /// It helped.
    Helpful,
    /// It harmed.
    Harmful,
}

/// Learns something, or learns it again.
///
/// # Errors
/// `invalid` for a mistake without what mends it, and whatever remembering says.
pub async fn learn(engine: &Engine, request: LearnRequest) -> Result<Learned> {
    let LearnRequest { lesson, text, fix, scope, origin } = request;
    let content = match (lesson, fix) {
        (Lesson::Mistake, Some(fix)) => {
            format!("{} Instead: {}", ended(&text), fix.trim())
        }
        (Lesson::Mistake, None) => {
            return Err(
                Error::invalid("a mistake needs what mends it").with_hint("say it with --fix")
            );
        }
        (_, Some(_)) => return Err(Error::invalid("only a mistake has something that mends it")),
        (_, None) => text,
    };
    let known = lessons_in(engine, Scopes::These(vec![scope.clone()])).await?;
    let alike = known
        .into_iter()
        .filter(|memory| Lesson::of(memory) == Some(lesson))
        .map(|memory| (likeness(&memory.content, &content), memory))
        .filter(|(likeness, _)| *likeness >= SAME)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    if let Some((_, memory)) = alike {
        return merge(engine, memory, content, origin).await;
    }
    let mut remember = RememberRequest::new(content, scope);
    remember.category = Some(Category::new(lesson.name())?);
    remember.origin = origin;
    remember.metadata.insert(LEARNED.into(), lesson.name().into());
    remember.metadata.insert(SEEN.into(), "1".into());
    let remembered = engine.remember(remember).await?;
    Ok(Learned { memory: remembered.memory, merged: remembered.duplicate })
}

/// The longer text says more; what is said again counts as seen again.
async fn merge(engine: &Engine, known: Memory, content: String, origin: Origin) -> Result<Learned> {
    let mut edit = EditRequest::new(known.id);
    edit.origin = origin;
    edit.expected = Some(known.updated_at);
    if content.chars().count() > known.content.chars().count() {
        edit.content = Some(content);
    }
    edit.metadata.insert(SEEN.into(), (count(&known, SEEN) + 1).to_string());
    Ok(Learned { memory: engine.edit(edit).await?.memory, merged: true })
}

/// Counts a lesson as helpful or harmful.
///
/// # Errors
/// `not_found`, and `invalid` for a memory that is no lesson.
pub async fn rate(engine: &Engine, id: MemoryId, rating: Rating) -> Result<Memory> {
    let memory = engine.show(id).await?.memory;
    if Lesson::of(&memory).is_none() {
        return Err(Error::invalid(format!("{id} is no lesson"))
            .with_hint("`nuthatch learn list` shows the lessons"));
    }
    let name = match rating {
        Rating::Helpful => HELPFUL,
        Rating::Harmful => HARMFUL,
    };
    let mut edit = EditRequest::new(id);
    edit.expected = Some(memory.updated_at);
    edit.metadata.insert(name.into(), (count(&memory, name) + 1).to_string());
    Ok(engine.edit(edit).await?.memory)
}

/// Every lesson of some scopes, the most helpful first; what harmed more than it helped is
/// not among them, nor what is quarantined.
///
/// # Errors
/// Whatever the store says.
pub async fn lessons(engine: &Engine, scopes: Scopes) -> Result<Vec<Memory>> {
    let mut lessons = lessons_in(engine, scopes).await?;
    lessons.retain(|memory| memory.trust >= Trust::Inferred && worth(memory) >= 0);
    lessons.sort_by(|a, b| {
        let by =
            |memory: &Memory| (worth(memory), count(memory, SEEN), memory.updated_at, memory.id);
        by(b).cmp(&by(a))
    });
    Ok(lessons)
}

async fn lessons_in(engine: &Engine, scopes: Scopes) -> Result<Vec<Memory>> {
    let mut filter = Filter::scoped(scopes);
    filter.include = Include::Memories;
    filter.categories =
        Lesson::ALL.iter().map(|lesson| Category::new(lesson.name())).collect::<Result<_>>()?;
    let mut found = engine.list(&filter, Page::first(MOST)).await?.memories;
    found.retain(|memory| Lesson::of(memory).is_some());
    Ok(found)
}

/// How much more it helped than it harmed.
fn worth(memory: &Memory) -> i64 {
    let count = |name| i64::try_from(count(memory, name)).unwrap_or(i64::MAX);
    count(HELPFUL).saturating_sub(count(HARMFUL))
}

fn count(memory: &Memory, name: &str) -> u64 {
    memory.metadata.get(name).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Which share of their words two texts have in common.
fn likeness(a: &str, b: &str) -> f64 {
    let words = |text: &str| query_terms(text).into_iter().collect::<BTreeSet<String>>();
    let (a, b) = (words(a), words(b));
    let all = a.union(&b).count();
    if all == 0 { 0.0 } else { a.intersection(&b).count() as f64 / all as f64 }
}

/// A sentence with an end.
fn ended(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
