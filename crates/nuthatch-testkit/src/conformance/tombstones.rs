//! What is left of what was forgotten, and what that keeps out: an id, a scope and a time.

use jiff::{SignedDuration, Timestamp};
use nuthatch::category::Category;
use nuthatch::change::{Adopt, Change, Outcome};
use nuthatch::error::Kind;
use nuthatch::id::MemoryId;
use nuthatch::limits::{Limit, ScopeLimits};
use nuthatch::memory::{Memory, Record, Tombstone};
use nuthatch::scope::Scope;

use super::bench::{Bench, TextFile};
use super::fields::restoring;
use super::hand::{read, write};
use super::probe::{Probe, must, new_text, project, remembering, touched};

/// More than any case forgets.
const ALL: usize = 100_000;

async fn tombstones(probe: &Probe) -> Vec<Tombstone> {
    must("reading tombstones", probe.store().tombstones(None, ALL).await)
}

fn record(memory: &Memory) -> Record {
    Record { memory: memory.clone(), versions: Vec::new() }
}

fn adopting(record: Record, seen: Option<&Memory>) -> Change {
    Change::Adopt(Box::new(Adopt { record, seen: seen.map(Memory::fingerprint) }))
}

pub async fn forgetting_leaves_an_id_a_scope_and_a_time(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    assert!(tombstones(&probe).await.is_empty());
    let here = probe.keep("deploys on fridays").await;
    let there = Memory { scope: project("alpha"), ..probe.memory("deploys at night") };
    probe.say(there.clone()).await;
    let at = probe.tick();
    probe.forget(&[there.id, here.id, probe.fresh_id()]).await;
    let mut expected = vec![
        Tombstone { id: here.id, scope: Scope::Global, at },
        Tombstone { id: there.id, scope: project("alpha"), at },
    ];
    expected.sort_by_key(|tombstone| tombstone.id);
    assert_eq!(tombstones(&probe).await, expected);
    let probe = probe.reopen(bench).await;
    assert_eq!(tombstones(&probe).await, expected);
}

/// A clock that went back must not make the end look older than the last edit.
pub async fn a_tombstone_is_younger_than_what_it_covers(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    let memory = probe.edit(memory.id, new_text("deploys on mondays")).await.memory;
    probe.clock().advance(SignedDuration::from_hours(-24));
    probe.forget(&[memory.id]).await;
    let left = tombstones(&probe).await;
    assert!(left[0].at > memory.updated_at && left[0].covers(&memory), "{left:?}");
}

pub async fn what_was_forgotten_is_not_restored(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    probe.forget(&[memory.id]).await;
    let other = probe.memory("deploys at night");
    let mut edited = memory.clone();
    edited.content = "deploys on fridays, edited elsewhere".into();
    edited.updated_at = probe.tick();
    let applied = probe.apply(restoring(&[record(&edited), record(&other)])).await;
    assert_eq!(applied.outcomes, [Outcome::Forgotten { id: memory.id }, Outcome::Done]);
    let probe = probe.reopen(bench).await;
    assert_eq!(probe.texts().await, ["deploys at night"]);
    assert!(probe.find(memory.id).await.is_none());
}

pub async fn what_was_forgotten_is_not_remembered_under_its_id(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    probe.forget(&[memory.id]).await;
    probe.refuse(Kind::Conflict, vec![remembering(memory.clone())]).await;
    let again = probe.keep("deploys on fridays").await;
    assert_ne!(again.id, memory.id, "the text can be said again");
}

