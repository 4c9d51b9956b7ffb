//! The few NEON instructions in plain code, with the names and types they have on ARM.

#![allow(non_camel_case_types, clippy::missing_safety_doc)]

use std::array::from_fn;

pub(crate) type int8x8_t = [i8; 8];
pub(crate) type uint8x8_t = [u8; 8];
pub(crate) type int16x8_t = [i16; 8];
pub(crate) type int32x2_t = [i32; 2];
pub(crate) type int32x4_t = [i32; 4];

pub(crate) fn vdupq_n_s32(x: i32) -> int32x4_t {
    [x; 4]
}

pub(crate) fn vdup_n_s32(x: i32) -> int32x2_t {
    [x; 2]
}

pub(crate) fn vdup_n_u8(x: u8) -> uint8x8_t {
    [x; 8]
}

pub(crate) fn veor_u8(a: uint8x8_t, b: uint8x8_t) -> uint8x8_t {
    from_fn(|i| a[i] ^ b[i])
}

pub(crate) fn vreinterpret_s8_u8(a: uint8x8_t) -> int8x8_t {
    a.map(|x| x as i8)
}

pub(crate) fn vreinterpret_s8_s32(a: int32x2_t) -> int8x8_t {
    from_fn(|i| a[i / 4].to_le_bytes()[i % 4] as i8)
}

// Overflow of 16 bits panics here, as tests are built: the kernel must never come near it.
pub(crate) fn vmull_s8(a: int8x8_t, b: int8x8_t) -> int16x8_t {
    from_fn(|i| i16::from(a[i]) * i16::from(b[i]))
}

pub(crate) fn vmlal_s8(sum: int16x8_t, a: int8x8_t, b: int8x8_t) -> int16x8_t {
    from_fn(|i| sum[i].checked_add(i16::from(a[i]) * i16::from(b[i])).expect("fits in 16 bits"))
}

pub(crate) fn vpadalq_s16(sum: int32x4_t, a: int16x8_t) -> int32x4_t {
    from_fn(|i| sum[i] + i32::from(a[2 * i]) + i32::from(a[2 * i + 1]))
}

pub(crate) fn vpaddq_s32(a: int32x4_t, b: int32x4_t) -> int32x4_t {
    [a[0] + a[1], a[2] + a[3], b[0] + b[1], b[2] + b[3]]
}

pub(crate) unsafe fn vld1_u8(at: *const u8) -> uint8x8_t {
    // SAFETY: as the caller promises.
    unsafe { at.cast::<[u8; 8]>().read_unaligned() }
}

pub(crate) unsafe fn vst1q_s32(at: *mut i32, a: int32x4_t) {
    // SAFETY: as the caller promises.
    unsafe { at.cast::<[i32; 4]>().write_unaligned(a) }
}
