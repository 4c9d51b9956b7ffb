//! Turns as documents: found by their words, where their conversation belongs, at once.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use nuthatch::change::Change;
use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::{DocId, SessionId, TurnId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::store::TextQuery;
use nuthatch::text::query_terms;
use nuthatch::trust::Trust;

use super::bench::Bench;
use super::probe::{Probe, must, project, remembering, session_id};
use super::reference::Shelf;
use super::sessions::{putting, turn};
use crate::generate::Rng;

/// Few words, so that many documents share them and scores are often equal.
const WORDS: [&str; 14] = [
    "lantern",
    "granite",
    "copper",
    "harbour",
    "ladder",
    "the",
    "ships",
    "東京",
    "parseHttp",
    "café",
    "monday",
    "5433",
    "of",
    "v1.2.3",
];

fn sentence(rng: &mut Rng) -> String {
    let words: Vec<&str> = (0..=rng.below(12)).map(|_| *rng.pick(&WORDS)).collect();
    words.join(" ")
}

/// The turn of a conversation at a place.
pub(super) fn turn_id(session: &SessionId, seq: u64) -> TurnId {
    TurnId { session: session.clone(), seq }
}

/// Conversations of two projects and of none, with memories beside them.
pub(super) async fn furnish(probe: &Probe, seed: u64) -> Shelf {
    let mut rng = Rng::new(seed);
    let mut shelf = Shelf::default();
    let mut changes = Vec::new();
    for (name, scope) in
        [("one", project("alpha")), ("two", project("beta")), ("three", Scope::Global)]
    {
        let mut session = Session::new(session_id(name), probe.now());
        session.project = match &scope {
            Scope::Project(id) => Some(id.clone()),
            _ => None,
        };
        changes.push(putting(&session));
        let mut turns = Vec::new();
        for seq in 0..25 {
            let at = probe.now() - SignedDuration::from_hours(rng.below(60) as i64);
            let role = *rng.pick(&Role::ALL);
            turns.push(Turn {
                role,
                ..turn(&session.id, seq * (1 + rng.below(2)), &sentence(&mut rng), at)
            });
        }
        // The later turn of one place counts.
        let last: BTreeMap<u64, Turn> = turns.iter().map(|turn| (turn.seq, turn.clone())).collect();
        shelf.turns.extend(last.into_values());
        changes.push(Change::PutTurns { turns });
        shelf.sessions.insert(session.id.clone(), session);
        for n in 0..8 {
            let text = format!("{} number n{n}", sentence(&mut rng));
            let memory = Memory { scope: scope.clone(), ..probe.memory(text) };
            shelf.memories.push(memory.clone());
            changes.push(remembering(memory));
        }
    }
    probe.apply(changes).await;
    shelf
}

/// Filters of every kind that concerns turns.
pub(super) fn filter(rng: &mut Rng, probe: &Probe) -> Filter {
    let scopes = match rng.below(4) {
        0 => Scopes::All,
        1 => Scopes::These(vec![project("alpha")]),
        2 => Scopes::These(vec![Scope::Global, project("beta"), Scope::User]),
        _ => Scopes::outside(vec![nuthatch::filter::Region::kind(
            nuthatch::scope::ScopeKind::Global,
        )]),
    };
    let mut filter = Filter::scoped(scopes);
    filter.include =
        *rng.pick(&[Include::Both, Include::Both, Include::Memories, Include::Sessions]);
    let names = ["one", "two", "three", "four"];
    if rng.chance(4) {
        filter.sessions =
            (0..=rng.below(2)).map(|_| session_id(rng.pick::<&str>(&names))).collect();
    }
    let ago = |rng: &mut Rng| probe.now() - SignedDuration::from_hours(rng.below(70) as i64);
    filter.since = rng.chance(4).then(|| ago(rng));
    filter.until = rng.chance(4).then(|| ago(rng));
    filter.min_trust = rng.chance(5).then(|| *rng.pick(&Trust::ALL));
    filter.pinned = rng.chance(8).then(|| rng.chance(2));
    if rng.chance(8) {
        filter.categories.push(nuthatch::category::Category::default());
    }
    filter
}

pub async fn a_turn_is_found_by_its_words_at_once(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let session = Session::new(session_id("talk"), probe.now());
    let turns = vec![turn(&session.id, 0, "the staging database listens on 5433", probe.now())];
    probe.apply(vec![putting(&session), Change::PutTurns { turns }]).await;
    let query = TextQuery::new(query_terms("staging"), Filter::scoped(Scopes::All), 10);
    let found = probe.again(bench).await.matches(&query).await.matches;
    let docs: Vec<&DocId> = found.iter().map(|found| &found.doc).collect();
    assert_eq!(docs, [&DocId::Turn(turn_id(&session.id, 0))]);
}

/// Documents, scores to the last bit, counts, rarity, and what stands beside.
pub async fn the_ranking_of_memories_and_turns_is_exact(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let shelf = furnish(&probe, 400).await;
    let mut rng = Rng::new(401);
    for round in 0..150 {
        let filter = filter(&mut rng, &probe);
        let limit = *rng.pick(&[1, 3, 10, 1000]);
        let mut query = TextQuery::new(query_terms(&sentence(&mut rng)), filter, limit);
        query.reach = rng.below(3);
        if rng.chance(2) {
            let some = shelf.turns.iter().map(|turn| DocId::Turn(turn.id()));
            let some = some.chain(shelf.memories.iter().map(|m| DocId::Memory(m.id)));
            query.also = some.filter(|_| rng.chance(9)).collect();
        }
        assert_eq!(probe.matches(&query).await, shelf.search_text(&query), "{round} {query:?}");
    }
}

pub async fn a_turn_that_says_the_same_changes_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let shelf = furnish(&probe, 410).await;
    let before = probe.snapshot().await;
    probe.apply(vec![Change::PutTurns { turns: shelf.turns.clone() }]).await;
    before.assert_same(&probe.snapshot().await);
}

