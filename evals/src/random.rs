//! Numbers and directions that look random and are the same on every machine.

use nuthatch::id::ContentHash;
use nuthatch::vector::Vector;

/// Numbers that look random and are the same on every machine (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// From 0 up to 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A direction that has nothing to do with anything.
pub(crate) fn direction(seed: u64, dimensions: usize) -> Vector {
    let mut random = Random::new(seed ^ 0x5eed);
    // The sum of a few uniform numbers is near enough to a normal one.
    let normal = |random: &mut Random| (0..4).map(|_| random.share() as f32 - 0.5).sum::<f32>();
    Vector::quantise(&(0..dimensions).map(|_| normal(&mut random)).collect::<Vec<_>>())
}

/// The seed of a text.
pub(crate) fn seed(hash: &ContentHash) -> u64 {
    hash.0.iter().fold(0, |seed, byte| seed.rotate_left(8) ^ u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_different_texts_have_little_in_common() {
        let of = |text: &str| direction(seed(&ContentHash::of(None, text)), 384);
        assert_eq!(of("a"), of("a"));
        assert!(of("a").cosine(&of("b")).abs() < 0.3);
    }
}