/// What a limit pushes out, or its time ends, may come back: nobody wanted it gone.
pub async fn what_was_not_forgotten_leaves_no_tombstone(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let limits = ScopeLimits { entries: Limit::At(1), ..ScopeLimits::NONE };
    let pushed = probe.say_within(probe.memory("goes first"), limits).await.memory;
    probe.say_within(probe.memory("stays"), limits).await;
    let daily = Memory { category: Category::daily(), ..probe.memory("of that day") };
    probe.say(daily.clone()).await;
    let moved = probe.keep("kept elsewhere").await;
    let before = probe.tick();
    probe.change(Change::Expire { category: Category::daily(), before }).await;
    assert_eq!(touched(probe.change(Change::Release { ids: vec![moved.id] }).await), [moved.id]);
    assert_eq!(tombstones(&probe).await, []);
    let records = [record(&pushed), record(&daily), record(&moved)];
    probe.apply(restoring(&records)).await;
    assert_eq!(probe.texts().await, ["goes first", "kept elsewhere", "of that day", "stays"]);
}

pub async fn memories_of_a_forgotten_session_leave_tombstones(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let id = probe.open_session("telegram", "nia", "fresh").await.id;
    let scope = Scope::Session(id.clone());
    let memory = Memory { scope, ..probe.memory("likes short answers") };
    probe.say(memory.clone()).await;
    probe.change(Change::ForgetSession { id }).await;
    let left: Vec<MemoryId> = tombstones(&probe).await.iter().map(|one| one.id).collect();
    assert_eq!(left, [memory.id]);
}

pub async fn burying_removes_what_is_there_and_keeps_out_what_comes(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let here = probe.keep("deploys on fridays").await;
    probe.edit(here.id, new_text("deploys on mondays")).await;
    let never = probe.memory("only known elsewhere");
    let at = probe.tick();
    let of = |memory: &Memory, at| Tombstone { id: memory.id, scope: memory.scope.clone(), at };
    let tombstones_of = |at| vec![of(&here, at), of(&never, at)];
    let bury = |at| Change::Bury { tombstones: tombstones_of(at) };
    assert_eq!(touched(probe.change(bury(at)).await), [here.id]);
    assert!(touched(probe.change(bury(at)).await).is_empty(), "twice changes nothing");
    assert!(probe.versions(here.id).await.is_empty());
    probe.apply(restoring(&[record(&here), record(&never)])).await;
    assert!(probe.texts().await.is_empty());
    // Of two the later counts.
    let later = probe.tick();
    probe.change(bury(later)).await;
    probe.change(bury(at)).await;
    let mut expected = tombstones_of(later);
    expected.sort_by_key(|tombstone| tombstone.id);
    assert_eq!(tombstones(&probe).await, expected);
}

/// Ids that follow from a text come again with the text.
pub async fn a_memory_born_after_the_end_of_another_is_another(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let old = probe.keep("deploys on fridays").await;
    probe.forget(&[old.id]).await;
    let young = Memory { id: old.id, ..probe.memory("deploys on fridays") };
    let outcome = probe.change(adopting(record(&young), None)).await;
    assert_eq!((outcome, probe.find(old.id).await), (Outcome::Done, Some(young.clone())));
    let tombstones = tombstones(&probe).await;
    probe.change(Change::Bury { tombstones }).await;
    assert_eq!(probe.find(old.id).await, Some(young));
}

pub async fn tombstones_are_read_in_parts(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut ids = Vec::new();
    for n in 0..7 {
        let scope = if n % 2 == 0 { Scope::User } else { project("alpha") };
        ids.push(probe.say(Memory { scope, ..probe.memory(format!("note {n}")) }).await.memory.id);
    }
    probe.forget(&ids).await;
    ids.sort();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let part = must("reading tombstones", probe.store().tombstones(after, 3).await);
        let Some(last) = part.last() else { break };
        assert!(part.len() <= 3);
        after = Some(last.id);
        found.extend(part.iter().map(|tombstone| tombstone.id));
    }
    assert_eq!(found, ids);
}

