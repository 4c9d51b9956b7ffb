//! Conversations: one per channel and user, listed by activity, forgotten whole.

use jiff::{SignedDuration, Timestamp};
use nuthatch::change::{Change, Outcome};
use nuthatch::filter::{Filter, Page};
use nuthatch::id::SessionId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};
use tokio::task::JoinSet;

use super::bench::Bench;
use super::probe::{Probe, gone, must, opening, session_id, sorted};
use crate::generate;

pub(super) fn putting(session: &Session) -> Change {
    Change::PutSession(Box::new(session.clone()))
}

pub(super) fn turn(session: &SessionId, seq: u64, text: &str, at: Timestamp) -> Turn {
    Turn { session: session.clone(), seq, at, role: Role::User, text: text.into(), asked: None }
}

pub async fn one_channel_and_user_have_one_session(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.open_session("telegram", "42", "fresh-1").await;
    let at = probe.now();
    let expected = Session {
        channel: Some("telegram".into()),
        user: Some("42".into()),
        ..Session::new(session_id("fresh-1"), at)
    };
    assert_eq!(first, expected);
    let again = probe.open_session("telegram", "42", "fresh-2").await;
    assert_eq!(again.id, first.id);
    let probe = probe.reopen(bench).await;
    assert_eq!(probe.open_session("telegram", "42", "fresh-3").await.id, first.id);
    assert_eq!(probe.sessions().await.len(), 1);
}

/// Exactly: neither case, nor where one name ends and the other begins.
pub async fn other_channels_and_users_have_other_sessions(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let pairs = [("a", "bc"), ("ab", "c"), ("a", "BC"), ("A", "bc"), ("a:b", "c"), ("a", "b:c")];
    for (n, (channel, user)) in pairs.into_iter().enumerate() {
        let session = probe.open_session(channel, user, &format!("fresh-{n}")).await;
        assert_eq!(session.id.as_str(), format!("fresh-{n}"));
    }
    assert_eq!(probe.sessions().await.len(), pairs.len());
}

pub async fn opening_a_session_renews_it(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = probe.open_session("telegram", "42", "fresh-1").await;
    let last_active_at = probe.clock().advance(SignedDuration::from_hours(5));
    let again = probe.open_session("telegram", "42", "fresh-2").await;
    assert_eq!(again, Session { last_active_at, ..first });
    assert_eq!(probe.sessions().await, [again]);
}

pub async fn a_session_opened_by_many_at_once_is_one(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        let store = if n % 2 == 0 { probe.handle() } else { probe.again(bench).await.handle() };
        let set = probe.set(vec![opening("telegram", "42", &format!("fresh-{n}"))]);
        tasks.spawn(async move { must("opening a session", store.apply(&set).await) });
    }
    let mut ids = Vec::new();
    for applied in tasks.join_all().await {
        match &applied.outcomes[..] {
            [Outcome::Session(session)] => ids.push(session.id.clone()),
            other => panic!("opening a session answered {other:?}"),
        }
    }
    ids.dedup();
    assert_eq!((ids.len(), probe.sessions().await.len()), (1, 1));
}

pub async fn every_field_of_a_session_comes_back(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut batch: Vec<Session> = (0..40).map(generate::session).collect();
    probe.apply(batch.iter().map(putting).collect()).await;
    let probe = probe.reopen(bench).await;
    let mut found = probe.sessions().await;
    batch.sort_by(|a, b| a.id.cmp(&b.id));
    found.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(found, batch);
}

pub async fn a_session_put_again_is_replaced(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let first = Session { title: Some("ships".into()), ..generate::session(3) };
    probe.apply(vec![putting(&first)]).await;
    let turns = generate::turns(3, &first.id, 2);
    probe.apply(vec![Change::PutTurns { turns: turns.clone() }]).await;
    let second = Session { title: None, agent: Some("codex".into()), ..first };
    probe.apply(vec![putting(&second)]).await;
    let found = must("reading turns", probe.store().turns(&second.id, Page::first(9)).await);
    assert_eq!(found, turns, "its turns stay");
    assert_eq!(probe.sessions().await, [second]);
}

pub async fn sessions_are_listed_last_active_first(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for n in [3, 1, 4, 0, 2] {
        let at = probe.now() + SignedDuration::from_hours(n);
        let session = Session {
            last_active_at: at,
            ..Session::new(session_id(&format!("s{n}")), probe.now())
        };
        probe.apply(vec![putting(&session)]).await;
    }
    let names =
        |sessions: Vec<Session>| sessions.into_iter().map(|s| s.id.to_string()).collect::<Vec<_>>();
    assert_eq!(names(probe.sessions().await), ["s4", "s3", "s2", "s1", "s0"]);
    for (offset, limit, expected) in
        [(0, 2, &["s4", "s3"][..]), (2, 2, &["s2", "s1"]), (4, u64::MAX, &["s0"]), (5, 2, &[])]
    {
        let page = must("listing", probe.store().sessions(Page { offset, limit }).await);
        assert_eq!(names(page), expected);
    }
}

