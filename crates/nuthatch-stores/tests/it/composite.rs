//! Several stores behind one: each answers for its own scopes, whatever else is in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use nuthatch::category::Category;
use nuthatch::change::{Applied, Change, ChangeSet, Outcome, Patch, Remember, Said};
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Page, Scopes};
use nuthatch::id::{ChangeSetId, MemoryId, ProjectId, SessionId};
use nuthatch::limits::{Limits, ScopeLimits};
use nuthatch::memory::{Memory, Record};
use nuthatch::recall::{Hit, Mode, RecallRequest};
use nuthatch::scope::ScopeKind;
use nuthatch::store::{Severity, Store};
use nuthatch::{Engine, Rules};
use nuthatch_stores::{CompositeStore, InMemoryStore, Reach, Route, SystemClock, SystemIds};
use uuid::Uuid;

use crate::places::block_on;

fn id(n: u128) -> MemoryId {
    MemoryId(Uuid::from_u128(n))
}

fn at(n: u128) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(i64::try_from(n).unwrap())
}

fn set(n: u128, changes: Vec<Change>) -> ChangeSet {
    ChangeSet::unguarded(ChangeSetId(Uuid::from_u128(n)), at(n), changes)
}

fn memory(n: u128, text: &str, scope: &str) -> Memory {
    Memory::new(id(n), text, scope.parse().unwrap(), at(n))
}

fn remembering(memory: Memory) -> Change {
    let (limits, supersedes) = (ScopeLimits::NONE, Vec::new());
    Change::Remember(Box::new(Remember { memory, limits, supersedes, said: Said::default() }))
}

fn restoring(memory: Memory) -> Change {
    Change::Restore(Box::new(Record { memory, versions: Vec::new() }))
}

async fn apply(store: &dyn Store, n: u128, changes: Vec<Change>) -> Applied {
    store.apply(&set(n, changes)).await.unwrap()
}

async fn texts(store: &dyn Store) -> Vec<String> {
    let listed = store.list(&Filter::everything(), Page::first(1000)).await.unwrap();
    assert_eq!(listed.total as usize, listed.memories.len());
    listed.memories.into_iter().map(|memory| memory.content).collect()
}

fn touched(ids: &[u128]) -> Outcome {
    Outcome::Touched { ids: ids.iter().map(|n| id(*n)).collect() }
}

/// A default store and one for a kind, with handles on both.
struct Pair {
    default: Arc<InMemoryStore>,
    own: Arc<InMemoryStore>,
    both: Arc<CompositeStore>,
}

impl Pair {
    fn new(kind: ScopeKind, reach: Reach) -> Pair {
        let (default, own): (Arc<InMemoryStore>, Arc<InMemoryStore>) = Default::default();
        let routes = BTreeMap::from([(kind, Route { store: own.clone(), reach })]);
        let both = Arc::new(CompositeStore::routed(default.clone(), routes));
        Pair { default, own, both }
    }

    fn of_project(name: &str) -> Pair {
        Pair::new(ScopeKind::Project, Reach::Only(ProjectId::new(name).unwrap()))
    }
}

/// A store for project `a` that also speaks for everybody else.
async fn hostile() -> Pair {
    let pair = Pair::of_project("a");
    let foreign = ["global", "user", "project:b", "session:s", "plan:a:r"];
    let foreign = foreign.iter().zip(10..).map(|(scope, n)| {
        let mut memory = memory(n, &format!("lantern of {scope}"), scope);
        memory.category = Category::daily();
        remembering(memory)
    });
    apply(&*pair.own, 1, foreign.collect()).await;
    apply(&*pair.both, 2, vec![remembering(memory(1, "the lantern", "project:a"))]).await;
    pair
}

#[test]
fn what_a_store_is_not_asked_for_is_not_there() {
    block_on(async {
        let Pair { own, both, .. } = hostile().await;
        assert_eq!(texts(&*own).await.len(), 6);
        assert_eq!(texts(&*both).await, ["the lantern"]);
        let ids: Vec<MemoryId> = (10..15).map(id).chain([id(1)]).collect();
        let found = both.memories(&ids).await.unwrap();
        assert_eq!(found.iter().map(|memory| memory.id).collect::<Vec<_>>(), [id(1)]);
        let request = RecallRequest {
            mode: Mode::Text,
            ..RecallRequest::new("lantern", Filter::scoped(Scopes::All))
        };
        let hits = engine(both.clone()).recall(&request).await.unwrap().hits;
        assert_eq!(hits.iter().filter_map(Hit::memory).collect::<Vec<_>>(), [id(1)]);
        let stats = both.stats().await.unwrap();
        assert_eq!((stats.memories, stats.scopes.len()), (1, 1));
        assert_eq!(stats.categories, [("core".to_owned(), 1)]);
    });
}