pub async fn a_changed_turn_is_found_by_its_new_words_only(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut shelf = furnish(&probe, 420).await;
    let mut rng = Rng::new(421);
    for turn in shelf.turns.iter_mut().step_by(3) {
        turn.text = format!("{} amended", sentence(&mut rng));
    }
    let changed: Vec<Turn> = shelf.turns.iter().step_by(3).rev().cloned().collect();
    probe.apply(vec![Change::PutTurns { turns: changed }]).await;
    let probe = probe.reopen(bench).await;
    for words in [WORDS.join(" "), "amended".into()] {
        let query = TextQuery::new(query_terms(&words), Filter::scoped(Scopes::All), 1000);
        assert_eq!(probe.matches(&query).await, shelf.search_text(&query));
    }
}

pub async fn turns_follow_their_conversation_to_another_project(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut shelf = furnish(&probe, 430).await;
    let moved = shelf.sessions.get_mut(&session_id("one")).expect("it was put there");
    moved.project = None;
    probe.apply(vec![putting(moved)]).await;
    for scopes in [Scope::Global, project("alpha"), project("beta")] {
        let filter = Filter::scoped(Scopes::These(vec![scopes]));
        let query = TextQuery::new(query_terms(&WORDS.join(" ")), filter, 1000);
        assert_eq!(probe.matches(&query).await, shelf.search_text(&query));
    }
}

pub async fn the_words_of_a_forgotten_conversation_are_gone(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut shelf = furnish(&probe, 440).await;
    let gone = session_id("two");
    probe.change(Change::ForgetSession { id: gone.clone() }).await;
    shelf.turns.retain(|turn| turn.session != gone);
    let query = TextQuery::new(query_terms(&WORDS.join(" ")), Filter::scoped(Scopes::All), 1000);
    assert_eq!(probe.matches(&query).await, shelf.search_text(&query));
}

pub async fn what_stands_around_a_turn_is_told_without_its_text(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let session = Session::new(session_id("talk"), probe.now());
    let other = Session::new(session_id("other"), probe.now());
    let said = |seq: u64| turn(&session.id, seq, &"é".repeat(seq as usize), probe.now());
    let turns = [1, 2, 4, 5, 9, 10].map(said).to_vec();
    let lone = turn(&other.id, 0, "alone", probe.now());
    let put = |turns| Change::PutTurns { turns };
    let changes = vec![putting(&session), putting(&other), put(turns), put(vec![lone])];
    probe.apply(changes).await;
    let asked = [
        turn_id(&session.id, 4),
        turn_id(&session.id, 5),
        turn_id(&other.id, 0),
        turn_id(&other.id, 7),
    ];
    let around = must("looking around", probe.store().around(&asked, 2).await);
    let places: Vec<(&str, u64, u64)> =
        around.turns.iter().map(|t| (t.id.session.as_str(), t.id.seq, t.chars)).collect();
    assert_eq!(places, [("other", 0, 5), ("talk", 2, 2), ("talk", 4, 4), ("talk", 5, 5)]);
    let sessions: Vec<(&str, u64)> =
        around.sessions.iter().map(|s| (s.session.id.as_str(), s.turns)).collect();
    assert_eq!(sessions, [("other", 1), ("talk", 6)]);
    assert_eq!(around.sessions[1].session, session);
    let said = must("reading", probe.store().said(&asked[1..]).await);
    let texts: Vec<&str> = said.iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!(texts, ["ééééé", "alone"]);
}
