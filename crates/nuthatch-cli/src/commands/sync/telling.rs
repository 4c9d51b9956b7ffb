//! What a sync did, in words: what came where, what both sides had changed, what was left.
//! Texts of memories are not among them; `nuthatch show` has those.

use nuthatch::error::Result;
use nuthatch::sync::{Came, Side, SyncConflict, Synced};

use super::Answer;
use crate::output::Output;
use crate::render;

pub fn tell(answer: &Answer, there: &str, out: &mut Output) -> Result<()> {
    let Answer { synced, embedding } = answer;
    let done = if synced.dry_run { "would come" } else { "came" };
    if synced.here.all() + synced.there.all() == 0 {
        out.say(format_args!("in step with {there}"))?;
    } else {
        out.say(format_args!("{done} here: {}", counted(&synced.here)))?;
        out.say(format_args!("{done} to {there}: {}", counted(&synced.there)))?;
    }
    out.note(format_args!("the same on both sides: {}", render::memories(synced.same)))?;
    synced.conflicts.iter().try_for_each(|conflict| tell_conflict(conflict, out))?;
    tell_rest(synced, out)?;
    embedding.iter().try_for_each(|following| out.note(following))
}

fn counted(came: &Came) -> String {
    let Came { new, changed, forgotten } = came;
    format!("{new} new, {changed} changed, {forgotten} forgotten")
}

fn tell_conflict(conflict: &SyncConflict, out: &mut Output) -> Result<()> {
    let SyncConflict { id, fields, kept } = conflict;
    let whose = match kept {
        Side::Here => "this side's",
        Side::There => "the other's",
    };
    let fields = fields.join(", ");
    out.warn(format_args!("{id} was changed on both sides ({fields}): {whose} holds"))?;
    out.note(format_args!("`nuthatch show {id}` has what the other one said"))
}

fn tell_rest(synced: &Synced, out: &mut Output) -> Result<()> {
    if synced.held_back > 0 {
        out.note(format_args!("quarantined, and left as they are: {}", synced.held_back))?;
    }
    if synced.pushed_out > 0 {
        out.note(format_args!(
            "pushed out by one side, and not brought back: {}; --afresh brings them",
            synced.pushed_out
        ))?;
    }
    if synced.quarantined > 0 {
        out.note(format_args!(
            "quarantined: {}; `nuthatch review` shows them",
            synced.quarantined
        ))?;
    }
    for (reason, count) in &synced.refused {
        out.warn(format_args!("refused {count}: {reason}"))?;
    }
    Ok(())
}
