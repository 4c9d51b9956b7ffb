//! Reads the safetensors container: a length, a JSON header, and tensors as plain bytes.
//!
//! Trusts nothing: every size is checked against the bytes that are there before anything is
//! allocated for it. Knows nothing of models (see `weights`).

use std::collections::BTreeMap;
use std::ops::Range;

use nuthatch::error::{Error, Result};
use serde::Deserialize;

use crate::bytes::Bytes;

/// Forty times the header of a model of twelve layers.
const LONGEST_HEADER: usize = 1 << 20;

/// The kinds of number that models here are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Dtype {
    I8,
    U8,
    F16,
    F32,
}

impl Dtype {
    /// Bytes of one number.
    pub(crate) fn width(self) -> usize {
        match self {
            Dtype::I8 | Dtype::U8 => 1,
            Dtype::F16 => 2,
            Dtype::F32 => 4,
        }
    }
}

/// One tensor: its kind, its shape, its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Bytes,
}

/// A container whose header holds together.
#[derive(Debug)]
pub(crate) struct Container {
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) tensors: BTreeMap<String, Tensor>,
}

#[derive(Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default)]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    dtype: Dtype,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Container {
    /// Reads the header and finds every tensor. Copies nothing.
    pub(crate) fn parse(bytes: &Bytes) -> Result<Self> {
        let all = bytes.as_slice();
        let (length, rest) = all.split_first_chunk::<8>().ok_or_else(|| wrong("is too short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > LONGEST_HEADER {
            return Err(wrong("has too long a header, or is no safetensors file"));
        }
        let header = rest.get(..length).ok_or_else(|| wrong("ends within its header"))?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| wrong("has a header that cannot be read").with_source(error))?;
        let data = bytes.slice(8 + length..all.len());
        let size = all.len() - 8 - length;
        let mut tensors = BTreeMap::new();
        for (name, entry) in header.tensors {
            let range = entry.range(size).map_err(|what| wrong(&format!("{what}: `{name}`")))?;
            let bytes = data.slice(range);
            tensors.insert(name, Tensor { dtype: entry.dtype, shape: entry.shape, bytes });
        }
        Ok(Container { metadata: header.metadata, tensors })
    }
}

impl Entry {
    /// The tensor's bytes, if its shape, its kind and the data agree.
    fn range(&self, size: usize) -> Result<Range<usize>, &'static str> {
        let [start, end] = self.data_offsets;
        if start > end || end > size {
            return Err("ends within a tensor");
        }
        let bytes = self.shape.iter().try_fold(self.dtype.width(), |n, side| n.checked_mul(*side));
        if bytes != Some(end - start) {
            return Err("has a tensor whose shape is not its size");
        }
        Ok(start..end)
    }
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("the model file {what}"))
}

/// Writes a container: metadata and tensors in the order given, the data beginning at a
/// multiple of 64 bytes, so that aligned tensors stay aligned.
pub(crate) fn write(
    metadata: &BTreeMap<String, String>,
    tensors: &[(String, Tensor)],
) -> Result<Vec<u8>> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), serde_json::json!(metadata));
    let mut at = 0;
    for (name, tensor) in tensors {
        let end = at + tensor.bytes.as_slice().len();
        let dtype = format!("{:?}", tensor.dtype);
        let entry =
            serde_json::json!({"dtype": dtype, "shape": tensor.shape, "data_offsets": [at, end]});
        header.insert(name.clone(), entry);
        at = end;
    }
    let mut header = serde_json::to_vec(&header)
        .map_err(|error| Error::internal("a header cannot be written").with_source(error))?;
    header.resize((header.len() + 8).next_multiple_of(64) - 8, b' ');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.append(&mut header);
    for (_, tensor) in tensors {
        file.extend_from_slice(tensor.bytes.as_slice());
    }
    Ok(file)
}
