//! What a workspace itself brings into a context: the plan, the architecture, the outputs of
//! earlier agents, and what an invocation names.

use std::collections::BTreeSet;
use std::fs;

use async_trait::async_trait;
use nuthatch::context::{ContextRequest, ContextSource, Cut, Form, Gathered, Item, Note, Section};
use nuthatch::error::{Error, Result};
use nuthatch::id::AgentId;
use nuthatch::invocation::Invocation;

use crate::disk;
use crate::layout::Workspace;
use crate::outputs::{Outputs, Tail};
use crate::plan::Plan;

/// Longer files are for tools, not for prompts.
const LONGEST_INPUT: u64 = 4 * 1024 * 1024;

/// What stands in the place of an output that could steer whoever reads it.
const LEFT_OUT: &str = "left out: it looks like orders";

/// The plan that is worked on.
pub struct PlanSource<'a>(pub &'a Plan);

#[async_trait]
impl ContextSource for PlanSource<'_> {
    fn name(&self) -> &str {
        "plan"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let path = format!(".nuthatch/plan/{}", self.0.id);
        let text = self.0.described(&path);
        let item = Item::new(Section::Plan, format!("{path}/plan.toml"), text, Form::Words);
        Ok(Gathered { items: vec![item.cut(Cut::End)], notes: Vec::new() })
    }
}

/// `.nuthatch/architecture.md`.
pub struct ArchitectureSource<'a>(pub &'a Workspace);

#[async_trait]
impl ContextSource for ArchitectureSource<'_> {
    fn name(&self) -> &str {
        "architecture"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let path = self.0.architecture();
        let read = disk::refuse_links(self.0.root(), &path)
            .and_then(|()| disk::read_text(&path, LONGEST_INPUT));
        let name = ".nuthatch/architecture.md";
        Ok(match read {
            Ok(None) => Gathered::default(),
            Ok(Some(text)) => {
                let item = Item::new(Section::Architecture, name, text, Form::Words);
                Gathered { items: vec![item.cut(Cut::End)], notes: Vec::new() }
            }
            Err(error) => {
                Gathered { items: Vec::new(), notes: vec![Note::new(name, error.to_string())] }
            }
        })
    }
}

/// What earlier agents of the plan said.
pub struct OutputsSource<'a> {
    /// All of them.
    pub outputs: &'a Outputs,
    /// Only of these agents, where the plan says who comes before.
    pub visible: Option<BTreeSet<AgentId>>,
}

#[async_trait]
impl ContextSource for OutputsSource<'_> {
    fn name(&self) -> &str {
        "outputs"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let (outputs, errors) = self.outputs.all()?;
        let mut gathered = Gathered::default();
        gathered.notes.extend(errors.iter().map(|e| Note::new("outputs", e.to_string())));
        for output in outputs {
            let is_visible =
                self.visible.as_ref().is_none_or(|visible| visible.contains(&output.agent_id));
            let citation = format!("output of {}", output.agent_id);
            if !is_visible {
                continue;
            }
            if output.is_quarantined() {
                gathered.notes.push(Note::new(citation, LEFT_OUT));
                continue;
            }
            let item = Item::new(Section::Memory, citation, output.output, Form::Verbatim);
            gathered.items.push(item.cut(Cut::Beginning));
        }
        Ok(gathered)
    }
}

/// The files and the tail that an invocation names.
pub struct InjectedSource<'a> {
    /// Where files lie.
    pub workspace: &'a Workspace,
    /// What names them.
    pub invocation: &'a Invocation,
    /// Where the agent's previous output is.
    pub outputs: &'a Outputs,
}

#[async_trait]
impl ContextSource for InjectedSource<'_> {
    fn name(&self) -> &str {
        "injected"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        for input in &self.invocation.inputs {
            let text = self.read(input)?;
            let item = Item::new(Section::Injected, input.clone(), text, Form::Verbatim);
            gathered.items.push(item.cut(Cut::End));
        }
        let agent = &self.invocation.agent;
        let Some(lines) = self.invocation.tail else { return Ok(gathered) };
        let citation = match lines {
            1 => format!("last line of {agent}"),
            _ => format!("last {lines} lines of {agent}"),
        };
        match self.outputs.tail(agent, lines)? {
            Tail::Lines(text) => {
                let item = Item::new(Section::Injected, citation, text, Form::Verbatim);
                gathered.items.push(item.cut(Cut::Beginning));
            }
            Tail::Quarantined => gathered.notes.push(Note::new(citation, LEFT_OUT)),
            Tail::None => gathered.notes.push(Note::new(citation, "it has said nothing yet")),
        }
        Ok(gathered)
    }
}

impl InjectedSource<'_> {
    /// A file inside the project, by its real place: a link may lead anywhere.
    fn read(&self, input: &str) -> Result<String> {
        let whole = self.invocation.to_string();
        let place = whole.find(input).map_or(0, |at| whole[..at].chars().count()) + 1;
        let wrong = |error: Error| {
            let kind = error.kind();
            let message = format!("in the invocation, character {place}: {error}");
            Error::new(kind, message).with_hint(format!("it is named in {whole}"))
        };
        let missing = || wrong(Error::not_found(format!("there is no file {input}")));
        let path = self.workspace.root().join(input);
        let real = fs::canonicalize(&path).map_err(|_| missing())?;
        let root = fs::canonicalize(self.workspace.root())
            .map_err(|error| disk::trouble("resolve", self.workspace.root(), error))?;
        if !real.starts_with(&root) {
            return Err(wrong(Error::new(
                nuthatch::Kind::Denied,
                format!("{input} leads out of the project"),
            )));
        }
        disk::read_text(&real, LONGEST_INPUT).map_err(wrong)?.ok_or_else(missing)
    }
}
