//! The shape of a model, as its file states it, within bounds that keep arithmetic exact.
//!
//! Anything beyond them is refused here, so that nothing behind has to ask again.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use nuthatch::error::Result;
use serde::{Deserialize, Serialize};

use super::wrong;
use crate::tokenizer::MOST_PIECES;

/// What the file says about its model.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    pub(crate) layers: usize,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) ffn: usize,
    pub(crate) vocab: usize,
    pub(crate) max_positions: usize,
    pub(crate) norm_eps: f32,
    pub(crate) query_prefix: String,
    pub(crate) passage_prefix: String,
}

impl Config {
    /// Reads the `config` entry of a file's metadata.
    pub(crate) fn parse(metadata: &BTreeMap<String, String>) -> Result<Self> {
        let text = metadata.get("config").ok_or_else(|| wrong("does not describe its model"))?;
        let config: Config = serde_json::from_str(text)
            .map_err(|error| wrong("describes its model wrongly").with_source(error))?;
        config.check()?;
        Ok(config)
    }

    /// Numbers per attention head.
    pub(crate) fn head(&self) -> usize {
        self.hidden / self.heads
    }

    fn check(&self) -> Result<()> {
        within("layers", self.layers, 1..=64, 1)?;
        // Kernels take outputs 32 at a time, and attention a head 16 at a time.
        within("hidden", self.hidden, 32..=2048, 32)?;
        within("heads", self.heads, 1..=self.hidden, 1)?;
        // At most 8192 products of 127 by 255 stay far below 2^31.
        within("ffn", self.ffn, 32..=8192, 32)?;
        within("vocab", self.vocab, 4..=MOST_PIECES, 1)?;
        within("max_positions", self.max_positions, 4..=8192, 1)?;
        let whole = self.hidden.is_multiple_of(self.heads) && self.head().is_multiple_of(16);
        if !whole || self.head() > 128 {
            return Err(wrong("describes heads that do not divide its hidden size by sixteens"));
        }
        if !(self.norm_eps > 0.0 && self.norm_eps < 1.0) {
            return Err(wrong("has a `norm_eps` that is no small number"));
        }
        named("name", &self.name)?;
        named("version", &self.version)?;
        let texts = [&self.licence, &self.query_prefix, &self.passage_prefix];
        if texts.iter().any(|text| text.len() > 200 || text.chars().any(char::is_control)) {
            return Err(wrong("describes its model at too great length"));
        }
        Ok(())
    }
}

fn within(what: &str, value: usize, range: RangeInclusive<usize>, step: usize) -> Result<()> {
    if range.contains(&value) && value.is_multiple_of(step) {
        return Ok(());
    }
    let (least, most) = (range.start(), range.end());
    let step = if step > 1 { format!(" in steps of {step}") } else { String::new() };
    Err(wrong(&format!("has {value} as `{what}`; it may be {least} to {most}{step}")))
}

/// Names become part of an id that is stored with every vector.
fn named(what: &str, text: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:+".contains(c);
    if !text.is_empty() && text.len() <= 100 && text.chars().all(plain) {
        return Ok(());
    }
    Err(wrong(&format!("has a `{what}` that is not plain letters, digits and ._-/:+")))
}