fn engine(store: Arc<CompositeStore>) -> Engine {
    let rules = Rules::limited(Limits::NONE);
    Engine::new(store, Arc::new(SystemClock), Arc::new(SystemIds::default()), rules)
}

#[test]
fn no_change_reaches_what_a_store_is_not_asked_for() {
    block_on(async {
        let Pair { own, both, .. } = hostile().await;
        let foreign: Vec<u128> = (10..15).collect();
        let ids: Vec<MemoryId> = foreign.iter().map(|n| id(*n)).collect();
        let changes = vec![
            Change::Use { ids: ids.clone() },
            Change::Forget { ids: ids.clone() },
            Change::Expire { category: Category::daily(), before: at(100) },
        ];
        let applied = apply(&*both, 3, changes).await;
        assert_eq!(applied.outcomes, [touched(&[]), touched(&[]), touched(&[])]);
        let another = remembering(memory(3, "a tallow", "project:a"));
        let applied = apply(&*both, 5, vec![Change::Forget { ids: ids.clone() }, another]).await;
        assert_eq!(applied.outcomes[0], touched(&[]));
        let found = own.memories(&ids).await.unwrap();
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|memory| memory.used == 0));
        let edit = nuthatch::change::Edit {
            id: id(10),
            expected: None,
            limits: ScopeLimits::NONE,
            patch: Patch { content: Some("mine".into()), ..Patch::default() },
        };
        let mut replacing = memory(2, "another lantern", "project:a");
        replacing.trust = nuthatch::trust::Trust::Confirmed;
        let replacing = Remember {
            memory: replacing,
            limits: ScopeLimits::NONE,
            supersedes: vec![id(12)],
            said: Said::default(),
        };
        for change in [
            Change::Edit(Box::new(edit)),
            Change::Remember(Box::new(replacing)),
            Change::Supersede { old: id(10), by: None },
            Change::Supersede { old: id(1), by: Some(id(11)) },
        ] {
            let refused = both.apply(&set(4, vec![change])).await.unwrap_err();
            assert_eq!(refused.kind(), Kind::NotFound);
        }
        assert_eq!(texts(&*own).await.len(), 7);
    });
}

#[test]
fn expiry_in_a_store_spares_what_it_is_not_asked_for() {
    block_on(async {
        let Pair { own, both, .. } = hostile().await;
        let mut daily = memory(20, "rained", "project:a");
        daily.category = Category::daily();
        apply(&*both, 3, vec![remembering(daily)]).await;
        let expire = Change::Expire { category: Category::daily(), before: at(100) };
        let applied = apply(&*both, 4, vec![expire]).await;
        assert_eq!(applied.outcomes, [touched(&[20])]);
        assert_eq!(texts(&*own).await.len(), 6);
    });
}

#[test]
fn a_check_tells_how_much_is_not_asked_for_and_not_what() {
    block_on(async {
        let Pair { both, .. } = hostile().await;
        let findings = both.check().await.unwrap();
        let told: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Warning).collect();
        assert_eq!(told.len(), 1);
        assert_eq!(
            told[0].detail,
            "5 memories of global, plan, project, session, user that this store is not asked for"
        );
    });
}

#[test]
fn other_projects_stay_in_the_default_store() {
    block_on(async {
        let Pair { default, own, both } = Pair::of_project("a");
        let of = |n, scope| remembering(memory(n, scope, scope));
        apply(&*both, 1, vec![of(1, "project:a"), of(2, "project:b"), of(3, "plan:a:r")]).await;
        assert_eq!(texts(&*own).await, ["project:a"]);
        assert_eq!(texts(&*default).await, ["plan:a:r", "project:b"]);
        assert_eq!(texts(&*both).await, ["plan:a:r", "project:b", "project:a"]);
    });
}

