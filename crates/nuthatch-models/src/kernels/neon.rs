//! The product by NEON, which every 64-bit ARM has.
//!
//! Two products of bytes, each at most 128 by 127, fit in 16 bits: so one group of four
//! inputs is multiplied, the next is added to it, and pairs of both go into 32 bits. Tests
//! on other machines run this file, too, with the instructions written out in plain code.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64 as arch;

#[cfg(not(target_arch = "aarch64"))]
use super::tests::arm as arch;

use arch::{
    int8x8_t, int32x4_t, vdup_n_s32, vdup_n_u8, vdupq_n_s32, veor_u8, vld1_u8, vmlal_s8, vmull_s8,
    vpadalq_s16, vpaddq_s32, vreinterpret_s8_s32, vreinterpret_s8_u8, vst1q_s32,
};

use super::{PANEL, Product, Rows, Work};
use crate::weights::BLOCK;

/// Rows of a tile: with eight accumulators each they leave registers for the matrix.
const TILE: usize = 2;

/// Pieces of eight bytes in a group of four inputs of sixteen outputs.
const PIECES: usize = 8;

/// Proof that the instructions are there.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    #[cfg(target_arch = "aarch64")]
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Neon(()))
    }

    #[cfg(not(target_arch = "aarch64"))]
    pub(super) fn detect() -> Option<Self> {
        Some(Neon(()))
    }

    pub(super) fn run(self, work: impl Work) {
        // SAFETY: `self` exists only where `detect` found NEON.
        #[allow(unused_unsafe)]
        unsafe {
            run(self, work)
        }
    }
}

#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn run(kernel: Neon, work: impl Work) {
    work.run(kernel);
}

impl Product for Neon {
    #[inline(always)]
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
        rows.check(panel, sums);
        let mut row = 0;
        while row < sums.len() {
            let count = (sums.len() - row).min(TILE);
            let bytes = &rows.bytes[row * rows.width..(row + count) * rows.width];
            let part = Rows { bytes, totals: &rows.totals[row..row + count], ..rows };
            for (block, at) in panel.chunks_exact(BLOCK * rows.width).zip([0, BLOCK]) {
                let sums = &mut sums[row..row + count];
                // SAFETY: `self` proves NEON.
                #[allow(unused_unsafe)]
                unsafe {
                    match count {
                        1 => tile::<1>(part, block, at, sums),
                        _ => tile::<TILE>(part, block, at, sums),
                    }
                }
            }
            row += count;
        }
    }
}

#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn tile<const R: usize>(rows: Rows<'_>, block: &[u8], at: usize, sums: &mut [[i32; PANEL]]) {
    assert_eq!(rows.bytes.len(), R * rows.width, "a tile has the rows of its name");
    assert_eq!(block.len(), BLOCK * rows.width, "a block has all inputs of its outputs");
    assert_eq!(sums.len(), R, "there is a sum for every row");
    assert!(rows.width.is_multiple_of(8) && at + BLOCK <= PANEL, "a block lies within its panel");
    let (x, w) = (rows.bytes.as_ptr(), block.as_ptr());
    // SAFETY: as asserted, the block has 64 bytes for each group of four inputs, of which
    // there is an even number; each of the R rows has `width` bytes; and there is room for
    // sixteen sums of 32 bits at `at`.
    unsafe {
        let mut lanes: [[int32x4_t; PIECES]; R] = [[vdupq_n_s32(0); PIECES]; R];
        for pair in 0..rows.width / 8 {
            for piece in 0..PIECES {
                let first = signed(w.add(pair * 128 + piece * 8));
                let second = signed(w.add(pair * 128 + 64 + piece * 8));
                for row in 0..R {
                    let x = x.add(row * rows.width + pair * 8);
                    let products = vmull_s8(first, four(x));
                    let products = vmlal_s8(products, second, four(x.add(4)));
                    lanes[row][piece] = vpadalq_s16(lanes[row][piece], products);
                }
            }
        }
        for row in 0..R {
            let sums = sums[row][at..].as_mut_ptr();
            for quarter in 0..4 {
                let outputs = vpaddq_s32(lanes[row][2 * quarter], lanes[row][2 * quarter + 1]);
                vst1q_s32(sums.add(4 * quarter), outputs);
            }
        }
    }
}

/// Eight numbers of the matrix, without the 128 added to them.
///
/// # Safety
/// Eight bytes can be read at `at`.
#[inline(always)]
unsafe fn signed(at: *const u8) -> int8x8_t {
    // SAFETY: as the caller promises; every 64-bit ARM has the instructions.
    unsafe { vreinterpret_s8_u8(veor_u8(vld1_u8(at), vdup_n_u8(0x80))) }
}

/// Four numbers of a row, twice.
///
/// # Safety
/// Four bytes can be read at `at`.
#[inline(always)]
unsafe fn four(at: *const i8) -> int8x8_t {
    // SAFETY: as the caller promises; every 64-bit ARM has the instructions.
    unsafe { vreinterpret_s8_s32(vdup_n_s32(at.cast::<i32>().read_unaligned())) }
}