pub async fn what_was_agreed_on_is_adopted_whole(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let before = probe.say(probe.keyed("editor", "writes in vim")).await.memory;
    probe.change(Change::Use { ids: vec![before.id] }).await;
    probe.edit(before.id, new_text("writes in helix")).await;
    let seen = probe.get(before.id).await;
    let mut record = Record { memory: seen.clone(), versions: probe.versions(seen.id).await };
    record.memory.content = "writes in kakoune".into();
    record.memory.updated_at = probe.tick();
    (record.memory.used, record.memory.last_used_at) = (77, None);
    let mut second = record.versions[0].clone();
    (second.number, second.content) = (2, "writes in helix".into());
    record.versions.push(second);
    assert_eq!(probe.change(adopting(record.clone(), Some(&seen))).await, Outcome::Done);
    let now = probe.get(seen.id).await;
    let (used, last_used_at) = (seen.used, seen.last_used_at);
    assert_eq!(now, Memory { used, last_used_at, ..record.memory.clone() });
    assert_eq!(probe.versions(seen.id).await, record.versions);
    assert_eq!(probe.search("kakoune").await, [seen.id]);
    assert!(probe.search("helix").await.is_empty());
    // A version that is not agreed on is not kept.
    record.versions.truncate(1);
    probe.change(adopting(record.clone(), Some(&now))).await;
    assert_eq!(probe.versions(seen.id).await, record.versions);
}

pub async fn what_has_changed_since_it_was_seen_is_not_adopted(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let seen = probe.keep("deploys on fridays").await;
    let agreed = Memory { content: "deploys on mondays".into(), ..seen.clone() };
    let absent = adopting(record(&agreed), None);
    probe.refuse(Kind::Conflict, vec![absent]).await;
    probe.edit(seen.id, new_text("deploys at noon")).await;
    let stale = adopting(record(&agreed), Some(&seen));
    probe.refuse(Kind::Conflict, vec![stale.clone()]).await;
    // A use is no change.
    let now = probe.get(seen.id).await;
    probe.change(Change::Use { ids: vec![seen.id] }).await;
    probe.change(adopting(record(&agreed), Some(&now))).await;
    probe.change(Change::Release { ids: vec![seen.id] }).await;
    probe.refuse(Kind::Conflict, vec![stale.clone()]).await;
    probe.change(adopting(record(&agreed), None)).await;
    let taken = Memory { key: Some("day".into()), ..probe.memory("monday") };
    probe.say(taken).await;
    let rival = Memory { key: Some("day".into()), ..probe.memory("friday") };
    probe.refuse(Kind::Conflict, vec![adopting(record(&rival), None)]).await;
}

pub async fn what_was_forgotten_is_not_adopted(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let seen = probe.keep("deploys on fridays").await;
    probe.forget(&[seen.id]).await;
    let edited = Memory { updated_at: probe.tick(), ..seen.clone() };
    let gone = Outcome::Forgotten { id: seen.id };
    assert_eq!(probe.change(adopting(record(&edited), None)).await, gone);
    let set = probe.set(vec![adopting(record(&edited), None)]);
    assert_eq!(probe.apply_set(&set).await, probe.apply_set(&set).await);
    assert!(probe.texts().await.is_empty());
}

pub async fn an_entry_removed_by_hand_leaves_a_tombstone(bench: &dyn TextFile) {
    let probe = Probe::open(bench).await;
    let memory = probe.say(probe.keyed("editor", "writes in vim every morning")).await.memory;
    probe.keep("deploys on fridays after lunch").await;
    let file = read(bench);
    write(bench, bench.without_entry(&file, &memory.content));
    let left = tombstones(&probe).await;
    assert_eq!((left.len(), left[0].id), (1, memory.id));
    assert!(left[0].covers(&memory) && left[0].at > Timestamp::UNIX_EPOCH);
    let probe = probe.reopen(bench).await;
    assert_eq!(tombstones(&probe).await, left);
    // What a person puts back is there again.
    write(bench, file);
    assert_eq!(probe.get(memory.id).await.content, memory.content);
    assert_eq!(tombstones(&probe).await, []);
}
