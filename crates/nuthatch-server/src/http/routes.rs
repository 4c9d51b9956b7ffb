//! The table of routes. What stands here is served, documented and tested.
//!
//! A route names its verb and nothing more; how it is carried out is in `endpoint`.

mod memory;

use axum::http::StatusCode;
use nuthatch::Place;
use nuthatch::forget::Forgotten;
use nuthatch::session_context::SessionEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::Endpoint;
use crate::verbs::memory_tool::ToolCall;
use crate::verbs::{
    browse, edit, forget, growth, learn, list, note, preamble, recall, record, remember, remind,
    review, scan, sessions, show, stats, supersede,
};

/// No arguments.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// A thread by its name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ThreadArgs {
    /// The name of a conversation.
    thread: String,
}

/// A stored conversation by its id.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneSession {
    /// The id of a conversation.
    id: String,
}

/// A page of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TurnsArgs {
    /// The id of a conversation.
    id: String,
    /// At most so many. Default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    /// Leave out so many first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// One memory to forget.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ForgetOne {
    /// The id or the key of a memory.
    id: String,
    /// The scope of the key, where several have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

/// Everything under `/v1`.
#[must_use]
pub fn all() -> Vec<Endpoint> {
    [
        memories(),
        looking(),
        learning(),
        threads(),
        conversations(),
        reviewing(),
        memory::all(),
        store(),
    ]
    .concat()
}

fn memories() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST /v1/memories",
            "Store a memory; the same text in the same scope is the same memory",
            |place: Place, args| async move { remember::remember(&place, args).await },
        )
        .named("remember")
        .answering(StatusCode::CREATED),
        Endpoint::new(
            "GET /v1/memories",
            "List memories, newest first",
            |place: Place, args| async move { list::list(&place, args).await },
        )
        .named("list"),
        Endpoint::new("GET /v1/count", "Count memories", |place: Place, args| async move {
            list::count(&place, args).await
        })
        .named("count"),
        Endpoint::new(
            "POST /v1/recall",
            "Find memories again, best first",
            |place: Place, args| async move { recall::recall(&place, args).await },
        )
        .named("recall"),
        Endpoint::new(
            "GET /v1/memories/{id}",
            "Show one memory, by id or key, with everything it said before",
            |place: Place, args| async move { show::show(&place, args).await },
        )
        .named("show")
        .of_memory(),
        Endpoint::new(
            "PATCH /v1/memories/{id}",
            "Change a memory, keeping what it said",
            |place: Place, args| async move { edit::edit(&place, args).await },
        )
        .named("edit")
        .of_memory(),
        Endpoint::new(
            "DELETE /v1/memories/{id}",
            "Remove a memory and everything it ever said",
            |place: Place, args: ForgetOne| async move {
                let args = forget::ForgetArgs { ids: vec![args.id], scope: args.scope };
                forget::forget(&place, args).await
            },
        )
        .named("forget"),
        Endpoint::new(
            "POST /v1/forget",
            "Remove several memories at once, all or none",
            |place: Place, args| async move {
                let gone: Forgotten = forget::forget(&place, args).await?;
                Ok(gone)
            },
        )
        .named("forgetSeveral"),
        Endpoint::new(
            "GET /v1/preamble",
            "The block of memory for a prompt: persistent first, session context last",
            |place: Place, args| async move { preamble::preamble(&place, args, None).await },
        )
        .named("preamble"),
        Endpoint::new(
            "POST /v1/memory-tool",
            "Carry out a command of the memory tool memory_20250818 on /memories",
            |place: Place, args: ToolCall| async move { args.run(&place).await },
        )
        .named("memoryTool"),
    ]
}

fn learning() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST /v1/lessons",
            "Keep what work taught; nearly the same again is the same lesson",
            |place: Place, args| async move { learn::learn(&place, args).await },
        )
        .named("learn")
        .answering(StatusCode::CREATED),
        Endpoint::new(
            "GET /v1/lessons",
            "What was learnt here, the most helpful first",
            |place: Place, _: Nothing| async move { learn::lessons(&place).await },
        )
        .named("lessons"),
        Endpoint::new(
            "POST /v1/lessons/{id}/rating",
            "Count a lesson as helpful or harmful",
            |place: Place, args| async move { learn::rate(&place, args).await },
        )
        .named("rate"),
    ]
}

