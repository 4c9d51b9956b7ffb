//! What steps, crafts and chats of this workspace left in their queue, as sessions.
//!
//! A chat is its own session, whose places are times, so that they stay the same while the
//! oldest of it falls out of the history. What an agent said in a step is nobody's own words.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::Timestamp;
use nuthatch::autonomy::ports::{Candidate, Each, Told};
use nuthatch::error::{Error, Result};
use nuthatch::id::{AgentId, ProjectId, RequirementId};
use nuthatch::store::JobKind;
use nuthatch::transcript::{Event, SessionHead, Voice, What};
use nuthatch_workspace::{Completed, Workspace, Writeback};
use uuid::Uuid;

/// How sessions of this program are marked.
pub const AGENT: &str = "nuthatch";

/// What waits, each with the entries of the queue that it stands for.
pub struct Waiting {
    pub candidate: Candidate,
    pub entry: Writeback,
    pub ids: Vec<Uuid>,
}

/// Everything in the queue. A chat that was continued stands there once.
pub fn waiting(workspace: &Workspace, project: Option<&ProjectId>) -> Result<Vec<Waiting>> {
    let mut found: BTreeMap<String, Waiting> = BTreeMap::new();
    for (id, entry) in nuthatch_workspace::waiting(workspace)? {
        let name = entry.session.clone().unwrap_or_else(|| id.to_string());
        let head = SessionHead {
            id: name.clone(),
            agent: AGENT.to_owned(),
            folder: Some(workspace.root().display().to_string()),
            title: title(&entry),
            started_at: Some(entry.at),
            updated_at: Some(entry.at),
            ..SessionHead::default()
        };
        let candidate = Candidate {
            kind: JobKind::Writeback,
            head,
            project: project.cloned(),
            place: workspace.internals().join("writeback").display().to_string(),
            watermark: id.to_string(),
            active_at: entry.at,
        };
        let known = found.remove(&name).map(|known| known.ids).unwrap_or_default();
        let ids = known.into_iter().chain([id]).collect();
        found.insert(name, Waiting { candidate, entry, ids });
    }
    Ok(found.into_values().collect())
}

fn title(entry: &Writeback) -> Option<String> {
    let what = match entry.completed {
        Completed::Step => "step",
        Completed::Craft => "craft",
        Completed::Chat => "chat",
    };
    let of = entry.agent.as_ref().or(entry.plan.as_ref());
    Some(of.map_or_else(|| what.to_owned(), |of| format!("{what} {of}")))
}

/// Tells what was completed.
pub fn tell(workspace: &Workspace, waiting: &Waiting, each: &mut Each) -> Result<Told> {
    let events = match &waiting.entry.session {
        Some(session) => chat(workspace, session)?,
        None => outputs(workspace, &waiting.entry)?,
    };
    for event in events {
        if each(event) == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(Told { head: waiting.candidate.head.clone(), ..Told::default() })
}

fn event(seq: u64, at: Timestamp, what: What) -> Event {
    Event { seq, at: Some(at), model: None, usage: None, aside: false, what }
}

fn chat(workspace: &Workspace, session: &str) -> Result<Vec<Event>> {
    let history = nuthatch_workspace::History::load(workspace, session)?;
    let mut events = Vec::new();
    for one in history.interactions {
        let at = one.timestamp;
        let seq = u64::try_from(at.as_microsecond()).unwrap_or_default().saturating_mul(2);
        let asked = What::User { voice: Voice::Person, text: one.goal };
        events.push(event(seq, at, asked));
        events.push(event(seq + 1, at, What::Assistant { text: one.output }));
    }
    Ok(events)
}

fn outputs(workspace: &Workspace, entry: &Writeback) -> Result<Vec<Event>> {
    let plan = entry.plan.as_deref().map(RequirementId::new).transpose()?;
    let outputs = nuthatch_workspace::Outputs::of(workspace, plan.as_ref());
    let said = match entry.agent.as_deref().map(AgentId::new).transpose()? {
        Some(agent) => outputs.load(&agent)?.into_iter().collect(),
        None => outputs.all()?.0,
    };
    let told = said.into_iter().filter(|output| !output.is_quarantined());
    let told = told.enumerate().map(|(place, output)| {
        event(place as u64, output.timestamp, What::Assistant { text: output.output })
    });
    Ok(told.collect())
}

/// Takes what was learnt from out of the queue.
pub fn settle(workspace: &Workspace, waiting: &Waiting) -> Result<()> {
    waiting.ids.iter().try_for_each(|id| nuthatch_workspace::settle(workspace, *id))
}

/// What is to be told is not there any more.
pub fn gone(candidate: &Candidate) -> Error {
    Error::not_found(format!("the session {} is gone", candidate.head.id))
}
