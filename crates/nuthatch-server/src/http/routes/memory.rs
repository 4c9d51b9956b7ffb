//! The routes of autonomous memory.
//!
//! What they mean is in `verbs/memory.rs`.

use nuthatch::Place;

use super::Nothing;
use crate::http::endpoint::Endpoint;
use crate::verbs::memory;

/// Everything under `/v1/memory`, and what addresses name.
pub(super) fn all() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "GET /v1/memory/status",
            "How autonomous memory stands: jobs, and sessions with why they are skipped",
            |place: Place, args| async move { memory::status(&place, args).await },
        )
        .named("memoryStatus"),
        Endpoint::new("GET /v1/memory/jobs", "Every job", |place: Place, _: Nothing| async move {
            memory::jobs(&place).await
        })
        .named("memoryJobs"),
        Endpoint::new(
            "POST /v1/memory/run",
            "Learn from sessions now and renew the documents, or say what that would cost",
            |place: Place, args| async move { memory::run(&place, args).await },
        )
        .named("memoryRun"),
        Endpoint::new(
            "GET /v1/memory/view",
            "Exactly what is put in at the start of a session",
            |place: Place, _: Nothing| async move { memory::view(&place) },
        )
        .named("memoryView"),
        Endpoint::new(
            "GET /v1/memory/log",
            "The sets of documents that are kept, newest first",
            |place: Place, _: Nothing| async move { memory::log(&place) },
        )
        .named("memoryLog"),
        Endpoint::new(
            "GET /v1/memory/diff",
            "What is different between two sets of documents",
            |place: Place, args| async move { memory::diff(&place, args) },
        )
        .named("memoryDiff"),
        Endpoint::new(
            "POST /v1/memory/undo",
            "Publish an earlier set of documents again",
            |place: Place, args| async move { memory::undo(&place, args) },
        )
        .named("memoryUndo"),
        Endpoint::new(
            "POST /v1/memory/enqueue",
            "Let the documents of this project be made anew at the next run",
            |place: Place, _: Nothing| async move { memory::enqueue(&place).await },
        )
        .named("memoryEnqueue"),
        Endpoint::new(
            "POST /v1/memory/rebuild",
            "Make the documents of this project anew",
            |place: Place, _: Nothing| async move { memory::rebuild(&place).await },
        )
        .named("memoryRebuild"),
        Endpoint::new(
            "POST /v1/memory/clear",
            "Remove what was learnt about this project, and its documents",
            |place: Place, args| async move { memory::clear(&place, args).await },
        )
        .named("memoryClear"),
        Endpoint::new(
            "GET /v1/memory/spend",
            "What models cost",
            |place: Place, _: Nothing| async move { memory::spend(&place) },
        )
        .named("memorySpend"),
        Endpoint::new(
            "GET /v1/read",
            "What an address such as memory://root/MEMORY.md names",
            |place: Place, args| async move { memory::read(&place, args).await },
        )
        .named("read"),
    ]
}
