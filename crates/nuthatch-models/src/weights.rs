//! A model as numbers in memory: checked, and laid out for the kernels.
//!
//! [`Weights::read`] takes a container (see `safetensors`) of the architecture that is
//! documented in `docs/models.md` and refuses everything else. Large matrices stay where
//! they lie if the file is packed (see `pack`); only scales, biases and norms are copied.

mod config;
mod pack;

#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use nuthatch::error::{Error, Result};

use crate::bytes::Bytes;
use crate::safetensors::{Container, Dtype, Tensor};
use crate::tokenizer::Vocabulary;
pub(crate) use config::Config;
pub(crate) use pack::BLOCK;
pub use pack::pack;

/// The tensor that holds the vocabulary, one piece a line.
const VOCABULARY: &str = "vocab";

/// Everything that a model computes with.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) config: Config,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) tokens: Bytes,
    pub(crate) token_scales: Vec<f32>,
    pub(crate) positions: Vec<f32>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
}

/// One layer of the transformer.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) query: Linear,
    pub(crate) key: Linear,
    pub(crate) value: Linear,
    pub(crate) attention: Linear,
    pub(crate) attention_norm: Norm,
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    pub(crate) output_norm: Norm,
}

/// A matrix of bytes with a scale and a bias for each row of it.
#[derive(Debug)]
pub(crate) struct Linear {
    pub(crate) inputs: usize,
    pub(crate) packed: Bytes,
    pub(crate) scale: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// Weight and bias of a layer norm.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl Weights {
    /// Reads a model file. The vocabulary is the file's own, or the one given beside it.
    pub(crate) fn read(file: &Bytes, beside: Option<Bytes>) -> Result<Self> {
        let Container { metadata, tensors } = Container::parse(file)?;
        let config = Config::parse(&metadata)?;
        let mut parts = Parts { tensors };
        let vocabulary = match (parts.tensors.remove(VOCABULARY), beside) {
            (Some(tensor), _) => tensor.bytes,
            (None, Some(beside)) => beside,
            (None, None) => {
                return Err(wrong("has no vocabulary").with_hint("put vocab.txt beside it"));
            }
        };
        let vocabulary = Vocabulary::parse(vocabulary)?;
        if vocabulary.len() != config.vocab {
            let (has, says) = (vocabulary.len(), config.vocab);
            return Err(wrong(&format!("says {says} pieces, its vocabulary has {has}")));
        }
        let (h, positions) = (config.hidden, config.max_positions);
        let weights = Weights {
            tokens: parts.tensor("embed.tokens", Dtype::I8, &[config.vocab, h])?.bytes,
            token_scales: parts.floats("embed.tokens.scale", &[config.vocab])?,
            positions: parts.floats("embed.positions", &[positions, h])?,
            norm: parts.norm("embed.norm", h)?,
            layers: (0..config.layers)
                .map(|layer| parts.layer(layer, &config))
                .collect::<Result<_>>()?,
            vocabulary,
            config,
        };
        match parts.tensors.keys().next() {
            Some(name) => Err(wrong(&format!("has a tensor that means nothing here: `{name}`"))),
            None => Ok(weights),
        }
    }
}

/// The tensors that have not found their place yet.
struct Parts {
    tensors: BTreeMap<String, Tensor>,
}

impl Parts {
    fn take(&mut self, name: &str) -> Result<Tensor> {
        self.tensors.remove(name).ok_or_else(|| wrong(&format!("lacks the tensor `{name}`")))
    }

    fn tensor(&mut self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<Tensor> {
        let tensor = self.take(name)?;
        if tensor.dtype != dtype || tensor.shape != shape {
            let has = format!("{:?} {:?}", tensor.dtype, tensor.shape);
            return Err(wrong(&format!("has `{name}` as {has}, not {dtype:?} {shape:?}")));
        }
        Ok(tensor)
    }

    /// Numbers of either width, all of them finite.
    fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let half = self.tensors.get(name).is_some_and(|tensor| tensor.dtype == Dtype::F16);
        let dtype = if half { Dtype::F16 } else { Dtype::F32 };
        let tensor = self.tensor(name, dtype, shape)?;
        let bytes = tensor.bytes.as_slice();
        let numbers: Vec<f32> = if half {
            let words = bytes.as_chunks::<2>().0;
            words.iter().map(|word| from_half(u16::from_le_bytes(*word))).collect()
        } else {
            bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect()
        };
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(wrong(&format!("has a number that is none in `{name}`")));
        }
        Ok(numbers)
    }

    fn norm(&mut self, name: &str, hidden: usize) -> Result<Norm> {
        let weight = self.floats(&format!("{name}.weight"), &[hidden])?;
        let bias = self.floats(&format!("{name}.bias"), &[hidden])?;
        Ok(Norm { weight, bias })
    }

    fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> Result<Linear> {
        let weight = format!("{name}.weight");
        let plain = self.tensors.get(&weight).is_some_and(|tensor| tensor.dtype == Dtype::I8);
        let packed = if plain {
            let tensor = self.tensor(&weight, Dtype::I8, &[outputs, inputs])?;
            Bytes::from(pack::blocks(tensor.bytes.as_slice(), inputs))
        } else {
            self.tensor(&weight, Dtype::U8, &pack::shape(inputs, outputs))?.bytes
        };
        let scale = self.floats(&format!("{name}.scale"), &[outputs])?;
        let bias = self.floats(&format!("{name}.bias"), &[outputs])?;
        Ok(Linear { inputs, packed, scale, bias })
    }

    fn layer(&mut self, layer: usize, config: &Config) -> Result<Layer> {
        let (h, f) = (config.hidden, config.ffn);
        let name = |part: &str| format!("layer.{layer}.{part}");
        Ok(Layer {
            query: self.linear(&name("query"), h, h)?,
            key: self.linear(&name("key"), h, h)?,
            value: self.linear(&name("value"), h, h)?,
            attention: self.linear(&name("attention"), h, h)?,
            attention_norm: self.norm(&name("attention_norm"), h)?,
            up: self.linear(&name("up"), h, f)?,
            down: self.linear(&name("down"), f, h)?,
            output_norm: self.norm(&name("output_norm"), h)?,
        })
    }
}

/// An IEEE half as a single, exactly.
fn from_half(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half) & 0x3ff;
    match exponent {
        // Subnormal: the fraction counts units of 2^-24.
        0 => f32::from_bits((fraction as f32 * (1.0 / 16_777_216.0)).to_bits() | sign),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("the model file {what}"))
}
