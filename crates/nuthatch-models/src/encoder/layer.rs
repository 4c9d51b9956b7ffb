//! The parts of a layer that treat every token alone: embedding, matrices, norms, the mean.
//!
//! All of it is compiled for each kernel, hence `inline(always)` throughout (see `Work`).

use crate::arithmetic::{LANES, gelu, max, nearest, sum};
use crate::kernels::{PANEL, Product, Rows};
use crate::weights::{Linear, Norm, Weights};

/// Rows as bytes, each divided by its greatest number and multiplied by 127; with room for
/// the sums of their products.
#[derive(Default)]
pub(super) struct Quantised {
    bytes: Vec<i8>,
    totals: Vec<i32>,
    scales: Vec<f32>,
    sums: Vec<[i32; PANEL]>,
}

impl Quantised {
    #[inline(always)]
    pub(super) fn take(&mut self, rows: &[f32], width: usize) {
        let count = rows.len() / width;
        self.bytes.resize(rows.len(), 0);
        self.totals.resize(count, 0);
        self.scales.resize(count, 0.0);
        self.sums.resize(count, [0; PANEL]);
        let rows = rows.chunks_exact(width).zip(self.bytes.chunks_exact_mut(width));
        for ((row, bytes), (total, scale)) in rows.zip(self.totals.iter_mut().zip(&mut self.scales))
        {
            let most = max(row, f32::abs);
            let times = if most > 0.0 { 127.0 / most } else { 0.0 };
            *scale = most / 127.0;
            for (byte, x) in bytes.iter_mut().zip(row) {
                *byte = nearest(*x * times);
            }
            *total = bytes.iter().map(|byte| i32::from(*byte)).sum();
        }
    }
}

impl Linear {
    #[inline(always)]
    pub(super) fn apply(&self, product: impl Product, input: &mut Quantised, output: &mut [f32]) {
        self.finish(product, input, output, |x| x);
    }

    #[inline(always)]
    pub(super) fn apply_gelu(
        &self,
        product: impl Product,
        input: &mut Quantised,
        output: &mut [f32],
    ) {
        self.finish(product, input, output, gelu);
    }

    #[inline(always)]
    fn finish(
        &self,
        product: impl Product,
        input: &mut Quantised,
        output: &mut [f32],
        finish: impl Fn(f32) -> f32,
    ) {
        let outputs = self.bias.len();
        let Quantised { bytes, totals, scales: rows_scales, sums } = input;
        let rows = Rows { bytes, totals, width: self.inputs };
        let panels = self.packed.as_slice().chunks_exact(PANEL * self.inputs);
        let scales = self.scale.as_chunks::<PANEL>().0.iter();
        let biases = self.bias.as_chunks::<PANEL>().0.iter();
        for (at, ((panel, scales), biases)) in panels.zip(scales).zip(biases).enumerate() {
            product.panel(rows, panel, sums);
            let output = output.chunks_exact_mut(outputs);
            for ((sums, row), output) in sums.iter().zip(&*rows_scales).zip(output) {
                let output = &mut output[at * PANEL..][..PANEL];
                for i in 0..PANEL {
                    output[i] = finish(sums[i] as f32 * (*row * scales[i]) + biases[i]);
                }
            }
        }
    }
}

impl Norm {
    /// Adds `more` to `rows` and brings each row to mean zero and variance one, weighted.
    #[inline(always)]
    pub(super) fn add(&self, rows: &mut [f32], more: &[f32], eps: f32) {
        let width = self.weight.len();
        for (row, more) in rows.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
            for (x, more) in row.iter_mut().zip(more) {
                *x += *more;
            }
            self.apply(row, eps);
        }
    }

    #[inline(always)]
    fn apply(&self, row: &mut [f32], eps: f32) {
        let count = row.len() as f32;
        let mean = sum(row, |x| x) / count;
        let variance = sum(row, |x| (x - mean) * (x - mean)) / count;
        let times = 1.0 / (variance + eps).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * times * *weight + *bias;
        }
    }
}

/// The row with which a token enters the first layer.
#[inline(always)]
pub(super) fn embed(weights: &Weights, id: u32, position: usize, row: &mut [f32]) {
    let (id, width) = (id as usize, row.len());
    let scale = weights.token_scales[id];
    let bytes = &weights.tokens.as_slice()[id * width..][..width];
    let places = &weights.positions[position * width..][..width];
    for ((x, byte), place) in row.iter_mut().zip(bytes).zip(places) {
        *x = f32::from(*byte as i8) * scale + *place;
    }
    weights.norm.apply(row, weights.config.norm_eps);
}

/// The mean of rows.
#[inline(always)]
pub(super) fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let count = (rows.len() / width) as f32;
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        for (sum, x) in mean.as_chunks_mut::<LANES>().0.iter_mut().zip(row.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                sum[lane] += x[lane];
            }
        }
    }
    mean.iter_mut().for_each(|x| *x /= count);
    mean
}
