//! A set of documents, by their numbers: one bit each, from nothing up to the greatest. What a
//! filter lets pass is such a set where a search has to know it beforehand.

/// A set of numbers, one bit each.
#[derive(Default)]
pub struct Rows {
    bits: Vec<u64>,
}

impl Rows {
    pub fn insert(&mut self, row: i64) {
        let Ok(row) = usize::try_from(row) else { return };
        if self.bits.len() <= row / 64 {
            self.bits.resize(row / 64 + 1, 0);
        }
        self.bits[row / 64] |= 1 << (row % 64);
    }

    pub fn contains(&self, row: i64) -> bool {
        let word = usize::try_from(row).ok().and_then(|row| self.bits.get(row / 64));
        word.is_some_and(|word| word & (1 << (row % 64)) != 0)
    }
}
