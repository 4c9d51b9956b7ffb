//! The verbs as the library has them: what every door is compared with.

use std::collections::BTreeSet;
use std::sync::Arc;

use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Page, Scopes, Superseded};
use nuthatch::growth::GrowthRequest;
use nuthatch::guard::examine;
use nuthatch::id::{MemoryId, ProjectId, SessionId};
use nuthatch::learn::{self, LearnRequest, Lesson, Rating};
use nuthatch::preamble::PreambleRequest;
use nuthatch::recall::{Mode, RecallRequest};
use nuthatch::record::RecordRequest;
use nuthatch::remember::RememberRequest;
use nuthatch::remind::{RemindRequest, START_TOKENS};
use nuthatch::session::{Role, Session, Turn};
use nuthatch::trust::Origin;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_stores::{StoreUrl, SystemClock, SystemIds, open};
use serde_json::{Value, json};

use super::{Door, secret};

/// On a store of the kind that the doors have.
pub(super) fn door(store: &str) -> Door {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::parse(store, folder.path()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = runtime.block_on(open(&url)).unwrap();
    let (clock, ids) = (Arc::new(SystemClock), Arc::<SystemIds>::default());
    let engine = Engine::new(store, clock, ids, Rules::default());
    let project = Scope::Project(ProjectId::new("p").unwrap());
    let place = Place::new(engine, project, Scope::Global, jiff::tz::TimeZone::UTC);
    Box::new(move |step| {
        let _alive = &folder;
        let answer = runtime.block_on(by_library(&place, step));
        Some(answer.unwrap_or_else(|error| json!({"kind": error.kind().name()})))
    })
}

async fn by_library(place: &Place, step: &str) -> nuthatch::Result<Value> {
    let engine = place.engine();
    let visible = || Filter::scoped(Scopes::These(place.visible()));
    Ok(match step {
        "remember" | "again" => json!(engine.remember(editor("uses tabs")).await?),
        "refused" => json!(engine.remember(editor(&format!("it is {}", secret()))).await?),
        "recall" => {
            let request =
                RecallRequest { mode: Mode::Text, ..RecallRequest::new("which tabs", visible()) };
            json!(engine.recall(&request).await?)
        }
        "show" | "gone" => json!(engine.show(named(place, "editor").await?).await?),
        "edit" => {
            let mut request = EditRequest::new(named(place, "editor").await?);
            request.content = Some("uses spaces".to_owned());
            json!(engine.edit(request).await?)
        }
        "list" => json!(engine.list(&visible(), Page::first(50)).await?),
        "count" => json!(engine.count(&visible()).await?),
        "preamble" => {
            let request = PreambleRequest {
                scopes: Scopes::These(place.visible()),
                thread: None,
                query: Some("spaces".to_owned()),
                budget_tokens: 500,
            };
            json!(engine.preamble(&request).await?)
        }
        "remind" => {
            let request = RemindRequest {
                scopes: Scopes::These(place.visible()),
                prompt: None,
                given: BTreeSet::new(),
                budget_tokens: START_TOKENS,
                mode: Mode::Hybrid,
            };
            json!(engine.reminded(&request).await?)
        }
        "learn" => super::lesson_of(&strategy(engine, "write the test first").await?),
        "learn again" => super::lesson_of(&strategy(engine, "always write the test first").await?),
        "mistake without fix" => json!(learn::learn(engine, lesson(Lesson::Mistake, "x")).await?),
        "lessons" => {
            let scopes = Scopes::These(place.visible());
            super::lessons_of(&json!(learn::lessons(engine, scopes).await?))
        }
        "rate" => {
            let scopes = Scopes::These(place.visible());
            let id = learn::lessons(engine, scopes).await?[0].id;
            super::lesson_of(&json!(learn::rate(engine, id, Rating::Helpful).await?))
        }
        "note" => json!(engine.note("t", Category::new("host_info")?, "the host is ares")?),
        "record" => json!(engine.record(said(engine)?, &|_, _| ()).await?),
        "forget" => json!(engine.forget(&[named(place, "editor").await?]).await?),
        "missing" => json!(engine.show(named(place, "nowhere").await?).await?),
        other => by_person(place, other).await?,
    })
}

async fn by_person(place: &Place, step: &str) -> nuthatch::Result<Value> {
    let engine = place.engine();
    Ok(match step {
        "seen" => {
            for key in ["odd", "strange"] {
                engine.remember(seen(key)).await?;
            }
            json!({})
        }
        "review" => {
            let mut filter = Filter::scoped(Scopes::These(place.visible()));
            filter.superseded = Superseded::Shown;
            json!(engine.review(&filter).await?)
        }
        "examine" => json!(engine.examine(named(place, "odd").await?).await?),
        "scan" => json!(engine.scan().await?),
        "scan a text" => json!(examine(&format!("it is {}", secret()))),
        "approve" => json!(engine.approve(&[named(place, "odd").await?]).await?),
        "reject" => json!(engine.forget(&[named(place, "strange").await?]).await?),
        "stats" => super::counts_of(&json!(engine.stats().await?)),
        "growth" => {
            let scopes = Scopes::These(place.visible());
            let zone = jiff::tz::TimeZone::UTC;
            super::growth_of(&json!(engine.growth(&GrowthRequest { scopes, days: 2, zone }).await?))
        }
        "health" => super::names_of(&json!(engine.health().await?)),
        "reindex" => json!({"reindexed": engine.reindex(&|_, _| ()).await?}),
        other => panic!("no step {other}"),
    })
}

fn lesson(lesson: Lesson, text: &str) -> LearnRequest {
    let (scope, origin) = (Scope::Global, Origin::Agent);
    LearnRequest { lesson, text: text.to_owned(), fix: None, scope, origin }
}

async fn strategy(engine: &Engine, text: &str) -> nuthatch::Result<Value> {
    Ok(json!(learn::learn(engine, lesson(Lesson::Strategy, text)).await?.memory))
}

fn editor(text: &str) -> RememberRequest {
    RememberRequest {
        key: Some("editor".to_owned()),
        category: Some(Category::new("preference").unwrap()),
        origin: Origin::Agent,
        ..RememberRequest::new(text, Scope::Global)
    }
}

fn seen(key: &str) -> RememberRequest {
    RememberRequest {
        key: Some(key.to_owned()),
        origin: Origin::Tool,
        ..RememberRequest::new(format!("the {key} mirror moved"), Scope::Global)
    }
}

fn said(engine: &Engine) -> nuthatch::Result<RecordRequest> {
    let id = SessionId::new("s-1")?;
    let session = Session::new(id.clone(), engine.now());
    let text = "where is the mirror?".to_owned();
    let turn = Turn { session: id, seq: 0, at: engine.now(), role: Role::User, text, asked: None };
    Ok(RecordRequest::new(session, vec![turn]))
}

async fn named(place: &Place, key: &str) -> nuthatch::Result<MemoryId> {
    let found = place.find(key, place.visible()).await;
    if let Err(error) = &found {
        assert_eq!(error.kind(), Kind::NotFound, "{error}");
    }
    found.map(|found| found.id)
}
