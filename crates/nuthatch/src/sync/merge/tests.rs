//! Two states of a memory that grew apart by random steps, brought together.

use proptest::prelude::*;

use super::*;
use crate::id::MemoryId;
use crate::scope::Scope;
use crate::trust::Trust;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_770_000_000 + second).unwrap()
}

/// Something that happens to a memory.
#[derive(Clone, Copy, Debug)]
enum Step {
    Text(u8),
    Pin(bool),
    Trust(u8),
    Meta(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..6_u8).prop_map(Step::Text),
        any::<bool>().prop_map(Step::Pin),
        (0..4_u8).prop_map(Step::Trust),
        (0..3_u8).prop_map(Step::Meta),
    ];
    prop::collection::vec(step, 0..5)
}

fn first() -> Record {
    let memory = Memory::new(MemoryId::derived(&["one"]), "the first text", Scope::Global, at(0));
    Record { memory, versions: Vec::new() }
}

/// A record after these steps, one each so many seconds.
fn after(mut record: Record, steps: &[Step], pace: i64) -> Record {
    for (n, step) in steps.iter().enumerate() {
        let now = at(1 + n as i64 * pace);
        let memory = &mut record.memory;
        let now = now.max(memory.updated_at + SignedDuration::from_micros(1));
        match step {
            Step::Text(text) => {
                let number = record.versions.len() as u32 + 1;
                record.versions.push(Version {
                    memory_id: memory.id,
                    number,
                    key: memory.key.clone(),
                    content: memory.content.clone(),
                    category: memory.category.clone(),
                    written_at: memory.updated_at,
                    replaced_at: now,
                });
                memory.content = format!("text {text}");
            }
            Step::Pin(pinned) => memory.pinned = *pinned,
            Step::Trust(level) => memory.trust = Trust::ALL[*level as usize],
            Step::Meta(name) => {
                memory.metadata.insert(format!("name {name}"), n.to_string());
            }
        }
        memory.updated_at = now;
    }
    record
}

fn texts(record: &Record) -> std::collections::BTreeSet<String> {
    let old = record.versions.iter().map(|version| version.content.clone());
    old.chain([record.memory.content.clone()]).collect()
}

proptest! {
    #[test]
    fn a_merge_is_the_same_from_both_sides_and_loses_no_text(
        one in steps(), other in steps(), pace in 1..3_i64, known in any::<bool>()
    ) {
        let base = first();
        let agreed = known.then(|| Agreed::of(&base.memory));
        let (here, there) = (after(base.clone(), &one, 2), after(base, &other, pace));
        let merged = merge(&here, &there, agreed.as_ref());
        let mirrored = merge(&there, &here, agreed.as_ref());
        prop_assert_eq!(&merged.record, &mirrored.record);
        let all = texts(&merged.record);
        prop_assert!(texts(&here).is_subset(&all) && texts(&there).is_subset(&all));
        // What was agreed on is agreed on, whoever has it already.
        for side in [&here, &there] {
            let again = merge(&merged.record, side, agreed.as_ref());
            prop_assert_eq!(&again.record, &merged.record);
        }
        let text = if said(&merged.record.memory) == said(&here.memory) { &here } else { &there };
        if said(&here.memory) != said(&there.memory) {
            prop_assert!(merged.record.memory.trust <= text.memory.trust);
        }
    }

    #[test]
    fn what_only_one_side_changed_is_taken_whole(steps in steps()) {
        let base = first();
        let agreed = Agreed::of(&base.memory);
        let there = after(base.clone(), &steps, 2);
        let merged = merge(&base, &there, Some(&agreed));
        prop_assert_eq!(merged, Merged { record: there, clash: None });
    }
}
