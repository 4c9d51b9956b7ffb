//! Turns: what was said, in order, each place once.

use nuthatch::change::Change;
use nuthatch::error::Kind;
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use nuthatch::session::Turn;

use super::bench::Bench;
use super::probe::{ALL, Probe, must, session_id};
use super::sessions::{putting, turn};
use crate::generate;

async fn turns_of(probe: &Probe, session: &SessionId, page: Page) -> Vec<Turn> {
    must("reading turns", probe.store().turns(session, page).await)
}

pub async fn every_field_of_a_turn_comes_back(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for seed in 0..4 {
        let session = generate::session(seed);
        let said = generate::turns(seed * 40, &session.id, 25);
        let put = vec![putting(&session), Change::PutTurns { turns: said.clone() }];
        probe.apply(put).await;
        let again = probe.again(bench).await;
        assert_eq!(turns_of(&again, &session.id, ALL).await, said);
        let found = probe.sessions().await.into_iter().find(|found| found.id == session.id);
        assert_eq!(found, Some(session), "putting turns leaves the session as it is");
    }
}

pub async fn a_turn_of_the_same_place_is_replaced(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let session = generate::session(1);
    let at = probe.now();
    let said = |seq, text: &str| turn(&session.id, seq, text, at);
    let turns = vec![said(0, "hello"), said(1, "heard wrong"), said(2, "bye")];
    probe.apply(vec![putting(&session), Change::PutTurns { turns }]).await;
    let turns = vec![said(1, "heard right")];
    probe.apply(vec![Change::PutTurns { turns }]).await;
    let expected = [said(0, "hello"), said(1, "heard right"), said(2, "bye")];
    assert_eq!(turns_of(&probe, &session.id, ALL).await, expected);
}

/// Whatever order they were put in, and however they are cut into pages.
pub async fn turns_come_in_order_page_by_page(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let [one, two] = [generate::session(1), generate::session(2)];
    probe.apply(vec![putting(&one), putting(&two)]).await;
    let at = probe.now();
    for seq in [9, 2, 30, 0, 11, 100, 5] {
        let turns = [&one, &two].map(|session| turn(&session.id, seq, &format!("turn {seq}"), at));
        probe.apply(vec![Change::PutTurns { turns: turns.to_vec() }]).await;
    }
    let ordered = [0, 2, 5, 9, 11, 30, 100];
    let seqs = |turns: Vec<Turn>| turns.into_iter().map(|turn| turn.seq).collect::<Vec<_>>();
    assert_eq!(seqs(turns_of(&probe, &two.id, ALL).await), ordered);
    for (offset, limit, expected) in [
        (0, 3, &ordered[..3]),
        (3, 3, &ordered[3..6]),
        (6, u64::MAX, &ordered[6..]),
        (7, 3, &[]),
        (2, 0, &[]),
    ] {
        assert_eq!(seqs(turns_of(&probe, &one.id, Page { offset, limit }).await), expected);
    }
}

pub async fn turns_of_an_unknown_session_are_refused(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let session = generate::session(1);
    probe.apply(vec![putting(&session)]).await;
    let unknown = session_id("unknown");
    let turns =
        vec![turn(&session.id, 0, "hello", probe.now()), turn(&unknown, 0, "hi", probe.now())];
    probe.refuse(Kind::NotFound, vec![Change::PutTurns { turns }]).await;
}
