//! The generator keeps its own promises: a hostile batch that breaks them tests nothing.

use super::*;

#[test]
fn the_same_seed_makes_the_same_value() {
    assert_eq!(records(7, 50), records(7, 50));
    assert_eq!(session(7), session(7));
    assert_ne!(memory(1), memory(2));
}

#[test]
fn a_batch_holds_every_oddity_and_every_scope() {
    let batch = records(0, ODDITIES.len());
    for oddity in ODDITIES {
        assert!(batch.iter().any(|r| r.memory.content.contains(oddity)), "{oddity:?}");
    }
    let large = records(0, 400);
    for scope in scopes() {
        assert!(large.iter().any(|r| r.memory.scope == scope), "{scope}");
    }
}

#[test]
fn a_batch_can_live_in_one_store() {
    let batch = records(3, 600);
    let ids: BTreeSet<_> = batch.iter().map(|r| r.memory.id).collect();
    let texts: BTreeSet<_> = batch.iter().map(|r| (&r.memory.scope, &r.memory.content)).collect();
    let keyed: Vec<_> = batch.iter().filter(|r| r.memory.key.is_some()).collect();
    let keys: BTreeSet<_> = keyed.iter().map(|r| (&r.memory.scope, &r.memory.key)).collect();
    assert_eq!((ids.len(), texts.len(), keys.len()), (600, 600, keyed.len()));
    assert!(keyed.iter().all(|r| r.memory.key.as_deref() != Some("")));
}

#[test]
fn versions_are_numbered_from_one_and_times_stay_in_range() {
    for record in records(11, 200) {
        let numbers: Vec<u32> = record.versions.iter().map(|v| v.number).collect();
        assert_eq!(numbers, (1..=record.versions.len() as u32).collect::<Vec<_>>());
        let micros = record.memory.created_at.as_microsecond();
        assert!((FIRST_MICROS..=LAST_MICROS).contains(&micros));
        assert_eq!(record.memory.created_at.as_nanosecond() % 1000, 0);
    }
}

#[test]
fn the_edges_of_time_are_the_years_meant() {
    let edge = |micros| Timestamp::from_microsecond(micros).unwrap().to_string();
    assert_eq!(edge(FIRST_MICROS), "0001-01-01T00:00:00Z");
    assert_eq!(edge(LAST_MICROS), "9998-12-31T23:59:59.999999Z");
}
