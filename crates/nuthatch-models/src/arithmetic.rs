//! Functions of single numbers and sums of many, the same to the bit on every machine.
//!
//! Only additions, products, quotients and square roots, which IEEE 754 defines exactly, in
//! an order that is written down; no library function, and no fused multiply-add, which
//! some machines have and others have not. Simple enough to be vectorised as they stand.

// The order of operations is the point: what a lint would simplify would round differently.
#![allow(clippy::excessive_precision, clippy::suboptimal_flops)]

/// Partial sums kept side by side: the widest vector there is, so that no width is favoured.
pub(crate) const LANES: usize = 16;

/// Adding and subtracting this rounds to a whole number, ties to even, below 2^22.
const ROUND: f32 = 12_582_912.0;

/// e to the `x`, to about one part in ten million; nothing below -87.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 87.0 { x } else { 87.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // The natural logarithm of two in two parts, the first of few bits: the product is exact.
    let rest = (x - whole * 0.693_359_375) + whole * 2.121_944_4e-4;
    let mut sum = 1.0 / 720.0;
    sum = sum * rest + 1.0 / 120.0;
    sum = sum * rest + 1.0 / 24.0;
    sum = sum * rest + 1.0 / 6.0;
    sum = sum * rest + 0.5;
    sum = sum * rest + 1.0;
    sum = sum * rest + 1.0;
    // The low bits of `shifted` are the exponent wanted.
    f32::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Where the normal distribution is one to the last bit that matters.
const FLAT: f32 = 5.5;

/// `x` times the share of a normal distribution below it (GELU), to 2e-6.
///
/// The error function is a quotient of polynomials, fitted for the least greatest error.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let z = if x < FLAT { x } else { FLAT };
    let z = if z > -FLAT { z } else { -FLAT };
    let t = z * z;
    let mut over = 1.895_349_559_465_942_3e-5;
    over = over * t + 1.056_377_567_753_711_5e-3;
    over = over * t + 1.374_748_720_923_455_4e-2;
    over = over * t + 1.366_947_705_065_989e-1;
    over = over * t + 7.978_823_327_318_011e-1;
    let mut under = 7.630_394_365_888_699e-7;
    under = under * t + 1.921_950_385_023_795_2e-4;
    under = under * t + 3.918_985_820_044_071_5e-3;
    under = under * t + 4.859_891_329_918_168e-2;
    under = under * t + 3.379_643_930_109_752_5e-1;
    under = under * t + 1.0;
    0.5 * x * (1.0 + z * over / under)
}

/// The sum of `f` over a row whose length is a multiple of [`LANES`].
#[inline(always)]
pub(crate) fn sum(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for part in row.as_chunks::<LANES>().0 {
        for (lane, x) in lanes.iter_mut().zip(part) {
            *lane += f(*x);
        }
    }
    // Halves upon halves: the order in which a vector is folded.
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// The greatest of `f` over a row whose length is a multiple of [`LANES`].
#[inline(always)]
pub(crate) fn max(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for part in row.as_chunks::<LANES>().0 {
        for (lane, x) in lanes.iter_mut().zip(part) {
            let x = f(*x);
            *lane = if x > *lane { x } else { *lane };
        }
    }
    lanes.into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

/// `x`, at most 127 either way, as the nearest whole number, ties to even.
#[inline(always)]
pub(crate) fn nearest(x: f32) -> i8 {
    // In a sum with `ROUND` the number stands in the low bits.
    (x + ROUND).to_bits() as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_a_part_in_a_million() {
        for step in -8_000..=1_000 {
            let x = step as f32 / 100.0;
            let (ours, right) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours / right - 1.0).abs() < 1e-6, "exp({x}) = {ours}, not {right}");
        }
        assert!(exp(-1e30) < 1e-37 && exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn the_activation_is_right_to_three_millionths() {
        for step in -1_200..=1_200 {
            let x = f64::from(step) / 100.0;
            let (ours, right) = (f64::from(gelu(x as f32)), x * below(x));
            assert!((ours - right).abs() < 3e-6, "gelu({x}) = {ours}, not {right}");
        }
    }

    /// The share of a normal distribution below `x`, by Simpson's rule.
    fn below(x: f64) -> f64 {
        let (steps, width) = (2_000, x / 2_000.0);
        let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let inner: f64 =
            (1..steps).map(|i| f64::from(2 + 2 * (i % 2)) * density(f64::from(i) * width)).sum();
        0.5 + width / 3.0 * (density(0.0) + inner + density(x))
    }

    #[test]
    fn rounding_goes_to_the_nearest_and_ties_to_even() {
        for (x, whole) in [(0.5, 0), (1.5, 2), (-0.5, 0), (-1.5, -2), (126.6, 127), (-127.0, -127)]
        {
            assert_eq!(nearest(x), whole, "{x}");
        }
    }
}