/// What came in parts, or comes again with less known of it, loses nothing.
pub async fn a_session_that_goes_on_keeps_what_was_known_of_it(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let at = probe.now();
    let hour = SignedDuration::from_hours(1);
    let mut first = Session {
        title: Some("the move".into()),
        agent: Some("codex".into()),
        ..Session::new(session_id("talk"), at)
    };
    first.metadata.insert("place".into(), "here".into());
    let mut later = Session { started_at: at + hour, ..Session::new(first.id.clone(), at + hour) };
    later.metadata.insert("mark".into(), "7".into());
    let renewing = |session: &Session| Change::RenewSession(Box::new(session.clone()));
    probe.apply(vec![renewing(&first)]).await;
    probe.apply(vec![renewing(&later)]).await;
    let mut expected = Session { last_active_at: at + hour, ..first };
    expected.metadata.insert("mark".into(), "7".into());
    let probe = probe.reopen(bench).await;
    assert_eq!(probe.sessions().await, [expected]);
}

/// Two sessions with a turn and a memory of their scope each, and a memory said in the first.
async fn two_threads(probe: &Probe) -> [SessionId; 2] {
    let ids = [session_id("thread"), session_id("thread-2")];
    for id in &ids {
        let at = probe.tick();
        let session = Session {
            channel: Some("cli".into()),
            user: Some(id.to_string()),
            ..Session::new(id.clone(), at)
        };
        let memory =
            Memory { scope: Scope::Session(id.clone()), ..probe.memory(format!("of {id}")) };
        probe.say(memory).await;
        let turns = vec![turn(id, 0, "hello", at), turn(id, 1, "bye", at)];
        probe.apply(vec![putting(&session), Change::PutTurns { turns }]).await;
    }
    let said = Memory { session_id: Some(ids[0].clone()), ..probe.memory("said in thread") };
    probe.say(said).await;
    ids
}

pub async fn a_forgotten_session_takes_its_turns_and_its_own_memories(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let [thread, other] = two_threads(&probe).await;
    let forget = Change::ForgetSession { id: thread.clone() };
    assert_eq!(gone(probe.change(forget.clone()).await), std::slice::from_ref(&thread));
    let probe = probe.reopen(bench).await;
    let left: Vec<_> = probe.sessions().await.into_iter().map(|session| session.id).collect();
    assert_eq!(left, std::slice::from_ref(&other));
    assert_eq!(probe.texts().await, ["of thread-2", "said in thread"]);
    let turns = must("reading turns", probe.store().turns(&other, Page::first(9)).await);
    assert_eq!(turns.len(), 2);
    assert_eq!(must("reading statistics", probe.store().stats().await).turns, 2);
    assert!(gone(probe.change(forget).await).is_empty(), "forgetting again finds nothing");
}

/// A thread may have remembered something without ever having been opened as a session.
pub async fn forgetting_an_unknown_session_takes_the_memories_of_its_scope(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let id = session_id("never-opened");
    let memory = Memory { scope: Scope::Session(id.clone()), ..probe.memory("of the thread") };
    probe.say(memory).await;
    probe.keep("of everybody").await;
    probe.apply(vec![Change::ForgetSession { id }]).await;
    let left = probe.list(&Filter::everything()).await;
    assert_eq!(left.iter().map(|m| m.content.as_str()).collect::<Vec<_>>(), ["of everybody"]);
}

/// Only of channels: what another product's session said is history and stays.
pub async fn idle_sessions_of_channels_expire(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let channel = |name: &str, at| Session {
        channel: Some("telegram".into()),
        user: Some(name.into()),
        ..Session::new(session_id(name), at)
    };
    let old = probe.now();
    let new = old + SignedDuration::from_hours(1);
    let transcript =
        Session { agent: Some("codex".into()), ..Session::new(session_id("transcript"), old) };
    let all = [channel("idle", old), channel("idle too", old), channel("active", new), transcript];
    probe.apply(all.iter().map(putting).collect()).await;
    let turns = vec![turn(&all[0].id, 0, "hello", old), turn(&all[3].id, 0, "hello", old)];
    probe.apply(vec![Change::PutTurns { turns }]).await;
    // Active exactly then is not idle since then.
    let expire = Change::ExpireSessions { idle_since: new };
    let removed = gone(probe.change(expire.clone()).await);
    assert_eq!(sorted(removed), [session_id("idle"), session_id("idle too")]);
    let left = sorted(probe.sessions().await.into_iter().map(|session| session.id));
    assert_eq!(left, [session_id("active"), session_id("transcript")]);
    assert_eq!(must("reading statistics", probe.store().stats().await).turns, 1);
    assert!(gone(probe.change(expire).await).is_empty());
}
