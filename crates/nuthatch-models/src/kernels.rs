//! The inner product of bytes, by the best instructions the machine has.
//!
//! Every kernel adds the same whole numbers, so all give the same sums. The arithmetic
//! around it is written once, in safe code, and compiled anew for each kernel: it goes in as
//! [`Work`]. This module and the files below it are the only ones with `unsafe` code, for
//! vector instructions and for nothing else.

#![allow(unsafe_code)]
// A row and its accumulator go by one number; iterators over both say less.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(any(target_arch = "aarch64", test))]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod vnni;

#[cfg(test)]
mod tests;

use crate::weights::BLOCK;

/// Outputs that a kernel computes at once: two blocks.
pub(crate) const PANEL: usize = 2 * BLOCK;

/// Which instructions do the work. The vectors are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Plain code, for any machine.
    Scalar,
    /// 256-bit vectors of x86-64.
    Avx2,
    /// 512-bit vectors of x86-64 with a byte product.
    Vnni,
    /// 128-bit vectors of ARM.
    Neon,
}

impl Kernel {
    /// The kernels this machine can run, the quickest first.
    #[must_use]
    pub fn available() -> Vec<Kernel> {
        let all = [Kernel::Vnni, Kernel::Avx2, Kernel::Neon, Kernel::Scalar];
        all.into_iter().filter(|kernel| kernel.is_here()).collect()
    }

    /// The quickest that this machine can run.
    #[must_use]
    pub fn best() -> Kernel {
        Kernel::available().first().copied().unwrap_or(Kernel::Scalar)
    }

    fn is_here(self) -> bool {
        match self {
            Kernel::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni => vnni::Vnni::detect().is_some(),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => neon::Neon::detect().is_some(),
            _ => false,
        }
    }

    /// Does the work with this kernel, or with plain code where the machine lacks it.
    pub(crate) fn run(self, work: impl Work) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 if let Some(kernel) = avx2::Avx2::detect() => kernel.run(work),
            #[cfg(target_arch = "x86_64")]
            Kernel::Vnni if let Some(kernel) = vnni::Vnni::detect() => kernel.run(work),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon if let Some(kernel) = neon::Neon::detect() => kernel.run(work),
            _ => work.run(scalar::Scalar),
        }
    }
}

/// A piece of work, compiled for each kernel. Its `run`, and whatever that calls in a loop,
/// is `#[inline(always)]`: only so does it become code for the kernel's instructions.
pub(crate) trait Work {
    fn run(self, product: impl Product);
}

/// Rows of bytes, each within ±127, with the sum of each row.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) bytes: &'a [i8],
    pub(crate) totals: &'a [i32],
    pub(crate) width: usize,
}

/// The product of rows with a panel of the matrix.
pub(crate) trait Product: Copy {
    /// For every row its inner products with the outputs of `panel`, which are two packed
    /// blocks. `sums` has one entry for each row.
    fn panel(self, rows: Rows<'_>, panel: &[u8], sums: &mut [[i32; PANEL]]);
}

impl Rows<'_> {
    /// What every kernel relies on before it reads without asking.
    fn check(&self, panel: &[u8], sums: &[[i32; PANEL]]) {
        assert_eq!(self.bytes.len(), sums.len() * self.width, "there is a sum for every row");
        assert_eq!(self.totals.len(), sums.len(), "there is a total for every row");
        assert_eq!(panel.len(), PANEL * self.width, "a panel has all inputs of its outputs");
        assert!(self.width.is_multiple_of(8), "inputs go in eights");
    }
}
