//! The product in plain code: what the others must equal, and what any machine can run.
//!
//! Written in the order of the packed bytes, so that a compiler can vectorise it with
//! whatever every machine of its kind has.

use super::{PANEL, Product, Rows};
use crate::weights::BLOCK;

/// Needs nothing.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Product for Scalar {
    #[inline(always)]
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
        rows.check(panel, sums);
        let (first, second) = panel.split_at(BLOCK * rows.width);
        for (row, sums) in rows.bytes.chunks_exact(rows.width).zip(sums) {
            let (low, high) = sums.split_at_mut(BLOCK);
            block(row, first, low);
            block(row, second, high);
        }
    }
}

#[inline(always)]
fn block(row: &[i8], block: &[u8], sums: &mut [i32]) {
    let mut lanes = [0_i32; BLOCK];
    for (x, group) in row.as_chunks::<4>().0.iter().zip(block.as_chunks::<64>().0) {
        for (lane, w) in lanes.iter_mut().zip(group.as_chunks::<4>().0) {
            for (x, w) in x.iter().zip(w) {
                *lane += i32::from(*x) * (i32::from(*w) - 128);
            }
        }
    }
    sums.copy_from_slice(&lanes);
}
