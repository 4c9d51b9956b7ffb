//! `nuthatch memory status`: every job and every session, with reasons.
//!
//! Reads only, and makes no store.

use nuthatch::autonomy::Autonomy;
use nuthatch::autonomy::report::{SessionLine, Status};
use nuthatch::error::Result;
use nuthatch::store::{Job, JobState};

use super::Where;
use crate::output::Output;
use crate::render;

/// Shows how it stands.
pub async fn run(autonomy: &Autonomy, place: Where, out: &mut Output) -> Result<()> {
    let status = autonomy.status(&place.reach(autonomy)).await?;
    out.answer(&status, say)
}

fn say(out: &mut Output, status: &Status) -> Result<()> {
    let by_itself = if status.enabled { "works by itself" } else { "runs only when asked to" };
    out.line(format_args!("autonomous memory {by_itself}"))?;
    let means = &status.means;
    out.line(render::visible(&format!(
        "sessions are read by {}, documents are worded by {}",
        means.extraction, means.consolidation
    )))?;
    out.line(format_args!(
        "budget: {} tokens a run, {} a day, {} spent today",
        means.tokens_per_run, means.tokens_per_day, means.spent_today
    ))?;
    let set = status.generation.map_or("none yet".to_owned(), |number| format!("set {number}"));
    out.line(render::visible(&format!("documents: {set}, in {}", status.documents)))?;
    for job in &status.jobs {
        out.line(render::visible(&line_of(job)))?;
    }
    for session in &status.sessions {
        out.line(render::visible(&line(session)))?;
    }
    for (kind, count) in &status.unreadable {
        out.note(render::visible(&format!("{count} × {kind}")))?;
    }
    Ok(())
}

fn line_of(job: &Job) -> String {
    let state = job.state.name();
    let error = job.last_error.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let tries = match (job.state, job.tries) {
        (JobState::Done, _) | (_, 0) => String::new(),
        (_, tries) => format!(" (try {tries})"),
    };
    format!("job {}: {state}{tries}{error}", job.key)
}

fn line(session: &SessionLine) -> String {
    let why = session.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("session {} {}: {}{why}", session.agent, session.id, session.state)
}
