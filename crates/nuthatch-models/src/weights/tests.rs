//! A model file is read as it was written, and a hostile one is refused.
//!
//! `Synthetic` makes small models out of a seed; other tests use it, too.

use std::collections::BTreeMap;

use nuthatch::error::Kind;
use proptest::prelude::*;

use super::*;
use crate::encoder::Encoder;
use crate::kernels::Kernel;
use crate::safetensors::write;

/// A small model out of nothing.
pub(crate) struct Synthetic {
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) tensors: Vec<(String, Tensor)>,
    state: u64,
}

/// Words of the small vocabulary, after the special pieces.
const WORDS: &[&str] = &["seed", "##s", "nut", "##hatch", "port", "the", "a", "b", ".", "?"];

impl Synthetic {
    pub(crate) fn new() -> Self {
        let mut lines = vec!["[PAD]", "[UNK]", "[CLS]", "[SEP]"];
        lines.extend(WORDS);
        let config = serde_json::json!({
            "name": "synthetic", "version": "1", "licence": "none", "layers": 2, "hidden": 64,
            "heads": 2, "ffn": 96, "vocab": lines.len(), "max_positions": 40, "norm_eps": 1e-12,
            "query_prefix": "a ", "passage_prefix": "b ",
        });
        let metadata = BTreeMap::from([("config".to_owned(), config.to_string())]);
        let mut made = Synthetic { metadata, tensors: Vec::new(), state: 7 };
        made.bytes("embed.tokens", &[lines.len(), 64]);
        made.floats("embed.tokens.scale", &[lines.len()], |x| 0.01 + x * x * 0.01);
        made.floats("embed.positions", &[40, 64], |x| x * 0.3);
        made.norm("embed.norm");
        for layer in 0..2 {
            for (part, inputs, outputs) in [
                ("query", 64, 64),
                ("key", 64, 64),
                ("value", 64, 64),
                ("attention", 64, 64),
                ("up", 64, 96),
                ("down", 96, 64),
            ] {
                let name = format!("layer.{layer}.{part}");
                made.bytes(&format!("{name}.weight"), &[outputs, inputs]);
                made.floats(&format!("{name}.scale"), &[outputs], |x| 0.002 + x * x * 0.001);
                made.floats(&format!("{name}.bias"), &[outputs], |x| x * 0.1);
            }
            made.norm(&format!("layer.{layer}.attention_norm"));
            made.norm(&format!("layer.{layer}.output_norm"));
        }
        let bytes = Bytes::from(lines.join("\n").into_bytes());
        let shape = vec![bytes.as_slice().len()];
        made.tensors.push((VOCABULARY.into(), Tensor { dtype: Dtype::U8, shape, bytes }));
        made
    }

    /// A number between -1 and 1.
    fn next(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 40) as f32 / 8_388_608.0 - 1.0
    }

    fn bytes(&mut self, name: &str, shape: &[usize]) {
        let count: usize = shape.iter().product();
        let bytes: Vec<u8> = (0..count).map(|_| (self.next() * 127.0) as i8 as u8).collect();
        let tensor = Tensor { dtype: Dtype::I8, shape: shape.into(), bytes: bytes.into() };
        self.tensors.push((name.into(), tensor));
    }

    fn floats(&mut self, name: &str, shape: &[usize], shaped: impl Fn(f32) -> f32) {
        let count: usize = shape.iter().product();
        let bytes: Vec<u8> = (0..count).flat_map(|_| shaped(self.next()).to_le_bytes()).collect();
        let tensor = Tensor { dtype: Dtype::F32, shape: shape.into(), bytes: bytes.into() };
        self.tensors.push((name.into(), tensor));
    }

    fn norm(&mut self, name: &str) {
        self.floats(&format!("{name}.weight"), &[64], |x| 1.0 + x * 0.2);
        self.floats(&format!("{name}.bias"), &[64], |x| x * 0.1);
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        write(&self.metadata, &self.tensors).expect("a file is written")
    }

    fn tensor(&mut self, name: &str) -> &mut Tensor {
        let found = self.tensors.iter_mut().find(|(known, _)| known == name);
        &mut found.expect("there is such a tensor").1
    }

    fn configure(&mut self, key: &str, value: serde_json::Value) {
        let mut config: serde_json::Value = serde_json::from_str(&self.metadata["config"]).unwrap();
        config[key] = value;
        self.metadata.insert("config".into(), config.to_string());
    }
}

fn read(file: Vec<u8>) -> Result<Weights> {
    Weights::read(&Bytes::from(file), None)
}

fn refused(model: &Synthetic, why: &str) {
    let error = read(model.file()).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.to_string().contains(why), "{error}, not {why}");
}

