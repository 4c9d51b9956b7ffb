//! How matrices lie in memory so that every kernel reads them straight on.
//!
//! Outputs go in blocks of sixteen; within a block four inputs of each output stand side by
//! side, then the next four. Each number is stored with 128 added, as the byte that the
//! quickest instruction wants. `[out, in]` becomes `[out / 16, in / 4, 16, 4]`.

use nuthatch::error::Result;

use super::{VOCABULARY, Weights, wrong};
use crate::bytes::Bytes;
use crate::safetensors::{Container, Dtype, Tensor, write};

/// Outputs of a block.
pub(crate) const BLOCK: usize = 16;

/// Inputs of one output that stand side by side.
const GROUP: usize = 4;

/// The shape of a packed matrix.
pub(super) fn shape(inputs: usize, outputs: usize) -> [usize; 4] {
    [outputs / BLOCK, inputs / GROUP, BLOCK, GROUP]
}

/// Packs a matrix of rows of `inputs` bytes.
pub(super) fn blocks(plain: &[u8], inputs: usize) -> Vec<u8> {
    let mut packed = Vec::with_capacity(plain.len());
    for block in plain.chunks_exact(BLOCK * inputs) {
        for group in (0..inputs).step_by(GROUP) {
            for output in 0..BLOCK {
                let at = output * inputs + group;
                packed.extend(block[at..at + GROUP].iter().map(|byte| byte ^ 0x80));
            }
        }
    }
    packed
}

/// Turns a plain model file and its vocabulary into one packed file, which loads without
/// any work.
///
/// # Errors
/// `invalid`, saying what, when the file is not one of the documented form.
pub fn pack(plain: Vec<u8>, vocabulary: Option<Vec<u8>>) -> Result<Vec<u8>> {
    let plain = Bytes::from(plain);
    let vocabulary = vocabulary.map(Bytes::from);
    Weights::read(&plain, vocabulary.clone())?;
    let Container { metadata, mut tensors } = Container::parse(&plain)?;
    if let (None, Some(bytes)) = (tensors.get(VOCABULARY), vocabulary) {
        let shape = vec![bytes.as_slice().len()];
        tensors.insert(VOCABULARY.into(), Tensor { dtype: Dtype::U8, shape, bytes });
    }
    let mut ordered: Vec<(String, Tensor)> = Vec::new();
    for (name, mut tensor) in tensors {
        if let (true, Dtype::I8, [outputs, inputs]) =
            (name.ends_with(".weight"), tensor.dtype, tensor.shape.as_slice())
        {
            let bytes = Bytes::from(blocks(tensor.bytes.as_slice(), *inputs));
            tensor = Tensor { dtype: Dtype::U8, shape: shape(*inputs, *outputs).into(), bytes };
        }
        ordered.push((name, tensor));
    }
    // Matrices first: their sizes are multiples of 64 bytes, so each begins at one.
    ordered.sort_by_key(|(_, tensor)| std::cmp::Reverse(tensor.shape.len()));
    let packed = write(&metadata, &ordered)?;
    match Weights::read(&Bytes::from(packed.clone()), None) {
        Ok(_) => Ok(packed),
        Err(error) => Err(wrong("cannot be packed").with_source(error)),
    }
}
