//! What a file of a folder or an archive means, by its name, and what that says of the facts
//! in it.

use std::io::Read;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use nuthatch::category::Category;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::interchange::{Fact, Format, Item, Telling};
use nuthatch::scope::Scope;

/// A file among others, named by its path with slashes.
pub(super) struct Entry<'a> {
    /// Its path below the folder or in the archive.
    pub name: &'a str,
    /// The folder around all, where its name says something.
    pub around: &'a str,
    /// What it is to be read as.
    pub format: Option<Format>,
}

/// What became of a whole folder or archive.
#[derive(Default)]
pub(super) struct Whole {
    found: bool,
    trouble: Option<Error>,
}

impl Whole {
    /// How it ended.
    pub fn finish(self) -> Result<()> {
        match (self.trouble, self.found) {
            (Some(error), _) => Err(error),
            (None, true) => Ok(()),
            (None, false) => Err(Error::invalid("nothing in it is memory that is known")
                .with_hint("docs/import.md says which files are read")),
        }
    }

    /// Notes that something cannot be read; the rest goes on.
    pub fn trouble(&mut self, name: &str, error: &Error) {
        let located = Error::new(error.kind(), format!("{name}: {error}"));
        self.trouble.get_or_insert(located);
    }

    /// Reads one file of it, where its name means something.
    pub fn take(
        &mut self,
        entry: &Entry<'_>,
        input: impl Read,
        telling: &mut Telling<'_>,
    ) -> Result<()> {
        let Some(wanted) = wanted(entry.name) else {
            telling.skip("other files");
            return Ok(());
        };
        if wanted == Wanted::Derived {
            telling.skip("summaries, which are made from the rest");
            return Ok(());
        }
        let about = About::of(entry);
        let outer = telling.place.replace(entry.name.to_owned());
        let mut skipped = Default::default();
        let read = {
            let mut sink = |mut item: Item| {
                if let Item::Fact(fact) = &mut item {
                    about.say(fact);
                }
                telling.item(item)
            };
            let mut inner = Telling::to(&mut sink);
            let read = match (entry.format, wanted) {
                (None, Wanted::Output) => outputs(input, &mut inner),
                (format, _) => super::stream(input, format, &mut inner).map(|_| true),
            };
            std::mem::swap(&mut skipped, &mut inner.skipped);
            read
        };
        telling.place = outer;
        for (kind, count) in skipped {
            *telling.skipped.entry(kind).or_default() += count;
        }
        match read {
            Ok(meant) => self.found |= meant,
            Err(error) if error.kind() == Kind::Invalid => self.trouble(entry.name, &error),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Reads outputs of agents; other files of JSON mean nothing here.
fn outputs(input: impl Read, telling: &mut Telling<'_>) -> Result<bool> {
    use std::io::BufRead as _;
    let mut input = std::io::BufReader::with_capacity(nuthatch::interchange::HEAD_BYTES, input);
    let head = input.fill_buf().map_err(|error| super::broken(&error))?;
    if nuthatch::interchange::sniff(head) != Some(Format::PlanMemory) {
        telling.skip("other files");
        return Ok(false);
    }
    nuthatch::interchange::plan_memory::read(&mut input, telling).map(|()| true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Told by how it begins.
    Whatever,
    /// Perhaps the output of an agent in a plan.
    Output,
    /// Made out of others.
    Derived,
}

fn wanted(name: &str) -> Option<Wanted> {
    let base = name.rsplit('/').next().unwrap_or(name);
    if name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX") {
        return None;
    }
    let (_, ending) = base.rsplit_once('.')?;
    let is_named = base.starts_with("conversations") || base == "memories.json";
    match ending {
        "json" if is_named || base == "memory.json" => Some(Wanted::Whatever),
        "json" => Some(Wanted::Output),
        "jsonl" | "af" => Some(Wanted::Whatever),
        "md" if base == "memory_summary.md" => Some(Wanted::Derived),
        "md" => Some(Wanted::Whatever),
        _ => None,
    }
}

/// What the name of a file says of the facts in it.
#[derive(Default)]
struct About {
    category: Option<Category>,
    scope: Option<Scope>,
    requirement: Option<String>,
    created_at: Option<jiff::Timestamp>,
}

impl About {
    fn of(entry: &Entry<'_>) -> About {
        let parts: Vec<&str> = entry.around.split('/').chain(entry.name.split('/')).collect();
        let base = parts.last().copied().unwrap_or_default();
        let folder = parts.iter().rev().nth(1).copied().unwrap_or_default();
        let mut about = About::default();
        if base.ends_with(".json") && folder == "memory" {
            about.requirement = parts.iter().rev().nth(2).map(|name| (*name).to_owned());
        }
        let Some(stem) = base.strip_suffix(".md") else { return about };
        let day: Option<Date> = stem.parse().ok();
        match (stem, day) {
            (_, Some(day)) => {
                about.category = Some(Category::daily());
                let midnight = day.to_zoned(TimeZone::UTC).ok();
                about.created_at = midnight.map(|midnight| midnight.timestamp());
            }
            ("USER", _) => about.scope = Some(Scope::User),
            ("SKILL", _) => about.category = Category::new("workflow").ok(),
            ("MEMORY" | "README", _) => {}
            (stem, _) if folder == "memory" => about.category = Some(Category::nearest(stem)),
            _ => {}
        }
        about
    }

    /// Says it, where the fact itself says nothing.
    fn say(&self, fact: &mut Fact) {
        fact.category = fact.category.take().or_else(|| self.category.clone());
        fact.scope = fact.scope.take().or_else(|| self.scope.clone());
        fact.requirement = fact.requirement.take().or_else(|| self.requirement.clone());
        fact.created_at = fact.created_at.or(self.created_at);
    }
}
