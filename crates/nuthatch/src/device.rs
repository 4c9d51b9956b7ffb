//! `/dev/memory/*`: path-addressed JSON, values in and values out.
//!
//! `commit` writes to the project's or the global memory, `profile` does the same to the
//! user's profile, `recall` searches. A device always answers with a value; what went wrong
//! is in it, together with its kind for doors that have exit codes.

mod fields;

use serde_json::{Value, json};

use crate::edit::EditRequest;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::{Filter, Page, Scopes};
use crate::guard::{Form, sanitise};
use crate::memory::Memory;
use crate::recall::RecallRequest;
use crate::remember::{RememberRequest, Remembered};
use crate::scope::Scope;
use crate::trust::{Origin, Trust};
use fields::Fields;

/// Entries of a snapshot: more than any limit in use, and still a bound.
const SNAPSHOT_ENTRIES: u64 = 10_000;
/// Hits of a device recall, unless asked otherwise.
const MAX_RESULTS: usize = 20;

/// The devices there are.
pub const DEVICES: [&str; 3] = ["/dev/memory/commit", "/dev/memory/recall", "/dev/memory/profile"];

/// Who stands before the device: which project `memory` means, and who is writing.
#[derive(Clone, Debug)]
pub struct DeviceContext {
    /// What the target `memory` means.
    pub project: Scope,
    /// What a recall sees.
    pub visible: Scopes,
    /// Who is writing.
    pub origin: Origin,
}

/// The answer of a device: the value, and what kind of failure it tells of, if any.
#[derive(Debug)]
pub struct DeviceAnswer {
    /// `{ok, message | error | snapshot, entries | used, limit, unit}`; an `add` that made
    /// others go says which in `evicted` and `expired`.
    pub body: Value,
    /// What went wrong, when `ok` is false.
    pub failure: Option<Error>,
}

