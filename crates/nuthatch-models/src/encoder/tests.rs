//! The encoder computes what the architecture says, and the same on every kernel.

use super::*;
use crate::bytes::Bytes;
use crate::weights::tests::Synthetic;
use crate::weights::{Linear, Norm};

const TEXTS: [&str; 6] = [
    "the nuthatch",
    "seeds? the port. a b nut unknownword",
    "",
    "the the the the the the the the the the the the the the the the the the",
    "b",
    "nut nut hatch . . ? a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a",
];

fn encoder(kernel: Kernel) -> Encoder {
    let weights = Weights::read(&Bytes::from(Synthetic::new().file()), None).unwrap();
    Encoder::new(weights, kernel)
}

/// Changes only when the arithmetic does; then every vector that is stored anywhere is
/// of another model, and the built-in model needs a new version.
const GOLDEN: &str = "405b9d3098ca02b35fed7c1f79ed9c17";

#[test]
fn every_kernel_gives_the_same_bits_as_on_every_other_machine() {
    for kernel in Kernel::available() {
        let vectors = encoder(kernel).encode("a ", &TEXTS).unwrap();
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(blake3::hash(&bytes).to_hex()[..32], *GOLDEN, "{kernel:?}");
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_in_company() {
    let encoder = encoder(Kernel::best());
    let many: Vec<&str> = TEXTS.iter().cycle().take(60).copied().collect();
    let together = encoder.encode("b ", &many).unwrap();
    assert_eq!(together.len(), 60);
    for (text, vector) in many.iter().zip(together) {
        assert_eq!(encoder.encode("b ", &[text]).unwrap(), [vector], "{text:?}");
    }
    assert!(encoder.encode("b ", &[]).unwrap().is_empty());
}

#[test]
fn a_long_text_is_cut_at_the_limit_of_the_model() {
    let encoder = encoder(Kernel::best());
    let ids = encoder.tokens("a ", &"the ".repeat(100_000));
    assert_eq!(ids.len(), 40);
    let whole = encoder.encode("a ", &["the ".repeat(37).as_str()]).unwrap();
    assert_eq!(encoder.encode("a ", &["the ".repeat(5_000).as_str()]).unwrap(), whole);
    assert_ne!(encoder.encode("a ", &["the ".repeat(36).as_str()]).unwrap(), whole);
}

#[test]
fn a_prefix_and_a_text_are_tokenized_as_one() {
    let encoder = encoder(Kernel::best());
    for text in TEXTS {
        assert_eq!(encoder.tokens("a ", text), encoder.tokens("", &format!("a {text}")));
    }
}

#[test]
fn vectors_are_those_of_the_architecture() {
    let encoder = encoder(Kernel::best());
    for text in TEXTS {
        let ours = encoder.encode("", &[text]).unwrap().remove(0);
        let right = definition(&encoder.weights, &encoder.tokens("", text));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let ours: Vec<f64> = ours.into_iter().map(f64::from).collect();
        let cosine = dot(&ours, &right) / (dot(&ours, &ours) * dot(&right, &right)).sqrt();
        assert!(cosine > 0.999, "{cosine} for {text:?}");
    }
}

type Rows = Vec<Vec<f64>>;

/// BERT in double floats, without rounding to bytes, as plainly as it can be said.
fn definition(weights: &Weights, ids: &[u32]) -> Vec<f64> {
    let (h, head) = (weights.config.hidden, weights.config.head());
    let mut rows: Rows = Vec::new();
    for (position, id) in ids.iter().enumerate() {
        let token = &weights.tokens.as_slice()[*id as usize * h..][..h];
        let scale = f64::from(weights.token_scales[*id as usize]);
        let place = &weights.positions[position * h..][..h];
        let row = token.iter().zip(place);
        rows.push(row.map(|(x, p)| f64::from(*x as i8) * scale + f64::from(*p)).collect());
    }
    normalise(&mut rows, &weights.norm);
    for layer in &weights.layers {
        let [q, k, v] = [&layer.query, &layer.key, &layer.value].map(|l| multiply(&rows, l));
        let mut mixed = vec![vec![0.0; h]; rows.len()];
        for first in (0..h).step_by(head) {
            for (i, mixed) in mixed.iter_mut().enumerate() {
                let seen: Vec<f64> = (0..rows.len())
                    .map(|j| (first..first + head).map(|d| q[i][d] * k[j][d]).sum::<f64>())
                    .map(|x| (x / (head as f64).sqrt()).exp())
                    .collect();
                let all: f64 = seen.iter().sum();
                for d in first..first + head {
                    mixed[d] = (0..rows.len()).map(|j| seen[j] / all * v[j][d]).sum();
                }
            }
        }
        add(&mut rows, &multiply(&mixed, &layer.attention));
        normalise(&mut rows, &layer.attention_norm);
        let mut wide = multiply(&rows, &layer.up);
        wide.iter_mut().flatten().for_each(|x| *x = f64::from(crate::arithmetic::gelu(*x as f32)));
        add(&mut rows, &multiply(&wide, &layer.down));
        normalise(&mut rows, &layer.output_norm);
    }
    (0..h).map(|d| rows.iter().map(|row| row[d]).sum::<f64>() / rows.len() as f64).collect()
}

fn multiply(rows: &Rows, linear: &Linear) -> Rows {
    let packed = linear.packed.as_slice();
    let weight = |output: usize, input: usize| {
        let block = &packed[output / 16 * 16 * linear.inputs..];
        f64::from(block[input / 4 * 64 + output % 16 * 4 + input % 4]) - 128.0
    };
    let output = |row: &Vec<f64>, o: usize| {
        let sum: f64 = row.iter().enumerate().map(|(i, x)| x * weight(o, i)).sum();
        sum * f64::from(linear.scale[o]) + f64::from(linear.bias[o])
    };
    rows.iter().map(|row| (0..linear.bias.len()).map(|o| output(row, o)).collect()).collect()
}

fn add(rows: &mut Rows, more: &Rows) {
    for (row, more) in rows.iter_mut().zip(more) {
        row.iter_mut().zip(more).for_each(|(x, more)| *x += more);
    }
}

fn normalise(rows: &mut Rows, norm: &Norm) {
    for row in rows {
        let count = row.len() as f64;
        let mean = row.iter().sum::<f64>() / count;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        for (i, x) in row.iter_mut().enumerate() {
            let centred = (*x - mean) / (variance + 1e-12).sqrt();
            *x = centred * f64::from(norm.weight[i]) + f64::from(norm.bias[i]);
        }
    }
}
