//! The direction of a meaning, in whole numbers.
//!
//! A model gives floating point; what is kept and compared is int8, so that sums are exact
//! and a comparison gives the same answer on every machine, in any order of summation.

use serde::{Deserialize, Serialize};

pub use crate::id::ModelId;

/// The greatest magnitude of a component. −128 is left out, so that a direction and its
/// opposite have the same length.
pub const FULL: i8 = 127;

/// A direction. Only the angle between two of them means anything, never the length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vector(Vec<i8>);

impl Vector {
    /// The nearest direction in int8: the component of the greatest magnitude becomes ±127.
    /// What is no number counts as nothing.
    #[must_use]
    pub fn quantise(components: &[f32]) -> Self {
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        let most = components.iter().fold(0.0_f32, |most, x| most.max(finite(*x).abs()));
        if most == 0.0 {
            return Vector(vec![0; components.len()]);
        }
        let full = f32::from(FULL);
        // Division before multiplication: no component can leave the range by rounding.
        Vector(components.iter().map(|x| (finite(*x) / most * full).round() as i8).collect())
    }

    /// A vector of these components, as a store gives them back.
    #[must_use]
    pub fn of(components: Vec<i8>) -> Self {
        Vector(components)
    }

    /// Its components.
    #[must_use]
    pub fn components(&self) -> &[i8] {
        &self.0
    }

    /// How many components it has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// The cosine of the angle to another: 1 for the same direction, 0 where nothing is in
    /// common or one of them has no direction, or another number of dimensions.
    #[must_use]
    pub fn cosine(&self, other: &Vector) -> f64 {
        cosine(&self.0, &other.0)
    }
}

/// [`Vector::cosine`] of plain components.
#[must_use]
pub fn cosine(a: &[i8], b: &[i8]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    cosine_of(dot(a, b), dot(a, a), dot(b, b))
}

/// The cosine out of the three exact sums it is made of.
#[must_use]
pub fn cosine_of(product: i64, square_a: i64, square_b: i64) -> f64 {
    let squares = square_a as f64 * square_b as f64;
    if squares > 0.0 { product as f64 / squares.sqrt() } else { 0.0 }
}

/// The sum of the products of components.
#[must_use]
pub fn dot(a: &[i8], b: &[i8]) -> i64 {
    /// So many products of int8 fit into 32 bits, twice over.
    const CHUNK: usize = 1 << 16;
    let part = |(a, b): (&[i8], &[i8])| {
        let sum: i32 = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        i64::from(sum)
    };
    a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_keeps_its_angle() {
        let a = Vector::quantise(&[3.0, 4.0, 0.0]);
        let b = Vector::quantise(&[30.0, 40.0, 0.0]);
        assert_eq!(a, b);
        assert_eq!(a.components(), [95, 127, 0]);
        assert!((a.cosine(&b) - 1.0).abs() < 1e-12);
        let opposite = Vector::quantise(&[-3.0, -4.0, 0.0]);
        assert!((a.cosine(&opposite) + 1.0).abs() < 1e-12);
        assert_eq!(a.cosine(&Vector::quantise(&[0.0, 0.0, 7.0])), 0.0);
    }

    #[test]
    fn what_is_no_number_or_no_direction_is_like_nothing() {
        let odd = Vector::quantise(&[f32::NAN, f32::INFINITY, 1.0, -2.0]);
        assert_eq!(odd.components(), [0, 0, 64, -127]);
        let none = Vector::quantise(&[0.0, 0.0, 0.0, 0.0]);
        assert_eq!(none.cosine(&odd), 0.0);
        assert_eq!(Vector::quantise(&[1.0]).cosine(&odd), 0.0);
        assert_eq!(Vector::default().cosine(&Vector::default()), 0.0);
    }

    #[test]
    fn sums_are_exact_however_long_the_vector_is() {
        let full = vec![FULL; 300_000];
        assert_eq!(dot(&full, &full), 300_000 * 127 * 127);
        let tiny = [f32::MIN_POSITIVE, f32::MAX, -f32::MAX];
        assert_eq!(Vector::quantise(&tiny).components(), [0, 127, -127]);
    }
}
