//! What a candidate is worth beside others.
//!
//! Worths are compared, never written down: the constants belong to the model.

use super::*;
use crate::id::{DocId, TurnId};

fn turn(session: &str, seq: u64) -> Candidate {
    let session = SessionId::new(session).unwrap();
    let mut one = Candidate::new(DocId::Turn(TurnId { session, seq }));
    one.role = Some(Role::User);
    one.cosine = Some(0.80);
    one
}

fn setting() -> Setting {
    Setting {
        calibration: Some(Calibration { strangers: 0.7197, deviation: 0.0406 }),
        words: true,
        to_model: false,
        goes_on: false,
        asked: 20.0,
        spoken_of: None,
        at: "2026-03-10T12:00:00Z".parse().unwrap(),
    }
}

#[test]
fn words_and_meaning_add_up_and_half_is_the_floor() {
    let mut one = turn("a", 1);
    one.cosine = Some(setting().calibration.unwrap().floor());
    assert!((setting().own_worth(&one).score() - 0.5).abs() < 1e-9);
    one.information = 6.0;
    let worth = setting().own_worth(&one);
    assert!((worth.parts["words"] - 0.25).abs() < 1e-12 && worth.score() > 0.7);
    one.cosine = Some(0.75);
    assert!(setting().own_worth(&one).score() < 0.5);
}

#[test]
fn what_a_model_replied_at_length_stands_below_what_a_person_said() {
    let person = turn("a", 1);
    let mut model = turn("a", 2);
    model.role = Some(Role::Assistant);
    let worths = setting().worths(&[person.clone(), model.clone()]);
    assert!(worths[0].sum > worths[1].sum);
    let asked = Setting { to_model: true, ..setting() };
    let worths = asked.worths(&[person.clone(), model.clone()]);
    assert!((worths[0].sum - worths[1].sum).abs() < 1e-12);
    model.chars = 3000;
    assert!(asked.worths(&[person, model])[1].parts["length"] < 0.0);
}

#[test]
fn a_good_conversation_lifts_its_turns() {
    let (mut good, weak, alone) = (turn("a", 1), turn("a", 2), turn("b", 1));
    good.information = 12.0;
    let worths = setting().worths(&[good, weak, alone]);
    assert!(worths[1].sum > worths[2].sum, "{worths:?}");
}

#[test]
fn the_newer_and_what_lies_in_the_time_spoken_of_come_first() {
    let (mut old, mut new) = (turn("a", 1), turn("b", 1));
    (old.at, new.at) =
        ("2026-01-10T12:00:00Z".parse().unwrap(), "2026-03-09T12:00:00Z".parse().unwrap());
    let candidates = [old, new];
    let worths = setting().worths(&candidates);
    assert!(worths[1].sum > worths[0].sum);
    let spoken_of = Some(SpokenOf::new(spoken("in January"), &candidates));
    let worths = Setting { spoken_of, ..setting() }.worths(&candidates);
    assert!(worths[0].sum > worths[1].sum);
}

fn spoken(of: &str) -> Period {
    super::super::when::period(of, setting().at).unwrap()
}

#[test]
fn the_fewer_belong_to_a_time_the_more_it_tells() {
    let mut candidates: Vec<Candidate> = (1..=20).map(|seq| turn("a", seq)).collect();
    for (day, one) in (1..).zip(&mut candidates) {
        one.at = format!("2026-01-{day:02}T12:00:00Z").parse().unwrap();
    }
    let worth = |of: &str, candidates: &[Candidate]| SpokenOf::new(spoken(of), candidates).worth;
    let (day, month) = (worth("on 5 January", &candidates), worth("in January", &candidates));
    assert!(day > 0.1 && month.abs() < 1e-9, "{day} {month}");
    let found_for_it = Candidate { only_by_time: true, ..candidates[4].clone() };
    candidates.extend(std::iter::repeat_n(found_for_it, 20));
    assert!((worth("on 5 January", &candidates) - day).abs() < 1e-12);
    assert!(worth("on 5 January", &[]).abs() < 1e-12, "of nothing nothing is known");
}

#[test]
fn a_conversation_is_as_good_as_its_best_turns() {
    let (mut by_words, mut by_meaning, other) = (turn("a", 1), turn("a", 2), turn("b", 1));
    by_words.information = 6.0;
    by_meaning.cosine = Some(0.88);
    let both = setting().session_worth(&[&by_words, &by_meaning], 6.0).sum;
    let one = setting().session_worth(&[&by_meaning], 0.0).sum;
    assert!(both > one && one > setting().session_worth(&[&other], 0.0).sum);
    assert!(
        setting().session_worth(&[&other], 9.0).sum > setting().session_worth(&[&other], 6.0).sum
    );
}

#[test]
fn a_message_that_goes_on_is_about_what_was_said_lately() {
    let (mut old, mut new) = (turn("a", 1), turn("b", 1));
    (old.at, new.at) =
        ("2025-03-10T12:00:00Z".parse().unwrap(), "2026-03-09T12:00:00Z".parse().unwrap());
    let gap = |setting: &Setting| {
        setting.session_worth(&[&new], 6.0).sum - setting.session_worth(&[&old], 6.0).sum
    };
    assert!(gap(&setting()).abs() < 1e-12);
    assert!(gap(&Setting { goes_on: true, ..setting() }) > 0.1);
}

#[test]
fn without_vectors_words_alone_decide() {
    let (mut a, b) = (turn("a", 1), turn("b", 1));
    a.cosine = None;
    a.information = 2.0;
    let text = Setting { calibration: None, ..setting() };
    let worths = text.worths(&[a, b]);
    assert!(worths[0].sum > worths[1].sum && !worths[0].parts.contains_key("meaning"));
}
