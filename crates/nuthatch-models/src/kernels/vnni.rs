//! The product by AVX-512 with its byte product (`vpdpbusd`): 64 products an instruction.
//!
//! It multiplies unsigned by signed bytes and adds four neighbours to a 32-bit lane without
//! saturating. The packed matrix is the unsigned side; the 128 added to each of its numbers
//! is taken out again by the row's total.

use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_storeu_si512, _mm512_sub_epi32,
};

use super::{PANEL, Product, Rows, Work};
use crate::weights::BLOCK;

/// Rows of a tile: with two accumulators each they leave registers for the matrix.
const TILE: usize = 12;

/// Proof that the instructions are there.
#[derive(Clone, Copy)]
pub(super) struct Vnni(());

impl Vnni {
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vnni"))
        .then_some(Vnni(()))
    }

    pub(super) fn run(self, work: impl Work) {
        // SAFETY: `self` exists only where `detect` found every feature named there.
        unsafe { run(self, work) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn run(kernel: Vnni, work: impl Work) {
    work.run(kernel);
}

impl Product for Vnni {
    #[inline(always)]
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
        rows.check(panel, sums);
        let mut row = 0;
        while row < sums.len() {
            let count = (sums.len() - row).min(TILE);
            let bytes = &rows.bytes[row * rows.width..(row + count) * rows.width];
            let part = Rows { bytes, totals: &rows.totals[row..row + count], ..rows };
            // SAFETY: `self` proves the features; the slices of a tile are those of `check`.
            unsafe { rows_of(part, panel, &mut sums[row..row + count]) };
            row += count;
        }
    }
}

/// Chooses the tile of just as many rows, so that each has its accumulators in registers.
#[target_feature(enable = "avx512f,avx512vnni")]
fn rows_of(rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
    match sums.len() {
        1 => tile::<1>(rows, panel, sums),
        2 => tile::<2>(rows, panel, sums),
        3 => tile::<3>(rows, panel, sums),
        4 => tile::<4>(rows, panel, sums),
        5 => tile::<5>(rows, panel, sums),
        6 => tile::<6>(rows, panel, sums),
        7 => tile::<7>(rows, panel, sums),
        8 => tile::<8>(rows, panel, sums),
        9 => tile::<9>(rows, panel, sums),
        10 => tile::<10>(rows, panel, sums),
        11 => tile::<11>(rows, panel, sums),
        _ => tile::<TILE>(rows, panel, sums),
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn tile<const R: usize>(rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]) {
    rows.check(panel, sums);
    assert_eq!(sums.len(), R, "a tile has the rows of its name");
    let mut low: [__m512i; R] = [_mm512_setzero_si512(); R];
    let mut high: [__m512i; R] = [_mm512_setzero_si512(); R];
    let (first, second) = (panel.as_ptr(), panel[BLOCK * rows.width..].as_ptr());
    let x = rows.bytes.as_ptr();
    for group in 0..rows.width / 4 {
        // SAFETY: `check` holds: each block has 64 bytes for each group of four inputs, and
        // each of the R rows has `width` bytes.
        unsafe {
            let a = _mm512_loadu_si512(first.add(group * 64).cast());
            let b = _mm512_loadu_si512(second.add(group * 64).cast());
            for row in 0..R {
                let four = x.add(row * rows.width + group * 4).cast::<i32>().read_unaligned();
                let four = _mm512_set1_epi32(four);
                low[row] = _mm512_dpbusd_epi32(low[row], a, four);
                high[row] = _mm512_dpbusd_epi32(high[row], b, four);
            }
        }
    }
    for row in 0..R {
        let extra = _mm512_set1_epi32(128 * rows.totals[row]);
        let sums = sums[row].as_mut_ptr();
        // SAFETY: a row of sums is 32 numbers of 32 bits, two vectors long.
        unsafe {
            _mm512_storeu_si512(sums.cast(), _mm512_sub_epi32(low[row], extra));
            _mm512_storeu_si512(sums.add(BLOCK).cast(), _mm512_sub_epi32(high[row], extra));
        }
    }
}