fn looking() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST /v1/browse",
            "Look through memories as their owner: by words, scope, trust, agent and time",
            |place: Place, args| async move { browse::browse(&place, args).await },
        )
        .named("browse"),
        Endpoint::new(
            "POST /v1/memories/{id}/supersede",
            "Mark a memory as replaced by another, or as current again",
            |place: Place, args| async move { supersede::supersede(&place, args).await },
        )
        .named("supersede"),
        Endpoint::new(
            "POST /v1/injected",
            "What would be put in front of a prompt, line by line with its price",
            |place: Place, args| async move { preamble::priced(&place, args).await },
        )
        .named("injected"),
        Endpoint::new(
            "POST /v1/reminded",
            "What an agent's hook would say at a prompt, and why each memory is in it or not",
            |place: Place, args| async move { remind::remind(&place, args).await },
        )
        .named("remind"),
        Endpoint::new(
            "GET /v1/growth",
            "How memory grew and was used, day by day",
            |place: Place, args| async move { growth::growth(&place, args).await },
        )
        .named("growth"),
    ]
}

fn threads() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST /v1/threads/{thread}",
            "Note something for a running conversation: in RAM, for it alone",
            |place: Place, args| async move {
                let noted: SessionEntry = note::note(&place, args, None)?;
                Ok(noted)
            },
        )
        .named("note")
        .answering(StatusCode::CREATED),
        Endpoint::new(
            "GET /v1/threads/{thread}",
            "What a running conversation noted, oldest first",
            |place: Place, args: ThreadArgs| async move { note::notes(&place, args.thread) },
        )
        .named("notes"),
        Endpoint::new(
            "DELETE /v1/threads/{thread}",
            "End a conversation: what it noted is gone",
            |place: Place, args: ThreadArgs| async move {
                place.engine().end_thread(&args.thread);
                Ok(Nothing::default())
            },
        )
        .named("endThread")
        .answering(StatusCode::NO_CONTENT),
    ]
}

fn conversations() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST /v1/sessions",
            "The conversation of a channel and a user: the same id until it expires",
            |place: Place, args| async move { sessions::session(&place, args).await },
        )
        .named("session"),
        Endpoint::new(
            "GET /v1/sessions",
            "Conversations, last active first",
            |place: Place, args| async move { sessions::sessions(&place, args).await },
        )
        .named("sessions"),
        Endpoint::new(
            "GET /v1/sessions/{id}/turns",
            "What was said in a conversation",
            |place: Place, args: TurnsArgs| async move {
                let page = sessions::PageArgs { limit: args.limit, offset: args.offset };
                sessions::turns(&place, args.id, page).await
            },
        )
        .named("turns"),
        Endpoint::new(
            "DELETE /v1/sessions/{id}",
            "Remove a conversation, its turns and the memories of its scope",
            |place: Place, args: OneSession| async move {
                sessions::forget_session(&place, args.id).await
            },
        )
        .named("forgetSession"),
        Endpoint::new(
            "POST /v1/sessions/{id}/turns",
            "Record what was said in a conversation; the same again changes nothing",
            |place: Place, args| async move { record::record(&place, args).await },
        )
        .named("record"),
    ]
}

fn reviewing() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "GET /v1/review",
            "What is quarantined, and why",
            |place: Place, args| async move { review::review(&place, args).await },
        )
        .named("review"),
        Endpoint::new(
            "GET /v1/review/{id}",
            "One memory with what speaks against it; secrets in it are struck out",
            |place: Place, args| async move { review::examine(&place, args).await },
        )
        .named("examine"),
        Endpoint::new(
            "POST /v1/review/approve",
            "Let memories into prompts: they count as the user's own word",
            |place: Place, args| async move { review::approve(&place, args).await },
        )
        .named("approve"),
        Endpoint::new(
            "POST /v1/review/reject",
            "Forget memories that wait, and everything they ever said",
            |place: Place, args| async move { review::reject(&place, args).await },
        )
        .named("reject"),
        Endpoint::new(
            "POST /v1/scan",
            "What the gate makes of a text, which is not kept",
            |_: Place, args| async move { Ok(scan::text(&args)) },
        )
        .named("scanText"),
        Endpoint::new(
            "GET /v1/scan",
            "Look again at everything that is stored, by the rules of today",
            |place: Place, _: Nothing| async move { scan::scan(&place).await },
        )
        .named("scan"),
    ]
}

fn store() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "GET /v1/stats",
            "Say what is in the store",
            |place: Place, _: Nothing| async move { stats::stats(&place).await },
        )
        .named("stats"),
        Endpoint::new("GET /v1/health", "Look for damage", |place: Place, _: Nothing| async move {
            stats::health(&place).await
        })
        .named("health"),
        Endpoint::new(
            "POST /v1/reindex",
            "Build everything derived anew, or only the vectors that are missing",
            |place: Place, args| async move { stats::reindex(&place, args).await },
        )
        .named("reindex"),
    ]
}
