//! The product by AVX2, which most x86-64 machines have: 32 products in three instructions.
//!
//! `vpmaddubsw` adds two products of an unsigned and a signed byte in 16 bits and saturates.
//! With the sizes of the matrix (at most 128) as the unsigned side, and its signs given to
//! the row's numbers (at most 127), a pair is at most 32512: it never does.

use std::arch::x86_64::{
    __m256i, _mm256_abs_epi8, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_setzero_si256, _mm256_sign_epi8, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::{PANEL, Product, Rows, Work};
use crate::weights::BLOCK;

/// Rows of a tile: with two accumulators each they leave registers for the matrix.
const TILE: usize = 4;

/// Proof that the instructions are there.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }

    pub(super) fn run(self, work: impl Work) {
        // SAFETY: `self` exists only where `detect` found AVX2.
        unsafe { run(self, work) }
    }
}

#[target_feature(enable = "avx2")]
fn run(kernel: Avx2, work: impl Work) {
    work.run(kernel);
}

impl Product for Avx2 {
    #[inline(always)]
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
        rows.check(panel, sums);
        let mut row = 0;
        while row < sums.len() {
            let count = (sums.len() - row).min(TILE);
            let bytes = &rows.bytes[row * rows.width..(row + count) * rows.width];
            let part = Rows { bytes, totals: &rows.totals[row..row + count], ..rows };
            for (block, at) in panel.chunks_exact(BLOCK * rows.width).zip([0, BLOCK]) {
                // SAFETY: `self` proves AVX2.
                unsafe { rows_of(part, block, at, &mut sums[row..row + count]) };
            }
            row += count;
        }
    }
}

/// Chooses the tile of just as many rows, so that each has its accumulators in registers.
#[target_feature(enable = "avx2")]
fn rows_of(rows: Rows<'_>, block: &[u8], at: usize, sums: &mut [[i32; PANEL]]) {
    match sums.len() {
        1 => tile::<1>(rows, block, at, sums),
        2 => tile::<2>(rows, block, at, sums),
        3 => tile::<3>(rows, block, at, sums),
        _ => tile::<TILE>(rows, block, at, sums),
    }
}

#[target_feature(enable = "avx2")]
fn tile<const R: usize>(rows: Rows<'_>, block: &[u8], at: usize, sums: &mut [[i32; PANEL]]) {
    assert_eq!(rows.bytes.len(), R * rows.width, "a tile has the rows of its name");
    assert_eq!(block.len(), BLOCK * rows.width, "a block has all inputs of its outputs");
    assert_eq!(sums.len(), R, "there is a sum for every row");
    assert!(rows.width.is_multiple_of(4) && at + BLOCK <= PANEL, "a block lies within its panel");
    let (ones, bias) = (_mm256_set1_epi16(1), _mm256_set1_epi8(-128));
    let mut lanes: [[__m256i; 2]; R] = [[_mm256_setzero_si256(); 2]; R];
    let (x, w) = (rows.bytes.as_ptr(), block.as_ptr());
    for group in 0..rows.width / 4 {
        // SAFETY: as asserted, the block has 64 bytes for each group of four inputs, and
        // each of the R rows has `width` bytes.
        unsafe {
            for half in 0..2 {
                let biased = _mm256_loadu_si256(w.add(group * 64 + half * 32).cast());
                let signed = _mm256_xor_si256(biased, bias);
                let size = _mm256_abs_epi8(signed);
                for row in 0..R {
                    let four = x.add(row * rows.width + group * 4).cast::<i32>();
                    let four = _mm256_set1_epi32(four.read_unaligned());
                    let pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(four, signed));
                    let fours = _mm256_madd_epi16(pairs, ones);
                    lanes[row][half] = _mm256_add_epi32(lanes[row][half], fours);
                }
            }
        }
    }
    for row in 0..R {
        let sums = sums[row][at..].as_mut_ptr();
        // SAFETY: `at + BLOCK <= PANEL`: there is room for sixteen numbers of 32 bits.
        unsafe {
            _mm256_storeu_si256(sums.cast(), lanes[row][0]);
            _mm256_storeu_si256(sums.add(8).cast(), lanes[row][1]);
        }
    }
}
