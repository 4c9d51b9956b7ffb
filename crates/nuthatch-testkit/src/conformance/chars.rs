//! Limits on characters: refuse with numbers, or let the oldest go.

use nuthatch::change::{Change, Edit, Patch};
use nuthatch::error::Kind;
use nuthatch::id::MemoryId;
use nuthatch::limits::{Limit, Overflow, ScopeLimits};
use nuthatch::memory::Memory;

use super::bench::Bench;
use super::probe::{Probe, new_text, project, sorted, stored, within};

fn refusing(limit: u64) -> ScopeLimits {
    ScopeLimits { entries: Limit::None, chars: Limit::At(limit), overflow: Overflow::Refuse }
}

fn evicting(limit: u64) -> ScopeLimits {
    ScopeLimits { overflow: Overflow::Evict, ..refusing(limit) }
}

fn edit_within(id: MemoryId, patch: Patch, limits: ScopeLimits) -> Change {
    Change::Edit(Box::new(Edit { id, expected: None, limits, patch }))
}

/// So many characters that are no two texts alike, with one letter as their mark.
fn text(mark: char, chars: usize) -> String {
    mark.to_string().repeat(chars)
}

pub async fn a_full_scope_refuses_with_used_limit_and_needed(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say_within(probe.memory(text('a', 613)), refusing(997)).await;
    let change = within(probe.memory(text('b', 541)), refusing(997));
    let error = probe.refuse(Kind::Conflict, vec![change]).await;
    let message = error.to_string().replace([',', '_', '\u{202f}'], "");
    for number in ["613", "997", "541"] {
        assert!(message.contains(number), "{number} is not in {message:?}");
    }
    assert!(!message.contains("bbbb"), "an error never carries a text");
    probe.say_within(probe.memory(text('c', 384)), refusing(997)).await;
}

pub async fn characters_are_counted_not_bytes(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for mark in ['é', '東', '👍', '\u{301}'] {
        probe.say_within(probe.memory(text(mark, 25)), refusing(100)).await;
    }
    let change = within(probe.memory("x"), refusing(100));
    probe.refuse(Kind::Conflict, vec![change]).await;
}

pub async fn a_full_scope_lets_the_oldest_go_where_it_should(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let mut ids = Vec::new();
    for mark in ['a', 'b', 'c'] {
        ids.push(probe.say_within(probe.memory(text(mark, 30)), evicting(100)).await.memory.id);
    }
    let small = probe.say_within(probe.memory(text('d', 10)), evicting(100)).await;
    assert!(small.evicted.is_empty(), "exactly full is not too full");
    let large = probe.say_within(probe.memory(text('e', 31)), evicting(100)).await;
    assert_eq!(sorted(large.evicted), ids[..2]);
    assert_eq!(probe.texts().await, [text('c', 30), text('d', 10), text('e', 31)]);
}

pub async fn eviction_by_characters_spares_pins(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say(Memory { pinned: true, ..probe.memory(text('a', 40)) }).await;
    let plain = probe.keep(&text('b', 40)).await;
    let stored = probe.say_within(probe.memory(text('c', 40)), evicting(100)).await;
    assert_eq!(stored.evicted, [plain.id]);
    assert_eq!(probe.texts().await, [text('a', 40), text('c', 40)]);
}

/// Clearing the scope for something that is larger than the scope would lose both.
pub async fn a_text_that_can_never_fit_pushes_nobody_out(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.keep(&text('a', 40)).await;
    let change = within(probe.memory(text('b', 101)), evicting(100));
    probe.refuse(Kind::Conflict, vec![change]).await;
    assert_eq!(probe.texts().await, [text('a', 40)]);
}

pub async fn replacing_by_key_counts_only_what_is_added(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say_within(probe.keyed("a", text('a', 60)), refusing(100)).await;
    probe.say_within(probe.keyed("b", text('b', 30)), refusing(100)).await;
    let stored = probe.say_within(probe.keyed("a", text('c', 70)), refusing(100)).await;
    assert_eq!(stored.memory.chars(), 70);
    let change = within(probe.keyed("a", text('d', 71)), refusing(100));
    probe.refuse(Kind::Conflict, vec![change]).await;
}

pub async fn an_edit_counts_only_what_is_added(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.say_within(probe.memory(text('a', 60)), refusing(100)).await.memory;
    probe.say_within(probe.memory(text('b', 30)), refusing(100)).await;
    let fits = edit_within(memory.id, new_text(&text('c', 70)), refusing(100));
    assert_eq!(stored(probe.change(fits).await).memory.chars(), 70);
    let grows = edit_within(memory.id, new_text(&text('d', 71)), refusing(100));
    probe.refuse(Kind::Conflict, vec![grows]).await;
}

/// Under a limit that was lowered, what makes the scope smaller is the way back.
pub async fn an_edit_that_adds_nothing_is_never_refused(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep(&text('a', 60)).await;
    let shorter = edit_within(memory.id, new_text(&text('b', 59)), refusing(10));
    assert_eq!(stored(probe.change(shorter).await).memory.chars(), 59);
    let pin = Patch { pinned: Some(true), ..Patch::default() };
    let pinned = edit_within(memory.id, pin, refusing(10));
    assert!(stored(probe.change(pinned).await).memory.pinned);
}

pub async fn a_duplicate_needs_no_room(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.say_within(probe.memory(text('a', 100)), refusing(100)).await;
    let again = probe.say_within(probe.memory(text('a', 100)), refusing(100)).await;
    assert!(again.duplicate && again.evicted.is_empty());
}

pub async fn characters_of_other_scopes_do_not_count(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for scope in [project("alpha"), project("beta")] {
        let memory = Memory { scope, ..probe.memory(text('a', 100)) };
        let stored = probe.say_within(memory, refusing(100)).await;
        assert!(!stored.duplicate);
    }
    assert_eq!(probe.texts().await.len(), 2);
}
