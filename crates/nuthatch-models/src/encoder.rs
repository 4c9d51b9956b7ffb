//! Texts to vectors: the forward pass of a BERT-shaped model in bytes.
//!
//! Tokens of several texts go through the layers as one matrix without padding; only
//! attention (see `attention`) looks at the borders. Matrices are products of bytes (see
//! `kernels`), everything between them single floats in a fixed order (see `arithmetic`),
//! so that a text has the same vector alone or in company, here or elsewhere.

mod attention;
mod layer;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use nuthatch::error::{Error, Result};

use crate::kernels::{Kernel, Product, Work};
use crate::tokenizer::tokenize;
use crate::weights::Weights;
use layer::Quantised;
use nuthatch::embedder::Purpose;

/// Tokens that go through the layers together: enough that the matrices are read seldom,
/// few enough that what lies between two layers stays near.
const TOGETHER: usize = 192;

/// A model, ready to work.
pub(crate) struct Encoder {
    pub(crate) weights: Weights,
    kernel: Kernel,
    /// Memory of earlier calls, as much as ever worked at once.
    spare: Mutex<Vec<Scratch>>,
}

/// Tokens of texts one after the other, and where each text lies.
#[derive(Default)]
struct Batch {
    ids: Vec<u32>,
    spans: Vec<Range<usize>>,
}

impl Encoder {
    pub(crate) fn new(weights: Weights, kernel: Kernel) -> Self {
        Encoder { weights, kernel, spare: Mutex::default() }
    }

    /// The direction of each text as the mean of its tokens, not normalised.
    pub(crate) fn encode(&self, prefix: &str, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut scratch = self.lend();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch = Batch::default();
        for text in texts {
            let ids = self.tokens(prefix, text);
            if batch.ids.len() + ids.len() > TOGETHER && !batch.ids.is_empty() {
                self.forward(&batch, &mut scratch, &mut vectors);
                batch = Batch::default();
            }
            batch.spans.push(batch.ids.len()..batch.ids.len() + ids.len());
            batch.ids.extend(ids);
        }
        self.forward(&batch, &mut scratch, &mut vectors);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        if vectors.iter().flatten().all(|x| x.is_finite()) {
            Ok(vectors)
        } else {
            Err(Error::invalid("the model's numbers grow beyond all bounds"))
        }
    }

    /// What the model was taught to read before a text of this purpose.
    pub(crate) fn prefix(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Query => &self.weights.config.query_prefix,
            Purpose::Passage => &self.weights.config.passage_prefix,
        }
    }

    /// The piece numbers of a text, cut at the model's own limit.
    pub(crate) fn tokens(&self, prefix: &str, text: &str) -> Vec<u32> {
        let config = &self.weights.config;
        // A prefix ends with a blank, so that it can be tokenized apart; but a text may be
        // long, and is not copied to find out.
        let mut ids = tokenize(&self.weights.vocabulary, prefix, config.max_positions);
        if text.is_empty() {
            return ids;
        }
        ids.pop();
        let limit = config.max_positions.saturating_sub(ids.len() - 1);
        let rest = tokenize(&self.weights.vocabulary, text, limit);
        ids.extend(rest.into_iter().skip(1));
        ids
    }

    fn forward(&self, batch: &Batch, scratch: &mut Scratch, vectors: &mut Vec<Vec<f32>>) {
        if !batch.ids.is_empty() {
            self.kernel.run(Forward { weights: &self.weights, batch, scratch, vectors });
        }
    }

    fn lend(&self) -> Scratch {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}

/// Numbers on their way through the layers, one row for each token.
#[derive(Default)]
struct Scratch {
    hidden: Vec<f32>,
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    bytes: Quantised,
    attention: attention::Scratch,
}

impl Scratch {
    fn resize(&mut self, tokens: usize, weights: &Weights) {
        let narrow = tokens * weights.config.hidden;
        for row in
            [&mut self.hidden, &mut self.query, &mut self.key, &mut self.value, &mut self.mixed]
        {
            row.resize(narrow, 0.0);
        }
        self.wide.resize(tokens * weights.config.ffn, 0.0);
    }
}

/// One batch through all layers.
struct Forward<'a> {
    weights: &'a Weights,
    batch: &'a Batch,
    scratch: &'a mut Scratch,
    vectors: &'a mut Vec<Vec<f32>>,
}

impl Work for Forward<'_> {
    #[inline(always)]
    fn run(self, product: impl Product) {
        let Forward { weights, batch, scratch: s, vectors } = self;
        let hidden = weights.config.hidden;
        s.resize(batch.ids.len(), weights);
        for span in &batch.spans {
            for (position, token) in span.clone().enumerate() {
                let row = &mut s.hidden[token * hidden..][..hidden];
                layer::embed(weights, batch.ids[token], position, row);
            }
        }
        for layer in &weights.layers {
            s.bytes.take(&s.hidden, hidden);
            layer.query.apply(product, &mut s.bytes, &mut s.query);
            layer.key.apply(product, &mut s.bytes, &mut s.key);
            layer.value.apply(product, &mut s.bytes, &mut s.value);
            for span in &batch.spans {
                let part = span.start * hidden..span.end * hidden;
                let heads = attention::Heads {
                    query: &s.query[part.clone()],
                    key: &s.key[part.clone()],
                    value: &s.value[part.clone()],
                    hidden,
                    head: weights.config.head(),
                };
                heads.attend(&mut s.attention, &mut s.mixed[part]);
            }
            s.bytes.take(&s.mixed, hidden);
            layer.attention.apply(product, &mut s.bytes, &mut s.mixed);
            let eps = weights.config.norm_eps;
            layer.attention_norm.add(&mut s.hidden, &s.mixed, eps);
            s.bytes.take(&s.hidden, hidden);
            layer.up.apply_gelu(product, &mut s.bytes, &mut s.wide);
            s.bytes.take(&s.wide, weights.config.ffn);
            layer.down.apply(product, &mut s.bytes, &mut s.mixed);
            layer.output_norm.add(&mut s.hidden, &s.mixed, eps);
        }
        vectors.extend(
            batch
                .spans
                .iter()
                .map(|span| layer::mean(&s.hidden[span.start * hidden..span.end * hidden], hidden)),
        );
    }
}
