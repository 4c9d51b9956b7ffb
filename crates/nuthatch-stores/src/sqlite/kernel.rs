//! The inner loop of a vector search: four-bit codes times int8, in exact whole numbers.
//!
//! A code holds two components in a byte, the first half of a vector in the low nibbles and
//! the second half in the high ones, each from 0 to 15. Every way of adding them up here gives
//! the same integer. On processors without a path of their own the plain loop is compiled to
//! whatever vector instructions every such processor has.

/// A query made ready: its components in the order of the nibbles.
pub struct Probe {
    low: Vec<i8>,
    high: Vec<i8>,
    add_up: AddUp,
}

/// Adds up one row: codes, and the query's halves.
type AddUp = fn(&[u8], &[i8], &[i8]) -> i32;

impl Probe {
    /// A probe of a vector. An odd number of components is filled up with nothing.
    pub fn new(components: &[i8]) -> Self {
        let half = components.len().div_ceil(2);
        let mut high = components[half..].to_vec();
        high.resize(half, 0);
        Probe { low: components[..half].to_vec(), high, add_up: fastest() }
    }

    /// Bytes of one row of codes.
    pub fn stride(&self) -> usize {
        self.low.len()
    }

    /// The sum of products with a row of codes.
    #[inline]
    pub fn dot(&self, codes: &[u8]) -> i32 {
        (self.add_up)(codes, &self.low, &self.high)
    }

    /// The sum of the query's components.
    pub fn sum(&self) -> i32 {
        self.low.iter().chain(&self.high).map(|q| i32::from(*q)).sum()
    }
}

/// Adds up in the plainest way.
fn plain(codes: &[u8], low: &[i8], high: &[i8]) -> i32 {
    let mut sum = 0;
    for ((code, low), high) in codes.iter().zip(low).zip(high) {
        sum += i32::from(code & 15) * i32::from(*low) + i32::from(code >> 4) * i32::from(*high);
    }
    sum
}

#[cfg(not(target_arch = "x86_64"))]
fn fastest() -> AddUp {
    plain
}

#[cfg(target_arch = "x86_64")]
fn fastest() -> AddUp {
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vnni")
    {
        return x86::wide;
    }
    if is_x86_feature_detected!("avx2") { x86::middle } else { plain }
}

/// Intrinsics need `unsafe`: the processor was asked before, and every load lies within the
/// slices, whose lengths are compared first.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    /// With AVX-512 VNNI: 64 bytes of codes at a time.
    pub fn wide(codes: &[u8], low: &[i8], high: &[i8]) -> i32 {
        assert!(codes.len() == low.len() && codes.len() == high.len());
        // SAFETY: only chosen where the processor has these instructions.
        unsafe { wide_unchecked(codes, low, high) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn wide_unchecked(codes: &[u8], low: &[i8], high: &[i8]) -> i32 {
        let nibble = _mm512_set1_epi8(15);
        let (mut lows, mut highs) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let whole = codes.len() / 64 * 64;
        for at in (0..whole).step_by(64) {
            // SAFETY: `at + 64` is within all three slices.
            let (code, low, high) = unsafe {
                (
                    _mm512_loadu_si512(codes.as_ptr().add(at).cast()),
                    _mm512_loadu_si512(low.as_ptr().add(at).cast()),
                    _mm512_loadu_si512(high.as_ptr().add(at).cast()),
                )
            };
            lows = _mm512_dpbusd_epi32(lows, _mm512_and_si512(code, nibble), low);
            let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(code), nibble);
            highs = _mm512_dpbusd_epi32(highs, upper, high);
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(lows, highs))
            + super::plain(&codes[whole..], &low[whole..], &high[whole..])
    }

    /// With AVX2: 32 bytes of codes at a time.
    pub fn middle(codes: &[u8], low: &[i8], high: &[i8]) -> i32 {
        assert!(codes.len() == low.len() && codes.len() == high.len());
        // SAFETY: only chosen where the processor has these instructions.
        unsafe { middle_unchecked(codes, low, high) }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn middle_unchecked(codes: &[u8], low: &[i8], high: &[i8]) -> i32 {
        let nibble = _mm256_set1_epi8(15);
        let ones = _mm256_set1_epi16(1);
        let mut sums = _mm256_setzero_si256();
        let whole = codes.len() / 32 * 32;
        for at in (0..whole).step_by(32) {
            // SAFETY: `at + 32` is within all three slices.
            let (code, low, high) = unsafe {
                (
                    _mm256_loadu_si256(codes.as_ptr().add(at).cast()),
                    _mm256_loadu_si256(low.as_ptr().add(at).cast()),
                    _mm256_loadu_si256(high.as_ptr().add(at).cast()),
                )
            };
            // Two products of at most 15 * 128 each, and two of those: far from 16 bits.
            let lower = _mm256_maddubs_epi16(_mm256_and_si256(code, nibble), low);
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(code), nibble);
            let pair = _mm256_add_epi16(lower, _mm256_maddubs_epi16(upper, high));
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pair, ones));
        }
        let halves =
            _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let quarters = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b01_00_11_10>(halves));
        let eighths = _mm_add_epi32(quarters, _mm_shuffle_epi32::<0b10_11_00_01>(quarters));
        _mm_cvtsi128_si32(eighths) + super::plain(&codes[whole..], &low[whole..], &high[whole..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that repeat themselves late.
    fn noise(seed: u64, len: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let step = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        (0..len).map(step).collect()
    }

    fn paths() -> Vec<AddUp> {
        let mut paths: Vec<AddUp> = vec![plain, fastest()];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            paths.push(x86::middle);
        }
        paths
    }

    #[test]
    fn every_path_gives_the_same_integer() {
        for len in [0, 1, 3, 31, 32, 33, 64, 100, 192, 193, 512, 1000] {
            for seed in 0..20 {
                let codes = noise(seed, len);
                let low: Vec<i8> = noise(seed + 100, len).into_iter().map(|b| b as i8).collect();
                let high: Vec<i8> = noise(seed + 200, len).into_iter().map(|b| b as i8).collect();
                let expected = plain(&codes, &low, &high);
                for path in paths() {
                    assert_eq!(path(&codes, &low, &high), expected, "{len} {seed}");
                }
            }
        }
        let (codes, low) = (vec![0xFF; 4096], vec![-128_i8; 4096]);
        for path in paths() {
            assert_eq!(path(&codes, &low, &low), -128 * 15 * 2 * 4096);
        }
    }
}