#[test]
fn a_copy_left_behind_in_the_default_store_is_not_seen_twice() {
    block_on(async {
        let Pair { default, own, both } = Pair::of_project("a");
        let all = vec![
            restoring(memory(1, "of a", "project:a")),
            restoring(memory(2, "of everybody", "global")),
        ];
        apply(&*default, 1, all.clone()).await;
        apply(&*own, 1, all).await;
        assert_eq!(texts(&*both).await, ["of everybody", "of a"]);
        let stats = both.stats().await.unwrap();
        let scopes: Vec<_> = stats.scopes.iter().map(|usage| usage.scope.to_string()).collect();
        assert_eq!((stats.memories, scopes), (2, vec!["global".into(), "project:a".into()]));
        let applied = apply(&*both, 2, vec![Change::Forget { ids: vec![id(1), id(2)] }]).await;
        assert_eq!(applied.outcomes, [touched(&[1, 2])]);
        assert!(texts(&*both).await.is_empty());
    });
}

#[test]
fn the_only_full_match_is_recalled_from_however_small_a_store() {
    block_on(async {
        let Pair { both, .. } = Pair::of_project("a");
        let step = |n: u128| remembering(memory(n, &format!("deploy step {n}"), "global"));
        let other = |n: u128| remembering(memory(n, &format!("something else {n}"), "global"));
        apply(&*both, 1, (1..=60).map(step).chain((61..=200).map(other)).collect()).await;
        let vault = memory(500, "the deploy key is in the vault", "project:a");
        apply(&*both, 2, vec![remembering(vault)]).await;
        let request = RecallRequest {
            mode: Mode::Text,
            ..RecallRequest::new("deploy key vault", Filter::scoped(Scopes::All))
        };
        let hits = engine(both).recall(&request).await.unwrap().hits;
        assert_eq!(hits[0].memory(), Some(id(500)));
    });
}

#[test]
fn a_set_sent_again_names_the_same_memories() {
    block_on(async {
        let Pair { both, .. } = Pair::of_project("a");
        let of = |n, scope| remembering(memory(n, &format!("number {n}"), scope));
        apply(&*both, 1, vec![of(1, "project:a"), of(2, "global"), of(3, "project:a")]).await;
        let mixed = set(
            2,
            vec![
                Change::Forget { ids: vec![id(1)] },
                Change::Use { ids: vec![id(2), id(3), id(1), id(9)] },
                of(4, "global"),
                Change::Forget { ids: vec![id(2), id(9)] },
                of(5, "project:a"),
                Change::Forget { ids: vec![id(5)] },
            ],
        );
        let first = both.apply(&mixed).await.unwrap();
        assert_eq!(first.outcomes[1], touched(&[2, 3]));
        assert_eq!(both.apply(&mixed).await.unwrap(), first);
        assert_eq!(texts(&*both).await, ["number 4", "number 3"]);
    });
}

#[test]
fn expired_sessions_take_their_memories_from_another_store() {
    block_on(async {
        let Pair { own, both, .. } = Pair::new(ScopeKind::Session, Reach::Kind);
        let thread = SessionId::new("thread").unwrap();
        let (channel, user) = ("cli".to_owned(), "me".to_owned());
        let open = Change::OpenSession { channel, user, fresh: thread.clone() };
        let mut pinned = memory(1, "of the thread", "session:thread");
        pinned.pinned = true;
        let other = memory(2, "of another", "session:another");
        apply(&*both, 1, vec![open, remembering(pinned), remembering(other)]).await;
        assert_eq!(texts(&*own).await.len(), 2);
        let expire = set(2, vec![Change::ExpireSessions { idle_since: at(100) }]);
        let gone = [Outcome::SessionsGone { ids: vec![thread] }];
        assert_eq!(both.apply(&expire).await.unwrap().outcomes, gone);
        assert_eq!(texts(&*both).await, ["of another"]);
        assert_eq!(both.apply(&expire).await.unwrap().outcomes, gone);
    });
}

#[test]
fn a_memory_that_moves_is_put_before_it_is_removed() {
    block_on(async {
        let Pair { default, own, both } = Pair::of_project("a");
        apply(&*both, 1, vec![restoring(memory(1, "moves", "global"))]).await;
        apply(&*both, 2, vec![restoring(memory(1, "moves", "project:a"))]).await;
        assert_eq!((texts(&*default).await.len(), texts(&*own).await.len()), (0, 1));
        apply(&*both, 3, vec![restoring(memory(1, "moves", "global"))]).await;
        assert_eq!((texts(&*default).await.len(), texts(&*own).await.len()), (1, 0));
        // As a crash between the two steps leaves it: in both.
        apply(&*own, 4, vec![restoring(memory(1, "moves", "project:a"))]).await;
        apply(&*both, 5, vec![restoring(memory(1, "moves", "project:a"))]).await;
        assert_eq!((texts(&*default).await.len(), texts(&*own).await.len()), (0, 1));
    });
}
