//! Skills: playbooks out of what fails and what works, and of how things are done here.
//!
//! Each is valid by the Agent Skills specification and says in its front matter who made it.
//! What carries no such mark was written by a person: it is passed through, and its name is
//! taken. A generated one that nothing stands behind any more is not written again.

use std::collections::BTreeMap;

use crate::memory::Memory;

use super::Artifacts;
use super::current::Current;
use super::document::{Section, is_fix};
use super::entry::{self, Entry};
use super::workflow::Workflow;

/// Longest name the specification allows.
const NAME_CHARS: usize = 64;
/// Longest description the specification allows.
const DESCRIPTION_CHARS: usize = 1024;
/// Most lines of a playbook: with each a line of moderate length, well within what the
/// specification advises.
const MOST_STEPS: usize = 40;
/// Fewer steps than this are an entry in the document, not a playbook.
const LEAST_STEPS: usize = 2;

const MARK: &str = "  generated-by: nuthatch";
const WORDED: &str = "  worded-by: model";

/// A skill that a model put together out of memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playbook {
    /// Its name: a slug.
    pub name: String,
    /// What it is for and when to use it.
    pub description: String,
    /// What to do, in order.
    pub steps: Vec<Entry>,
}

/// Whether nuthatch made this file, and so may replace it.
#[must_use]
pub fn is_generated(text: &str) -> bool {
    front_matter(text).is_some_and(|front| front.lines().any(|line| line == MARK))
}

fn front_matter(text: &str) -> Option<&str> {
    text.strip_prefix("---\n")?.split_once("\n---\n").map(|(front, _)| front)
}

/// Lower-case ASCII letters and digits, with single hyphens between; empty where nothing of
/// that is left.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(NAME_CHARS);
    slug.trim_matches('-').to_owned()
}

/// The playbooks of a model that may stay, because everything they were made of still holds.
pub fn kept(present: &BTreeMap<String, String>, current: &Current<'_>) -> Vec<Playbook> {
    present.iter().filter_map(|(name, text)| playbook(name, text, current)).collect()
}

fn playbook(name: &str, text: &str, current: &Current<'_>) -> Option<Playbook> {
    let front = front_matter(text).filter(|_| is_generated(text))?;
    front.lines().find(|line| *line == WORDED)?;
    let description = front.lines().find_map(|line| line.strip_prefix("description: "))?;
    let description: String = serde_json::from_str(description).ok()?;
    let lines = text.lines().filter_map(entry::parse);
    let steps: Vec<(Entry, &str)> = lines.collect();
    let holds = |(step, hash): &(Entry, &str)| entry::still_holds(step, hash, current);
    let whole = slug(name) == name && steps.len() >= LEAST_STEPS && steps.iter().all(holds);
    let steps = steps.into_iter().map(|(step, _)| step).collect();
    whole.then(|| Playbook { name: name.to_owned(), description, steps })
}

/// Every skill there should be: what people wrote, what a model put together, what follows
/// from the memories by rules.
pub fn all(
    present: &Artifacts,
    current: &Current<'_>,
    workflows: &[Workflow],
    playbooks: Vec<Playbook>,
    notes: &mut Vec<String>,
) -> BTreeMap<String, String> {
    let mut skills: BTreeMap<String, String> =
        present.skills.iter().filter(|(_, text)| !is_generated(text)).map(owned).collect();
    let worded = playbooks.into_iter().map(|one| {
        let steps = one.steps.iter().map(|step| step.render(current)).collect();
        Sheet { name: one.name, description: one.description, steps, worded: Some(WORDED) }
    });
    let sheets: Vec<Sheet> =
        worded.chain(fixes(current)).chain(project_workflow(current, workflows)).collect();
    for sheet in sheets {
        let ours = format!("nuthatch-{}", sheet.name);
        let name = [sheet.name.clone(), slug(&ours)].into_iter().find(|n| !skills.contains_key(n));
        match name {
            Some(name) => {
                let text = sheet.render(&name);
                skills.insert(name, text);
            }
            None => {
                notes.push(format!("the skill {} is not written: its name is taken", sheet.name))
            }
        }
    }
    skills
}

fn owned((name, text): (&String, &String)) -> (String, String) {
    (name.clone(), text.clone())
}

/// One skill on its way into a file.
struct Sheet {
    name: String,
    description: String,
    steps: Vec<String>,
    worded: Option<&'static str>,
}

impl Sheet {
    fn render(&self, name: &str) -> String {
        let description: String = self.description.chars().take(DESCRIPTION_CHARS).collect();
        // JSON strings are YAML strings; everything else in the front matter is ours.
        let quoted = serde_json::Value::String(description.clone()).to_string();
        let worded = self.worded.map(|line| format!("{line}\n")).unwrap_or_default();
        let steps = &self.steps[..self.steps.len().min(MOST_STEPS)];
        format!(
            "---\nname: {name}\ndescription: {quoted}\nmetadata:\n{MARK}\n{worded}---\n\n{}\n\n{}\n",
            entry::line(&description),
            steps.join("\n")
        )
    }
}

/// For each program, what of it fails here and what works instead.
fn fixes(current: &Current<'_>) -> Vec<Sheet> {
    let mut programs: BTreeMap<String, Vec<&Memory>> = BTreeMap::new();
    for memory in current.memories.iter().filter(|memory| is_fix(memory)) {
        let program = slug(memory.metadata.get("program").map_or("", String::as_str));
        if !program.is_empty() {
            programs.entry(program).or_default().push(memory);
        }
    }
    let sheet = |(program, memories): (String, Vec<&Memory>)| Sheet {
        name: slug(&format!("{program}-fixes")),
        description: format!(
            "What fails when {program} is run in this project, and what works instead. Use before \
             running {program} here, or when it fails."
        ),
        steps: memories.iter().map(|one| Entry::plain(&[one]).render(current)).collect(),
        worded: None,
    };
    programs.into_iter().map(sheet).collect()
}

/// How things are done in this project: what people said about it, and commands that recur.
fn project_workflow(current: &Current<'_>, workflows: &[Workflow]) -> Option<Sheet> {
    let told = current.memories.iter().filter(|memory| Section::of(memory) == Section::Workflows);
    let mut steps: Vec<String> =
        told.map(|memory| Entry::plain(&[memory]).render(current)).collect();
    steps.extend(workflows.iter().map(Workflow::render));
    (steps.len() >= LEAST_STEPS).then(|| Sheet {
        name: "project-workflow".into(),
        description: "How work is done in this project: the steps and commands that its sessions \
                      came back to. Use when building, testing, formatting or releasing here."
            .into(),
        steps,
        worded: None,
    })
}

/// What skills there are, a line for each.
pub fn listing(skills: &BTreeMap<String, String>) -> Vec<String> {
    let line = |(name, text): (&String, &String)| {
        let described = front_matter(text)
            .filter(|_| is_generated(text))
            .and_then(|front| front.lines().find_map(|line| line.strip_prefix("description: ")))
            .and_then(|quoted| serde_json::from_str::<String>(quoted).ok());
        let described = described.map(|text| format!(": {}", entry::line(&text)));
        format!("- {}{}", entry::line(name), described.unwrap_or_default())
    };
    skills.iter().map(line).collect()
}