#[test]
fn a_packed_file_is_the_same_model_and_packs_to_itself() {
    let plain = Synthetic::new().file();
    let packed = pack(plain.clone(), None).unwrap();
    assert_ne!(plain, packed);
    assert_eq!(pack(packed.clone(), None).unwrap(), packed);
    let [a, b] = [plain, packed.clone()].map(|file| {
        let encoder = Encoder::new(read(file).unwrap(), Kernel::best());
        encoder.encode("", &["the nuthatch seeds"]).unwrap()
    });
    assert_eq!(a, b);
    let bytes = Bytes::from(packed);
    let begin = bytes.as_slice().as_ptr() as usize;
    let weights = Weights::read(&bytes, None).unwrap();
    for linear in weights.layers.iter().flat_map(|layer| [&layer.query, &layer.up, &layer.down]) {
        let at = linear.packed.as_slice().as_ptr() as usize - begin;
        assert_eq!(at % 64, 0, "a packed matrix lies where vectors are read in one piece");
    }
}

#[test]
fn halves_are_read_as_what_they_are() {
    for (half, single) in [
        (0x0000, 0.0),
        (0x8000, -0.0),
        (0x3c00, 1.0),
        (0xc000, -2.0),
        (0x7bff, 65504.0),
        (0x0400, 6.103_515_6e-5),
        (0x0001, 5.960_464_5e-8),
        (0x83ff, -6.097_555e-5),
        (0x3555, 0.333_251_95),
    ] {
        assert_eq!(from_half(half).to_bits(), f32::to_bits(single), "{half:#06x}");
    }
    assert!(from_half(0x7c00).is_infinite() && from_half(0x7e00).is_nan());
}

#[test]
fn a_model_that_lacks_or_bends_something_is_refused() {
    let change = |why: &str, change: &dyn Fn(&mut Synthetic)| {
        let mut model = Synthetic::new();
        change(&mut model);
        refused(&model, why);
    };
    change("lacks the tensor `embed.norm.bias`", &|m| {
        m.tensors.retain(|(name, _)| name != "embed.norm.bias");
    });
    change("means nothing here: `layer.2", &|m| {
        let tensor = m.tensor("embed.norm.bias").clone();
        m.tensors.push(("layer.2.attention_norm.bias".into(), tensor));
    });
    change("no vocabulary", &|m| m.tensors.retain(|(name, _)| name != VOCABULARY));
    change("says 99 pieces", &|m| m.configure("vocab", 99.into()));
    change("not I8 [64, 64]", &|m| m.tensor("layer.1.query.weight").shape = vec![32, 128]);
    change("number that is none in `layer.0.up.scale`", &|m| {
        let tensor = m.tensor("layer.0.up.scale");
        let mut bytes = tensor.bytes.as_slice().to_vec();
        bytes[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
        tensor.bytes = bytes.into();
    });
    change("does not describe", &|m| m.metadata.clear());
    change("`hidden`", &|m| m.configure("hidden", 40.into()));
    change("`layers`", &|m| m.configure("layers", 1_000_000.into()));
    change("`vocab`", &|m| m.configure("vocab", (1_u64 << 40).into()));
    change("heads that do not divide", &|m| m.configure("heads", 3.into()));
    change("`norm_eps`", &|m| m.configure("norm_eps", 0.into()));
    change("`name`", &|m| m.configure("name", "two words".into()));
    change("describes its model wrongly", &|m| m.configure("layers", "many".into()));
    change("describes its model wrongly", &|m| m.configure("activation", "relu".into()));
}

#[test]
fn a_header_that_lies_is_refused_before_anything_is_made_for_it() {
    let refuse = |file: &[u8], why: &str| {
        let error = read(file.to_vec()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}, not {why}");
    };
    let with = |header: &str| [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
    refuse(b"", "too short");
    refuse(&u64::MAX.to_le_bytes(), "too long a header");
    refuse(&(1_u64 << 30).to_le_bytes(), "too long a header");
    refuse(&100_u64.to_le_bytes(), "ends within its header");
    refuse(&with("[]"), "cannot be read");
    refuse(&with(&"[".repeat(100_000)), "cannot be read");
    let entry = |shape: &str, offsets: &str| {
        with(&format!(r#"{{"x":{{"dtype":"I8","shape":{shape},"data_offsets":{offsets}}}}}"#))
    };
    refuse(&entry("[4]", "[0,4]"), "ends within a tensor: `x`");
    refuse(&entry("[0]", "[4,0]"), "ends within a tensor");
    refuse(&entry("[4]", "[0,0]"), "shape is not its size");
    refuse(&entry("[4294967296,4294967296,4294967296]", "[0,0]"), "shape is not its size");
    refuse(&entry("[-1]", "[0,0]"), "cannot be read");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let file = Synthetic::new().file();
    for end in (0..file.len()).step_by(997).chain(file.len() - 8..file.len()) {
        assert!(read(file[..end].to_vec()).is_err(), "cut at {end} of {}", file.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever a file says, reading and using it ends with an answer or an error.
    #[test]
    fn a_damaged_file_never_brings_anything_down(
        at in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        in_header in any::<bool>(),
    ) {
        let mut file = Synthetic::new().file();
        let header = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize + 8;
        let within = if in_header { header } else { file.len() };
        for (index, byte) in at {
            let index = index.index(within);
            file[index] = byte;
        }
        if let Ok(weights) = read(file) {
            let encoder = Encoder::new(weights, Kernel::best());
            if let Ok(vectors) = encoder.encode("", &["the nuthatch seeds", ""]) {
                prop_assert!(vectors.iter().flatten().all(|x| x.is_finite()));
            }
        }
    }
}
