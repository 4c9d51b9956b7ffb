//! Regions of scopes and places in a list, the same in every store.

use jiff::Timestamp;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::filter::{Cursor, Filter, Page, Region, Scopes, newest_first};
use nuthatch::id::{ChangeSetId, MemoryId, ProjectId};
use nuthatch::memory::{Memory, Record};
use nuthatch::scope::ScopeKind;
use nuthatch::store::Store;
use nuthatch_stores::Reach;
use nuthatch_testkit::generate;
use uuid::Uuid;

use crate::places::{BACKENDS, Place, block_on};

async fn listed(store: &dyn Store, filter: &Filter) -> Vec<MemoryId> {
    let listed = store.list(filter, Page::first(1000)).await.unwrap();
    assert_eq!(listed.total as usize, listed.memories.len());
    listed.memories.into_iter().map(|memory| memory.id).collect()
}

#[test]
fn regions_and_places_mean_the_same_in_every_store() {
    block_on(async {
        let mut memories: Vec<Memory> =
            generate::records(3, 120).into_iter().map(|record| record.memory).collect();
        let near =
            ["project:a", "project:a-b", "project:a.b", "project:ab", "plan:a:r", "plan:a-b:r"];
        memories.extend(near.iter().zip(1..).map(|(scope, n)| {
            let id = MemoryId(Uuid::from_u128(n));
            Memory::new(id, *scope, scope.parse().unwrap(), Timestamp::UNIX_EPOCH)
        }));
        memories.sort_by(newest_first);
        let only = |kind| Reach::Only(ProjectId::new("a").unwrap()).region(kind);
        let mut filters: Vec<Filter> = ScopeKind::ALL
            .into_iter()
            .flat_map(|kind| [Region::kind(kind), only(kind)])
            .flat_map(|region| {
                [Scopes::within(vec![region.clone()]), Scopes::outside(vec![region])]
            })
            .chain([Scopes::within(vec![])])
            .map(|scopes| Filter { scopes, ..Filter::everything() })
            .collect();
        filters.extend(
            memories
                .iter()
                .step_by(7)
                .map(|memory| Filter { after: Some(Cursor::at(memory)), ..Filter::everything() }),
        );
        for backend in BACKENDS {
            let place = Place::new(backend);
            let store = place.open().await;
            let restore = |memory: &Memory| {
                let (memory, versions) = (memory.clone(), Vec::new());
                Change::Restore(Box::new(Record { memory, versions }))
            };
            let (id, at) = (ChangeSetId(Uuid::from_u128(1)), Timestamp::UNIX_EPOCH);
            let changes = memories.iter().map(restore).collect();
            store.apply(&ChangeSet::unguarded(id, at, changes)).await.unwrap();
            for filter in &filters {
                let expected = memories.iter().filter(|memory| filter.matches(memory));
                let expected: Vec<MemoryId> = expected.map(|memory| memory.id).collect();
                assert_eq!(listed(&*store, filter).await, expected, "{backend}: {filter:?}");
            }
        }
    });
}
