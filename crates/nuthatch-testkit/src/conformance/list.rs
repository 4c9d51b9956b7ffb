//! Listing: one order, no gaps, and filters that mean what `Filter::matches` says.

use nuthatch::filter::{Filter, Page, Scopes, Superseded, newest_first};
use nuthatch::id::{MemoryId, SessionId};
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::store::Listed;

use super::bench::Bench;
use super::fields::restoring;
use super::probe::{Probe, must, session_id};
use crate::generate::{self, Rng};

/// Fills a store with hostile memories and gives them in the order they must be listed in.
pub(super) async fn filled(probe: &Probe, seed: u64, count: usize) -> Vec<Memory> {
    let batch = generate::records(seed, count);
    probe.apply(restoring(&batch)).await;
    let mut memories: Vec<Memory> = batch.into_iter().map(|record| record.memory).collect();
    memories.sort_by(newest_first);
    memories
}

async fn page(probe: &Probe, filter: &Filter, offset: u64, limit: u64) -> Listed {
    must("listing", probe.store().list(filter, Page { offset, limit }).await)
}

fn ids<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Vec<MemoryId> {
    memories.into_iter().map(|memory| memory.id).collect()
}

/// Holds a store's answer against the meaning of the filter.
async fn assert_lists(probe: &Probe, filter: &Filter, memories: &[Memory]) {
    let expected = ids(memories.iter().filter(|memory| filter.matches(memory)));
    assert_eq!(ids(&probe.list(filter).await), expected, "{filter:?}");
}

pub async fn the_newest_come_first(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 50, 60).await;
    let same_time: Vec<_> =
        memories.windows(2).filter(|w| w[0].created_at == w[1].created_at).collect();
    assert!(!same_time.is_empty(), "the batch tries what happens at the same time");
    assert_eq!(ids(&probe.list(&Filter::everything()).await), ids(&memories));
}

pub async fn pages_have_no_gaps_and_no_repeats(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 60, 50).await;
    let filter = Filter::everything();
    for size in [1, 7, 50, 64] {
        let mut seen = Vec::new();
        for offset in (0..50).step_by(size as usize) {
            let listed = page(&probe, &filter, offset, size).await;
            assert_eq!(listed.total, 50);
            seen.extend(ids(&listed.memories));
        }
        assert_eq!(seen, ids(&memories), "pages of {size}");
    }
}

pub async fn a_page_beyond_the_end_is_empty_and_a_huge_one_is_whole(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    filled(&probe, 70, 5).await;
    let filter = Filter::everything();
    for (offset, limit, expected) in
        [(0, 0, 0), (5, 10, 0), (u64::MAX, u64::MAX, 0), (0, u64::MAX, 5), (3, u64::MAX, 2)]
    {
        let listed = page(&probe, &filter, offset, limit).await;
        assert_eq!((listed.memories.len(), listed.total), (expected, 5), "{offset} {limit}");
    }
}

/// One filter for each condition, each made of a value that the memory has.
fn filters_of(memory: &Memory) -> Vec<Filter> {
    let all = Filter::everything();
    let session = match &memory.scope {
        Scope::Session(own) => Some(own.clone()),
        _ => memory.session_id.clone(),
    };
    let source = memory.source.as_ref().and_then(|source| source.place.clone());
    vec![
        Filter { scopes: Scopes::These(vec![memory.scope.clone()]), ..all.clone() },
        Filter { key: memory.key.clone(), ..all.clone() },
        Filter { contents: vec![memory.content.clone(), "says nobody".into()], ..all.clone() },
        Filter { categories: vec![memory.category.clone()], ..all.clone() },
        Filter { sessions: session.into_iter().collect(), ..all.clone() },
        Filter { since: Some(memory.created_at), ..all.clone() },
        Filter { until: Some(memory.created_at), ..all.clone() },
        Filter { min_trust: Some(memory.trust), ..all.clone() },
        Filter { max_trust: Some(memory.trust), ..all.clone() },
        Filter { source, ..all.clone() },
        Filter { pinned: Some(memory.pinned), ..all.clone() },
        Filter { superseded: Superseded::Hidden, ..all },
    ]
}

pub async fn each_filter_means_what_it_says(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 80, 90).await;
    for memory in memories.iter().step_by(2) {
        for filter in filters_of(memory) {
            assert_lists(&probe, &filter, &memories).await;
        }
    }
}

/// Some conditions of one memory, so that a combination often has an answer.
pub(super) fn combined(rng: &mut Rng, memories: &[Memory]) -> Filter {
    let memory = rng.pick(memories);
    let other = rng.pick(memories);
    let mut filter = Filter::everything();
    if rng.chance(2) {
        filter.scopes = Scopes::These(vec![other.scope.clone(), memory.scope.clone()]);
    }
    if rng.chance(2) {
        filter.categories = vec![memory.category.clone(), other.category.clone()];
    }
    filter.key = memory.key.clone().filter(|_| rng.chance(6));
    if rng.chance(6) {
        filter.contents = vec![memory.content.clone(), other.content.clone()];
    }
    filter.sessions.extend(memory.session_id.clone().filter(|_| rng.chance(3)));
    filter.since = Some(memory.created_at.min(other.created_at)).filter(|_| rng.chance(3));
    filter.until = Some(memory.created_at.max(other.created_at)).filter(|_| rng.chance(3));
    filter.min_trust = Some(memory.trust).filter(|_| rng.chance(3));
    filter.max_trust = Some(memory.trust).filter(|_| rng.chance(4));
    filter.pinned = Some(memory.pinned).filter(|_| rng.chance(3));
    if rng.chance(2) {
        filter.superseded = Superseded::Hidden;
    }
    filter
}

pub async fn filters_hold_together(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 90, 90).await;
    let mut rng = Rng::new(90);
    for _ in 0..300 {
        assert_lists(&probe, &combined(&mut rng, &memories), &memories).await;
    }
}

pub async fn the_total_counts_what_passes_the_filter(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 100, 60).await;
    for memory in memories.iter().step_by(9) {
        for filter in filters_of(memory) {
            let passing = memories.iter().filter(|memory| filter.matches(memory)).count();
            let listed = page(&probe, &filter, 0, 1).await;
            assert_eq!((listed.memories.len(), listed.total), (passing.min(1), passing as u64));
        }
    }
}

pub async fn an_empty_list_of_scopes_matches_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.keep("deploys on fridays").await;
    let filter = Filter::scoped(Scopes::These(Vec::new()));
    let listed = page(&probe, &filter, 0, 10).await;
    assert_eq!((listed.memories.len(), listed.total), (0, 0));
}

pub async fn a_session_filter_finds_what_belongs_to_it(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let thread = session_id("thread");
    let own =
        |id: &SessionId, text: &str| Memory { session_id: Some(id.clone()), ..probe.memory(text) };
    let of = |id: &SessionId, text: &str| Memory {
        scope: Scope::Session(id.clone()),
        ..probe.memory(text)
    };
    let from = probe.say(own(&thread, "said in the thread")).await.memory;
    let belongs = probe.say(of(&thread, "belongs to the thread")).await.memory;
    let other = session_id("thread-2");
    probe.say(own(&other, "said elsewhere")).await;
    probe.say(of(&other, "belongs elsewhere")).await;
    probe.keep("said nowhere").await;
    let filter = Filter { sessions: vec![thread], ..Filter::scoped(Scopes::All) };
    assert_eq!(probe.list(&filter).await, [belongs, from]);
}
