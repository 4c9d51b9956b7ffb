//! How good a memory must be beside the best to be shown.
//!
//! A memory is a fact that somebody acts on: ten more or less related ones bury the one that
//! was asked for. Turns and conversations are evidence to be read through, and pass. Without
//! a model nothing is known of nearness, and every memory that shares a word passes.

use super::candidate::Candidate;
use super::fuse::Setting;

/// The part of the best memory's information that a memory's words must hold.
const PART: f64 = 0.4;
/// Less information than this is an accident: not even one rare word.
const LEAST: f64 = 2.0;
/// How far behind the nearest, in deviations, a memory may lie.
const BEHIND: f64 = 1.0;

/// What a memory has to reach.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bar {
    /// By its words, or by its meaning; none where everything passes.
    least: Option<(f64, f64)>,
}

impl Setting {
    /// The bar that the best of these memories set.
    #[must_use]
    pub fn bar(&self, candidates: &[Candidate]) -> Bar {
        let Some(known) = self.calibration.filter(|_| self.words) else { return Bar::default() };
        let memories = candidates.iter().filter(|one| one.memory.is_some());
        let (mut words, mut nearest) = (0.0_f64, 0.0_f64);
        for one in memories {
            words = words.max(one.information);
            nearest = nearest.max(one.cosine.unwrap_or_default());
        }
        let cosine = known.floor().max(nearest - BEHIND * known.deviation);
        Bar { least: Some(((PART * words).max(LEAST), cosine)) }
    }
}

impl Bar {
    /// Whether a candidate reaches it.
    #[must_use]
    pub fn passes(&self, one: &Candidate) -> bool {
        let Some((words, cosine)) = self.least.filter(|_| one.memory.is_some()) else {
            return true;
        };
        // What is not embedded yet is judged by its words alone, and those may be few.
        one.is_key || one.information >= words || one.cosine.is_none_or(|known| known >= cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::super::calibrate::Calibration;
    use super::*;
    use crate::id::{DocId, MemoryId, SessionId, TurnId};
    use crate::memory::Memory;
    use crate::scope::Scope;

    fn setting() -> Setting {
        Setting {
            calibration: Some(Calibration { strangers: 0.7, deviation: 0.04 }),
            words: true,
            to_model: false,
            goes_on: false,
            asked: 10.0,
            spoken_of: None,
            at: "2026-03-10T12:00:00Z".parse().unwrap(),
        }
    }

    fn memory(information: f64, cosine: f64) -> Candidate {
        let id = MemoryId::derived(&["bar"]);
        let mut one = Candidate::new(DocId::Memory(id));
        (one.information, one.cosine) = (information, Some(cosine));
        one.memory = Some(Memory::new(id, "text", Scope::Global, setting().at));
        one
    }

    #[test]
    fn a_memory_that_holds_little_of_what_the_best_holds_is_left_out() {
        let all = [memory(10.0, 0.85), memory(5.0, 0.75), memory(1.0, 0.75), memory(0.0, 0.84)];
        let bar = setting().bar(&all);
        assert_eq!(all.each_ref().map(|one| bar.passes(one)), [true, true, false, true]);
        let mut turn = memory(0.0, 0.1);
        turn.memory = None;
        turn.doc = DocId::Turn(TurnId { session: SessionId::new("s").unwrap(), seq: 1 });
        assert!(bar.passes(&turn), "turns pass");
        let unknown = Candidate { cosine: None, ..memory(0.0, 0.0) };
        assert!(bar.passes(&unknown), "what is not embedded yet passes");
        let text = Setting { calibration: None, ..setting() };
        assert!(text.bar(&all).passes(&all[2]), "without a model every word counts");
    }
}