impl From<Result<Value>> for DeviceAnswer {
    fn from(answer: Result<Value>) -> Self {
        match answer {
            Ok(body) => DeviceAnswer { body, failure: None },
            Err(error) => {
                let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
                let body = json!({"ok": false, "error": format!("{error}{hint}")});
                DeviceAnswer { body, failure: Some(error) }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Action {
    Add,
    Replace,
    Remove,
    Snapshot,
    Capacity,
}

const ACTIONS: [(&str, Action); 5] = [
    ("add", Action::Add),
    ("replace", Action::Replace),
    ("remove", Action::Remove),
    ("snapshot", Action::Snapshot),
    ("capacity", Action::Capacity),
];

#[derive(Clone, Copy)]
enum Target {
    Memory,
    GlobalMemory,
}

const TARGETS: [(&str, Target); 2] =
    [("memory", Target::Memory), ("global_memory", Target::GlobalMemory)];

/// Speaks to the device at `path`. Never fails: a failure is an answer.
pub async fn speak(
    engine: &Engine,
    path: &str,
    body: &Value,
    context: &DeviceContext,
) -> DeviceAnswer {
    match path.trim_end_matches('/') {
        "/dev/memory/commit" => commit(engine, body, context, Scoping::ByTarget).await,
        "/dev/memory/profile" => commit(engine, body, context, Scoping::Profile).await,
        "/dev/memory/recall" => recall(engine, body, context).await,
        _ => Err(Error::not_found("no such device").with_hint(DEVICES.join(", "))),
    }
    .into()
}

/// How a commit finds its scope.
#[derive(Clone, Copy)]
enum Scoping {
    ByTarget,
    Profile,
}

async fn commit(
    engine: &Engine,
    body: &Value,
    context: &DeviceContext,
    scoping: Scoping,
) -> Result<Value> {
    let fields = Fields::of(body, &["action", "target", "content", "old", "new"])?;
    let action = fields.one_of("action", &ACTIONS)?.ok_or_else(|| {
        let names = ACTIONS.map(|(name, _)| name).join(", ");
        Error::invalid("this request needs \"action\"").with_hint(format!("one of {names}"))
    })?;
    let scope = match (scoping, fields.one_of("target", &TARGETS)?) {
        (Scoping::Profile, None) => Scope::User,
        (Scoping::Profile, Some(_)) => {
            return Err(Error::invalid("the profile has no target: it is always the user's"));
        }
        (Scoping::ByTarget, Some(Target::GlobalMemory)) => Scope::Global,
        (Scoping::ByTarget, Some(Target::Memory) | None) => context.project.clone(),
    };
    // A field that this action does not need must still be what it should be.
    for name in ["content", "old", "new"] {
        fields.text(name)?;
    }
    match action {
        Action::Add => add(engine, scope, fields.needed("content")?, context).await,
        Action::Replace => {
            let (old, new) = (fields.needed("old")?, fields.needed("new")?);
            replace(engine, &scope, (old, new), context.origin).await
        }
        Action::Remove => remove(engine, &scope, fields.needed("old")?).await,
        Action::Snapshot => snapshot(engine, scope).await,
        Action::Capacity => capacity(engine, &scope).await,
    }
}

fn form_of(text: &str) -> Form {
    if text.trim().contains('\n') { Form::Note } else { Form::Fact }
}

async fn add(
    engine: &Engine,
    scope: Scope,
    content: &str,
    context: &DeviceContext,
) -> Result<Value> {
    let form = form_of(content);
    let request =
        RememberRequest { form, origin: context.origin, ..RememberRequest::new(content, scope) };
    let remembered = engine.remember(request).await?;
    if !remembered.kept() {
        return Err(Error::conflict("not kept: the limit leaves no room")
            .with_hint("remove something, or raise the limit"));
    }
    let Remembered { memory, duplicate, evicted, expired, .. } = remembered;
    let message = if duplicate { "already known" } else { "added" };
    let mut answer = json!({"ok": true, "message": message, "id": memory.id});
    for (name, ids) in [("evicted", evicted), ("expired", expired)] {
        if !ids.is_empty() {
            answer[name] = json!(ids);
        }
    }
    Ok(answer)
}

/// The one entry of a scope whose text is exactly `text`, or what would be stored of it: an
/// agent may well remember what it said better than what became of it.
async fn entry(engine: &Engine, scope: &Scope, text: &str) -> Result<Memory> {
    let mut filter = Filter::scoped(Scopes::These(vec![scope.clone()]));
    let stored = [form_of(text), Form::Fact].map(|form| sanitise(text, form).ok());
    for wanted in [Some(text.to_owned())].into_iter().chain(stored).flatten() {
        filter.contents = vec![wanted];
        let listed = engine.list(&filter, Page::first(1)).await?;
        if let Some(memory) = listed.memories.into_iter().next() {
            return Ok(memory);
        }
    }
    Err(Error::not_found("no entry is exactly that text")
        .with_hint("take the text from a snapshot; it must match from end to end"))
}

async fn replace(
    engine: &Engine,
    scope: &Scope,
    (old, new): (&str, &str),
    origin: Origin,
) -> Result<Value> {
    let memory = entry(engine, scope, old).await?;
    let mut request = EditRequest::new(memory.id);
    request.form = Some(form_of(new));
    request.origin = origin;
    request.content = Some(new.to_owned());
    request.expected = Some(memory.updated_at);
    let edited = engine.edit(request).await?;
    Ok(json!({"ok": true, "message": "replaced", "id": edited.memory.id}))
}

async fn remove(engine: &Engine, scope: &Scope, old: &str) -> Result<Value> {
    let memory = entry(engine, scope, old).await?;
    engine.forget(&[memory.id]).await?;
    Ok(json!({"ok": true, "message": "removed", "id": memory.id}))
}

async fn snapshot(engine: &Engine, scope: Scope) -> Result<Value> {
    let mut filter = Filter::scoped(Scopes::These(vec![scope]));
    let all = engine.count(&filter).await?;
    // A snapshot goes into a prompt as it is: nothing that waits for a person enters it.
    filter.min_trust = Some(Trust::Inferred);
    let mut listed = engine.list(&filter, Page::first(SNAPSHOT_ENTRIES)).await?;
    // Oldest first, as they were added: a snapshot that only grows at its end keeps prompt
    // caches warm.
    listed.memories.reverse();
    let waiting = all - listed.total.min(all);
    let entries: Vec<String> = listed.memories.into_iter().map(|memory| memory.content).collect();
    let mut answer = json!({"ok": true, "snapshot": entries.join("\n"), "entries": entries});
    if waiting > 0 {
        answer["quarantined"] = json!(waiting);
    }
    Ok(answer)
}

/// Characters where characters are limited, entries elsewhere; the answer says which.
async fn capacity(engine: &Engine, scope: &Scope) -> Result<Value> {
    let limits = engine.limits_of(scope);
    let usage = engine.usage(scope).await?;
    let by_chars =
        limits.chars.bound().is_some() || matches!(scope, Scope::Project(_) | Scope::User);
    let (used, limit, unit) = if by_chars {
        (usage.chars, limits.chars.bound(), "characters")
    } else {
        (usage.entries, limits.entries.bound(), "entries")
    };
    Ok(json!({"ok": true, "used": used, "limit": limit, "unit": unit}))
}

async fn recall(engine: &Engine, body: &Value, context: &DeviceContext) -> Result<Value> {
    let fields = Fields::of(body, &["query", "max_results", "summarize"])?;
    let summarize = fields.flag("summarize")?;
    let recalled = engine
        .recall(&RecallRequest {
            limit: fields.count("max_results")?.unwrap_or(MAX_RESULTS),
            ..RecallRequest::new(fields.needed("query")?, Filter::scoped(context.visible.clone()))
        })
        .await?;
    let mut answer = json!({"ok": true, "entries": recalled.hits});
    if summarize {
        answer["message"] = json!("no model is configured: these are the passages themselves");
    }
    Ok(answer)
}
