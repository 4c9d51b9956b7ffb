//! What is said at an event: the summary and what must not be forgotten at the start of a
//! session, what matters at a prompt, nothing otherwise.
//!
//! Reads only, and makes no store; at the end of a session a job is noted where sessions are
//! learnt from. What the library finds worth saying is put together here within what every
//! agent accepts.

use std::collections::BTreeSet;

use nuthatch::error::Result;
use nuthatch::filter::Scopes;
use nuthatch::id::MemoryId;
use nuthatch::jobs::{self, Wanted};
use nuthatch::preamble::Preamble;
use nuthatch::recall::Mode;
use nuthatch::remind::{PROMPT_TOKENS, RemindRequest, START_TOKENS};
use nuthatch::store::{JobKey, JobKind};
use nuthatch_agents::hook::{Event, Given, MOST_CHARS, Moment};
use nuthatch_sources::transcripts::Stamp;

use super::Reply;
use crate::cli::Globals;
use crate::opening::Access;
use crate::wiring::{Desk, Site};

/// Tokens of the summary among them; what it leaves out can be read by its address.
const SUMMARY_TOKENS: usize = 700;

/// How something is recollected.
pub(super) struct Manner<'a> {
    /// How a prompt is looked for.
    pub mode: Mode,
    /// Takes what could be said already while the rest is looked for.
    pub meanwhile: &'a dyn Fn(Reply),
}

/// What is to be said at an event, to a session that was given something already.
pub(super) async fn recollect(
    event: &Event,
    mut given: Given,
    globals: Globals,
    manner: &Manner<'_>,
) -> Result<Reply> {
    match &event.moment {
        Moment::Start | Moment::Compacted => given = Given::default(),
        Moment::Compacting => {
            // What was given is about to go; a prompt that follows begins anew.
            given = Given { ids: Vec::new(), compacted: true };
            return Ok(reply(event, String::new(), given));
        }
        Moment::Stop | Moment::End => {
            enqueue(event, globals).await?;
            return Ok(Reply { context: String::new(), session: None });
        }
        Moment::Other => {
            return Ok(Reply { context: String::new(), session: None });
        }
        Moment::Prompt(_) | Moment::Resume => {}
    }
    let desk = Desk::open(&here(event, globals)).await?;
    let begins = !matches!(event.moment, Moment::Prompt(_));
    let mut context = String::new();
    if begins || given.compacted {
        // A session that is resumed has been told it.
        if event.moment != Moment::Resume {
            context = desk.guidance_within(SUMMARY_TOKENS);
        }
        if context.chars().count() > MOST_CHARS / 2 {
            context.clear();
        }
        if !context.is_empty() {
            (manner.meanwhile)(reply(event, context.clone(), given.clone()));
        }
        context = add(&desk, (manner.mode, None), &mut given, context).await?;
        given.compacted = false;
    }
    if let Moment::Prompt(prompt) = &event.moment {
        context = add(&desk, (manner.mode, Some(prompt)), &mut given, context).await?;
    }
    Ok(reply(event, context, given))
}

/// The place that the event is about.
fn here(event: &Event, globals: Globals) -> Globals {
    let folder = event.folder.clone().filter(|folder| folder.is_dir());
    Globals { project: folder.or(globals.project), access: Access::Read, ..globals }
}

/// Notes that a session is to be learnt from, where the user wants that. Nothing is read of it
/// now: whoever carries the job out decides when it has rested for long enough.
async fn enqueue(event: &Event, globals: Globals) -> Result<()> {
    let (Some(session), Some(file)) = (&event.session, &event.transcript) else { return Ok(()) };
    let globals = Globals { access: Access::Write, ..here(event, globals) };
    let site = Site::find(&globals)?;
    let memories = &site.config.settings().memories;
    let wanted = memories.enabled && memories.agents.iter().any(|one| one == event.agent.name());
    let Ok(found) = std::fs::metadata(file) else { return Ok(()) };
    if !wanted || !found.is_file() {
        return Ok(());
    }
    let stamp = Stamp::of(&found);
    let job = Wanted {
        key: JobKey::new(JobKind::Extract, format!("{}:{session}", event.agent))?,
        project: site.project_id().ok(),
        watermark: format!("{} {}", stamp.size, stamp.modified),
    };
    let desk = Desk::open(&globals).await?;
    let engine = desk.engine();
    jobs::want(engine.store(), &job, engine.now()).await.map(|_| ())
}

/// Adds what the library has to say, as much as still fits.
async fn add(
    desk: &Desk,
    (mode, prompt): (Mode, Option<&String>),
    given: &mut Given,
    context: String,
) -> Result<String> {
    let ids: BTreeSet<MemoryId> = given.ids.iter().filter_map(|id| id.parse().ok()).collect();
    let mut request = RemindRequest {
        scopes: Scopes::These(desk.visible()),
        prompt: prompt.cloned(),
        given: ids,
        budget_tokens: if prompt.is_some() { PROMPT_TOKENS } else { START_TOKENS },
        mode,
    };
    let room = MOST_CHARS - context.chars().count();
    loop {
        let Preamble { text, included, .. } = desk.engine().remind(&request).await?;
        if text.is_empty() {
            return Ok(context);
        }
        if text.chars().count() < room {
            given.add(included.iter().map(ToString::to_string));
            let gap = if context.is_empty() { "" } else { "\n" };
            return Ok(format!("{context}{gap}{text}"));
        }
        // Long words and other scripts: fewer tokens until the characters fit.
        request.budget_tokens = request.budget_tokens * 3 / 4;
    }
}

fn reply(event: &Event, context: String, given: Given) -> Reply {
    Reply { context, session: event.session.clone().map(|session| (session, given)) }
}
