//! The product in plain code: what the others must equal, and what any machine can run.
//!
//! Takes the packing apart first: sums of products of neighbours are what compilers know to
//! vectorise with whatever every machine of its kind has.

use super::{PANEL, Product, Rows};
use crate::weights::BLOCK;

/// Needs nothing.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Product for Scalar {
    #[inline(always)]
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
        rows.check(panel, sums);
        let outputs = unpack(panel, rows.width);
        let mut wide = vec![0_i16; rows.width];
        for (row, sums) in rows.bytes.chunks_exact(rows.width).zip(sums) {
            for (wide, x) in wide.iter_mut().zip(row) {
                *wide = i16::from(*x);
            }
            for (sum, output) in sums.iter_mut().zip(outputs.chunks_exact(rows.width)) {
                *sum = wide.iter().zip(output).map(|(x, w)| i32::from(*x) * i32::from(*w)).sum();
            }
        }
    }
}

/// A panel as rows of its outputs: in this form plain loops become vectors.
#[inline(always)]
fn unpack(panel: &[u8], width: usize) -> Vec<i16> {
    let mut outputs = vec![0; panel.len()];
    let blocks = outputs.chunks_exact_mut(BLOCK * width);
    for (block, outputs) in panel.chunks_exact(BLOCK * width).zip(blocks) {
        for (at, group) in block.as_chunks::<64>().0.iter().enumerate() {
            for (output, four) in group.as_chunks::<4>().0.iter().enumerate() {
                for (input, byte) in four.iter().enumerate() {
                    outputs[output * width + at * 4 + input] = i16::from(*byte) - 128;
                }
            }
        }
    }
    outputs
}
