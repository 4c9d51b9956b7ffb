//! Plans: a title, a status, and tasks that depend on each other.
//!
//! `plan/<requirement>/plan.toml` is a person's file and is never written to. Ids, agents and
//! dependencies are checked when it is read, so that a plan that loads can be carried out.

use std::collections::{BTreeMap, BTreeSet};

use nuthatch::error::{Error, Result};
use nuthatch::id::{AgentId, RequirementId};
use nuthatch::invocation::Invocation;
use serde::{Deserialize, Serialize};

use crate::agents::one_line;
use crate::disk;
use crate::layout::Workspace;

/// More than anybody writes by hand.
const LONGEST_FILE: u64 = 1024 * 1024;

/// More than anybody plans by hand; what comes before what is worked out for all of them.
const MOST_TASKS: usize = 1000;

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The requirement it is for.
    pub id: RequirementId,
    /// What it is about.
    pub title: String,
    /// How far it is, in its author's words.
    pub status: String,
    /// What is to be done.
    pub tasks: Vec<Task>,
}

/// One task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its name; unique in the plan.
    pub id: String,
    /// Who does it, with what.
    #[serde(serialize_with = "as_text")]
    pub agent: Invocation,
    /// What is to be done.
    pub prompt: String,
    /// Tasks that must be done before.
    pub depends_on: Vec<String>,
}

fn as_text<S: serde::Serializer>(agent: &Invocation, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(agent)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    tasks: Vec<TaskTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskTable {
    id: String,
    agent: String,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    depends_on: Vec<String>,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// `not_found`, when there is none; `invalid`, when it cannot be carried out.
    pub fn load(workspace: &Workspace, id: &RequirementId) -> Result<Plan> {
        let path = workspace.plan(id).join("plan.toml");
        disk::refuse_links(workspace.root(), &path)?;
        let text = disk::read_text(&path, LONGEST_FILE)?.ok_or_else(|| {
            Error::not_found(format!("there is no plan {id}"))
                .with_hint(format!("write it in .nuthatch/plan/{id}/plan.toml"))
        })?;
        Plan::parse(id, &text)
    }

    /// The requirements that have a plan or a memory, by name.
    ///
    /// # Errors
    /// Where the folder cannot be read. What is no requirement is passed over.
    pub fn list(workspace: &Workspace) -> Result<Vec<RequirementId>> {
        let names = disk::names(&workspace.plans())?;
        Ok(names.iter().filter_map(|name| RequirementId::new(name.as_str()).ok()).collect())
    }

    fn parse(id: &RequirementId, text: &str) -> Result<Plan> {
        let wrong = |what: String| Error::invalid(format!("plan {id}: {what}"));
        let file: PlanFile = toml::from_str(text).map_err(|error| wrong(one_line(&error)))?;
        if file.tasks.len() > MOST_TASKS {
            return Err(wrong(format!("it has {} tasks, over {MOST_TASKS}", file.tasks.len())));
        }
        let mut tasks = Vec::new();
        for table in file.tasks {
            // The same form as an agent's name: it stands in files and on command lines.
            AgentId::new(table.id.as_str())
                .map_err(|_| wrong(format!("not a task id: {:?}", cut(&table.id))))?;
            let agent = table.agent.parse::<Invocation>().map_err(|error| {
                let hint = error.hint().unwrap_or_default().to_owned();
                wrong(format!("task {}: {error}", table.id)).with_hint(hint)
            })?;
            let TaskTable { id, prompt, depends_on, .. } = table;
            tasks.push(Task { id, agent, prompt, depends_on });
        }
        let status = if file.status.is_empty() { "open".into() } else { file.status };
        let plan = Plan { id: id.clone(), title: file.title, status, tasks };
        plan.check().map_err(wrong)?;
        Ok(plan)
    }

    /// Every task once, every dependency there, no circle.
    fn check(&self) -> Result<(), String> {
        let mut known = BTreeSet::new();
        for task in &self.tasks {
            if !known.insert(task.id.as_str()) {
                return Err(format!("two tasks are called {}", task.id));
            }
        }
        for task in &self.tasks {
            if let Some(unknown) = task.depends_on.iter().find(|id| !known.contains(id.as_str())) {
                let unknown = cut(unknown);
                return Err(format!("task {} depends on {unknown:?}, which is not there", task.id));
            }
        }
        let before = self.before();
        match self.tasks.iter().find(|task| before[task.id.as_str()].contains(task.id.as_str())) {
            Some(task) => Err(format!("task {} depends on itself, by way of others", task.id)),
            None => Ok(()),
        }
    }

    /// For every task, all that come before it, directly or by way of others.
    #[must_use]
    pub fn before(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let direct: BTreeMap<&str, &[String]> =
            self.tasks.iter().map(|task| (task.id.as_str(), &*task.depends_on)).collect();
        let mut all = BTreeMap::new();
        for task in &self.tasks {
            let mut reached: BTreeSet<&str> = BTreeSet::new();
            let mut open: Vec<&str> = task.depends_on.iter().map(String::as_str).collect();
            while let Some(id) = open.pop() {
                if reached.insert(id) {
                    let next = direct.get(id).copied().unwrap_or_default();
                    open.extend(next.iter().map(String::as_str));
                }
            }
            all.insert(task.id.as_str(), reached);
        }
        all
    }

    /// As it stands in a context.
    #[must_use]
    pub fn described(&self, folder: &str) -> String {
        let mut text = format!(
            "Requirement: {}\nTitle: {}\nStatus: {}\nPath: {folder}\n",
            self.id, self.title, self.status
        );
        if !self.tasks.is_empty() {
            text.push_str("Tasks:\n");
        }
        for task in &self.tasks {
            let after = match task.depends_on.as_slice() {
                [] => String::new(),
                ids => format!(" (after {})", ids.join(", ")),
            };
            text.push_str(&format!("- {}: {}{after}\n", task.id, task.agent.agent));
        }
        text
    }
}

fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Plan> {
        Plan::parse(&RequirementId::new("REQ-1").unwrap(), text)
    }

    fn task(id: &str, depends_on: &str) -> String {
        format!("[[tasks]]\nid = \"{id}\"\nagent = \"a[tail:5]\"\ndepends_on = [{depends_on}]\n")
    }

    #[test]
    fn what_comes_before_a_task_is_known_to_the_end() {
        let text = [task("a", ""), task("b", "\"a\""), task("c", "\"b\""), task("d", "")].concat();
        let plan = parsed(&text).unwrap();
        let before = plan.before();
        assert_eq!(before["c"].iter().copied().collect::<Vec<_>>(), ["a", "b"]);
        assert!(before["a"].is_empty() && before["d"].is_empty());
        assert_eq!((&*plan.status, plan.tasks[0].agent.tail), ("open", Some(5)));
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        for (text, what) in [
            ([task("a", ""), task("a", "")].concat(), "two tasks are called a"),
            (task("a", "\"x\""), "\"x\", which is not there"),
            (task("a", "\"a\""), "depends on itself"),
            ([task("a", "\"b\""), task("b", "\"a\"")].concat(), "depends on itself"),
            (task("../a", ""), "not a task id"),
            ("[[tasks]]\nid = \"a\"\nagent = \"x[tail:0]\"".to_owned(), "character 8"),
            ("titel = \"x\"".to_owned(), "unknown field"),
            ((0..1001).map(|n| task(&format!("t{n}"), "")).collect(), "1001 tasks, over 1000"),
        ] {
            let message = parsed(&text).unwrap_err().to_string();
            assert!(message.starts_with("plan REQ-1: ") && message.contains(what), "{message}");
        }
    }
}
