//! What `nuthatch` says alone: how it stands here, and the next useful command.
//!
//! Looks and changes nothing. Whatever cannot be looked at becomes the answer: somebody who
//! types a name and nothing else wants to know what to do, not that it failed.

use nuthatch::error::Result;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch_agents::{Agent, Installer, Program, Reach, Verdict, targets};
use serde::Serialize;

use crate::cli::Globals;
use crate::config::Places;
use crate::connecting;
use crate::opening::Access;
use crate::output::Output;
use crate::render;
use crate::wiring::{Desk, Site};

#[derive(Debug, Serialize)]
struct Answer {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    here: Option<u64>,
    agents: Vec<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    next: String,
}

#[derive(Debug, Serialize)]
struct Known {
    agent: Agent,
    connected: bool,
}

/// Says it.
pub async fn greet(globals: &Globals, out: &mut Output) -> Result<()> {
    let agents = agents(globals);
    let mut answer = Answer {
        version: env!("CARGO_PKG_VERSION"),
        memories: None,
        here: None,
        agents,
        trouble: None,
        next: String::new(),
    };
    match counts(globals).await {
        Ok((memories, here)) => (answer.memories, answer.here) = (Some(memories), here),
        Err(error) => answer.trouble = Some(error.to_string()),
    }
    answer.next = next(&answer);
    out.answer(&answer, print)
}

/// How many memories there are, and how many of this project, if this is one.
async fn counts(globals: &Globals) -> Result<(u64, Option<u64>)> {
    let globals = Globals { access: Access::Read, ..globals.clone() };
    let site = Site::find(&globals)?;
    let is_project = site.root.repository.is_some() || site.root.config_file.is_some();
    let desk = Desk::open(&globals).await?;
    let count = async |scopes: Scopes| {
        let listed = desk.engine().list(&Filter::scoped(scopes), Page::first(0)).await;
        listed.map(|listed| listed.total)
    };
    let here = match is_project {
        true => Some(count(Scopes::These(vec![desk.project().clone()])).await?),
        false => None,
    };
    Ok((count(Scopes::All).await?, here))
}

/// The agents that are found, and whether each is connected: for the user or in this project.
fn agents(globals: &Globals) -> Vec<Known> {
    let Ok(homes) = Places::from_machine().and_then(|places| connecting::homes(&places, globals))
    else {
        return Vec::new();
    };
    let installer = Installer::at(homes.home.clone());
    // Any program of our name will do: whether it is this one is the business of `--check`.
    let program = Program("nuthatch".to_owned());
    let connected = |agent: Agent| {
        [Reach::User, Reach::Project].iter().any(|reach| {
            let files = installer.check(&targets(agent, *reach, &homes, &program));
            files.iter().any(|f| matches!(f.state, Verdict::Installed | Verdict::Outdated))
        })
    };
    let found = connecting::found(&homes);
    found.into_iter().map(|agent| Known { agent, connected: connected(agent) }).collect()
}

fn next(answer: &Answer) -> String {
    let waiting = answer.agents.iter().find(|known| !known.connected);
    match (answer.memories, waiting) {
        (None, _) => "nuthatch doctor".to_owned(),
        (_, Some(known)) => format!("nuthatch install {}", known.agent),
        (Some(0), None) if answer.agents.is_empty() => "nuthatch tour".to_owned(),
        (Some(0), None) => "nuthatch remember TEXT".to_owned(),
        _ => "nuthatch recall WORDS".to_owned(),
    }
}

fn print(out: &mut Output, answer: &Answer) -> Result<()> {
    out.line(format_args!("nuthatch {}: the memory of AI agents", answer.version))?;
    match (answer.memories, answer.here) {
        (Some(0), _) => out.line("nothing is remembered yet")?,
        (Some(all), Some(here)) => {
            let all = render::memories(all);
            out.line(format_args!("{all} in store, {here} of them about this project"))?;
        }
        (Some(all), None) => out.line(format_args!("{} in store", render::memories(all)))?,
        (None, _) => {}
    }
    if let Some(trouble) = &answer.trouble {
        out.line(trouble)?;
    }
    let names = |connected: bool| {
        let wanted = answer.agents.iter().filter(|known| known.connected == connected);
        wanted.map(|known| known.agent.name()).collect::<Vec<_>>().join(", ")
    };
    for (names, words) in [(names(true), "connected"), (names(false), "found, not connected")] {
        if !names.is_empty() {
            out.line(format_args!("{words}: {names}"))?;
        }
    }
    out.line(format_args!("next: {}", answer.next))?;
    out.note("`nuthatch --help` lists every command, `nuthatch tour` shows them at work")
}
