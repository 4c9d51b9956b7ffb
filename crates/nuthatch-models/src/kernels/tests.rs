//! Every kernel gives the sums of plain code, to the last unit, at the edges, too.

#[cfg(not(target_arch = "aarch64"))]
pub(super) mod arm;

use proptest::prelude::*;

use super::*;
use crate::weights::BLOCK;

/// Multiplies by a kernel.
struct Multiply<'a> {
    rows: &'a [i8],
    width: usize,
    panel: &'a [u8],
    sums: &'a mut Vec<[i32; PANEL]>,
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run(self, product: impl Product) {
        let totals: Vec<i32> = self
            .rows
            .chunks_exact(self.width)
            .map(|row| row.iter().map(|x| i32::from(*x)).sum())
            .collect();
        let rows = Rows { bytes: self.rows, totals: &totals, width: self.width };
        self.sums.resize(totals.len(), [0; PANEL]);
        product.panel(rows, self.panel, self.sums);
    }
}

/// The definition: plain loops over the unpacked meaning of the bytes.
fn definition(rows: &[i8], width: usize, panel: &[u8]) -> Vec<[i32; PANEL]> {
    let weight = |output: usize, input: usize| {
        let block = &panel[output / BLOCK * BLOCK * width..];
        i32::from(block[input / 4 * 64 + output % BLOCK * 4 + input % 4]) - 128
    };
    rows.chunks_exact(width)
        .map(|row| {
            std::array::from_fn(|output| {
                row.iter().zip(0..).map(|(x, input)| i32::from(*x) * weight(output, input)).sum()
            })
        })
        .collect()
}

fn all_agree(rows: &[i8], width: usize, panel: &[u8]) {
    let right = definition(rows, width, panel);
    for kernel in Kernel::available() {
        let mut sums = Vec::new();
        kernel.run(Multiply { rows, width, panel, sums: &mut sums });
        assert_eq!(sums, right, "{kernel:?}, {} rows of {width}", rows.len() / width);
    }
    let mut sums = Vec::new();
    let neon = neon::Neon::detect().expect("written out in plain code where it is not there");
    neon.run(Multiply { rows, width, panel, sums: &mut sums });
    assert_eq!(sums, right, "NEON, {} rows of {width}", rows.len() / width);
}

#[test]
fn extreme_numbers_do_not_saturate() {
    for (x, w) in [(127, 0), (-127, 0), (127, 255), (-127, 255), (127, 1), (0, 0), (-1, 128)] {
        all_agree(&[x; 8192], 8192, &[w; PANEL * 8192]);
    }
}

#[test]
fn every_number_of_rows_has_its_tile() {
    for count in 0..=27 {
        let rows: Vec<i8> = (0..count * 32).map(|i| (i * 37 % 255) as u8 as i8).collect();
        let rows: Vec<i8> = rows.into_iter().map(|x| x.max(-127)).collect();
        let panel: Vec<u8> = (0..PANEL * 32).map(|i| (i * 101 % 256) as u8).collect();
        all_agree(&rows, 32, &panel);
    }
}

#[test]
fn this_machine_can_run_plain_code_and_prefers_better() {
    let all = Kernel::available();
    assert_eq!(all.last(), Some(&Kernel::Scalar));
    assert_eq!(all.first(), Some(&Kernel::best()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn kernels_agree_on_any_numbers(
        seed in proptest::collection::vec(-127_i8..=127, 64 * 5),
        panel in proptest::collection::vec(any::<u8>(), PANEL * 64),
        count in 1_usize..=5,
    ) {
        all_agree(&seed[..64 * count], 64, &panel);
    }
}
