//! Attention: every token of a text looks at every other, head by head.
//!
//! In single floats. Sums run over one index in order while vectors hold others side by
//! side, so no width of vector changes a result.

// Lanes go by number side by side; that is what becomes a vector.
#![allow(clippy::needless_range_loop)]

use crate::arithmetic::{LANES, exp, max, sum};

/// Tokens that look at once: a key is read once for all of them.
const EYES: usize = 4;

/// One text's rows of queries, keys and values; heads lie side by side in a row.
pub(super) struct Heads<'a> {
    pub(super) query: &'a [f32],
    pub(super) key: &'a [f32],
    pub(super) value: &'a [f32],
    pub(super) hidden: usize,
    pub(super) head: usize,
}

/// Memory that attention needs.
#[derive(Default)]
pub(super) struct Scratch {
    /// The keys of a head, one column for each token.
    columns: Vec<f32>,
    /// How much each of the eyes sees of each token.
    seen: [Vec<f32>; EYES],
    /// What to multiply that with so that it sums to one.
    shares: [f32; EYES],
}

impl Heads<'_> {
    /// Writes for every token the mixture of values that it sees.
    #[inline(always)]
    pub(super) fn attend(&self, scratch: &mut Scratch, mixed: &mut [f32]) {
        let tokens = self.query.len() / self.hidden;
        let padded = tokens.next_multiple_of(LANES);
        scratch.columns.clear();
        scratch.columns.resize(self.head * padded, 0.0);
        scratch.seen.iter_mut().for_each(|row| row.resize(padded, 0.0));
        for head in (0..self.hidden).step_by(self.head) {
            for token in 0..tokens {
                let key = &self.key[token * self.hidden + head..][..self.head];
                for (part, x) in key.iter().enumerate() {
                    scratch.columns[part * padded + token] = *x;
                }
            }
            for first in (0..tokens).step_by(EYES) {
                // The last ones may look twice; it is written once.
                let eyes: [usize; EYES] = std::array::from_fn(|eye| (first + eye).min(tokens - 1));
                self.compare(scratch, head, eyes, padded);
                // A loop, because the closure of a `map` is compiled apart, without vectors.
                for (share, row) in scratch.shares.iter_mut().zip(&mut scratch.seen) {
                    *share = soften(row, tokens);
                }
                self.mix(scratch, head, eyes, mixed);
            }
        }
    }

    /// Products of the eyes' queries with all keys.
    #[inline(always)]
    fn compare(&self, scratch: &mut Scratch, head: usize, eyes: [usize; EYES], padded: usize) {
        let scale = 1.0 / (self.head as f32).sqrt();
        let queries = eyes.map(|eye| &self.query[eye * self.hidden + head..][..self.head]);
        for at in (0..padded).step_by(LANES) {
            let mut lanes = [[0.0_f32; LANES]; EYES];
            for part in 0..self.head {
                let keys = &scratch.columns[part * padded + at..][..LANES];
                for eye in 0..EYES {
                    let x = queries[eye][part];
                    for lane in 0..LANES {
                        lanes[eye][lane] += x * keys[lane];
                    }
                }
            }
            for (seen, lanes) in scratch.seen.iter_mut().zip(lanes) {
                for (seen, x) in seen[at..at + LANES].iter_mut().zip(lanes) {
                    *seen = x * scale;
                }
            }
        }
    }

    /// Values weighted by what is seen of them.
    #[inline(always)]
    fn mix(&self, scratch: &Scratch, head: usize, eyes: [usize; EYES], mixed: &mut [f32]) {
        let tokens = self.query.len() / self.hidden;
        let seen = scratch.seen.each_ref().map(|row| &row[..tokens]);
        for at in (head..head + self.head).step_by(LANES) {
            let mut lanes = [[0.0_f32; LANES]; EYES];
            for token in 0..tokens {
                let values = &self.value[token * self.hidden + at..][..LANES];
                for eye in 0..EYES {
                    let x = seen[eye][token];
                    for lane in 0..LANES {
                        lanes[eye][lane] += x * values[lane];
                    }
                }
            }
            for ((eye, share), lanes) in eyes.into_iter().zip(scratch.shares).zip(lanes) {
                let row = &mut mixed[eye * self.hidden + at..][..LANES];
                for (x, lane) in row.iter_mut().zip(lanes) {
                    *x = lane * share;
                }
            }
        }
    }
}

/// Exponentials of a row, and what to multiply them with so that they sum to one.
#[inline(always)]
fn soften(row: &mut [f32], tokens: usize) -> f32 {
    row[tokens..].fill(f32::NEG_INFINITY);
    let most = max(row, |x| x);
    for x in row.iter_mut() {
        *x = exp(*x - most);
    }
    row[tokens..].fill(0.0);
    1.0 / sum(row, |x| x)
}
