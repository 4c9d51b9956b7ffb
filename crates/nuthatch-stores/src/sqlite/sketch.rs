//! Vectors made coarse: four bits for a component, packed into blocks.
//!
//! A sketch is half the size of a vector and says nearly the same about its direction; a
//! search looks through all sketches and compares the few best of them exactly. Components
//! are measured against the typical one of their own vector, so that a few outstanding ones
//! do not flatten the rest.

use super::kernel::Probe;

/// Entries of a block: enough that the way to a block hardly counts, few enough that changing
/// one is cheap.
pub const BLOCK_ENTRIES: usize = 256;
/// Bytes of an entry beside its codes: vector, document and scale.
const HEAD: usize = 8 + 8 + 4;
/// A step, as a share of the typical component. Of the shares tried on 43,776 vectors of a
/// small model this one keeps most of the nearest: with coarser steps small components are
/// lost, with finer ones large components are cut.
const STEP: f64 = 0.33;
/// What a code of eight stands for: nothing.
const ZERO: i32 = 8;

/// One vector of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The row of the exact vector.
    pub row: i64,
    /// The row of its document.
    pub doc: i64,
    scale: f32,
    codes: Vec<u8>,
}

impl Entry {
    /// The sketch of a vector.
    pub fn new(row: i64, doc: i64, components: &[i8]) -> Self {
        let squares: i64 = components.iter().map(|c| i64::from(*c) * i64::from(*c)).sum();
        let length = (squares as f64).sqrt();
        let step = (length / (components.len().max(1) as f64).sqrt() * STEP).max(0.5);
        let nibble = |c: &i8| (f64::from(*c) / step).round().clamp(-8.0, 7.0) as i32 + ZERO;
        let half = components.len().div_ceil(2);
        let (low, high) = components.split_at(half);
        let mut codes: Vec<u8> = low.iter().map(|c| nibble(c) as u8).collect();
        let filled = high.iter().map(nibble).chain(std::iter::repeat(ZERO));
        codes.iter_mut().zip(filled).for_each(|(code, high)| *code |= (high as u8) << 4);
        let reach: i64 =
            components.iter().map(|c| i64::from(nibble(c) - ZERO)).map(|n| n * n).sum();
        // The length of the sketch itself: rounding makes some longer and some shorter.
        let scale = if reach > 0 { 1.0 / (reach as f64).sqrt() } else { 0.0 };
        Entry { row, doc, scale: scale as f32, codes }
    }
}

/// Entries side by side: rows, documents, scales, then codes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    rows: Vec<i64>,
    docs: Vec<i64>,
    scales: Vec<f32>,
    codes: Vec<u8>,
}

impl Block {
    /// Reads what [`encode`](Block::encode) wrote; none if it makes no sense.
    pub fn decode(data: &[u8], entries: usize) -> Option<Block> {
        let View { rows, docs, scales, codes } = View::of(data, entries)?;
        Some(Block {
            rows: rows.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
            docs: docs.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
            scales: scales.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            codes: codes.to_vec(),
        })
    }

    /// The block as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut data = Vec::with_capacity(self.bytes());
        self.rows.iter().for_each(|row| data.extend(row.to_le_bytes()));
        self.docs.iter().for_each(|doc| data.extend(doc.to_le_bytes()));
        self.scales.iter().for_each(|scale| data.extend(scale.to_le_bytes()));
        data.extend_from_slice(&self.codes);
        data
    }

    /// How many bytes it takes.
    fn bytes(&self) -> usize {
        self.rows.len() * HEAD + self.codes.len()
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: &Entry) {
        self.rows.push(entry.row);
        self.docs.push(entry.doc);
        self.scales.push(entry.scale);
        self.codes.extend_from_slice(&entry.codes);
    }

    /// Every entry.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let stride = self.codes.len() / self.rows.len().max(1);
        (0..self.rows.len()).map(move |place| Entry {
            row: self.rows[place],
            doc: self.docs[place],
            scale: self.scales[place],
            codes: self.codes[place * stride..(place + 1) * stride].to_vec(),
        })
    }

    /// The block without these vectors.
    pub fn without(&self, rows: &[i64]) -> Block {
        let stride = self.codes.len() / self.rows.len().max(1);
        let mut left = Block::default();
        for (place, row) in self.rows.iter().enumerate() {
            if !rows.contains(row) {
                left.rows.push(*row);
                left.docs.push(self.docs[place]);
                left.scales.push(self.scales[place]);
                left.codes.extend_from_slice(&self.codes[place * stride..(place + 1) * stride]);
            }
        }
        left
    }
}

/// A block as it lies in the file, to be looked through without a copy of it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    rows: &'a [[u8; 8]],
    docs: &'a [[u8; 8]],
    scales: &'a [[u8; 4]],
    codes: &'a [u8],
}

impl<'a> View<'a> {
    /// What [`encode`](Block::encode) wrote; none if it makes no sense.
    pub fn of(data: &'a [u8], entries: usize) -> Option<View<'a>> {
        let stride = match entries {
            0 => 0,
            entries => (data.len() / entries).checked_sub(HEAD)?,
        };
        if data.len() != entries * (HEAD + stride) {
            return None;
        }
        let (rows, rest) = data.split_at(entries * 8);
        let (docs, rest) = rest.split_at(entries * 8);
        let (scales, codes) = rest.split_at(entries * 4);
        let (rows, docs, scales) = (rows.as_chunks().0, docs.as_chunks().0, scales.as_chunks().0);
        Some(View { rows, docs, scales, codes })
    }

    /// About how near each entry lies, with its vector and document; entries of another
    /// number of dimensions are passed over.
    pub fn look(&self, probe: &Probe, mut see: impl FnMut(f32, i64, i64)) {
        let stride = probe.stride();
        if stride == 0 || self.codes.len() != self.rows.len() * stride {
            return;
        }
        let offset = ZERO * probe.sum();
        for (place, codes) in self.codes.chunks_exact(stride).enumerate() {
            let scale = f32::from_le_bytes(self.scales[place]);
            let near = (probe.dot(codes) - offset) as f32 * scale;
            let (row, doc) = (self.rows[place], self.docs[place]);
            see(near, i64::from_le_bytes(row), i64::from_le_bytes(doc));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_back_as_it_was() {
        let mut block = Block::default();
        for n in 0..5_i64 {
            let components: Vec<i8> = (0..7).map(|at| ((at * 31 + n * 17) % 127) as i8).collect();
            block.push(&Entry::new(n, n * 10, &components));
        }
        let again = Block::decode(&block.encode(), 5).unwrap();
        assert_eq!(again.encode(), block.encode());
        assert_eq!(again.without(&[1, 3]).rows, [0, 2, 4]);
        assert_eq!(again.without(&[1, 3]).encode().len(), 3 * (HEAD + 4));
        assert!(Block::decode(&block.encode()[1..], 5).is_none());
        assert!(Block::decode(&[1, 2, 3], 5).is_none());
        assert_eq!(Block::decode(&[], 0).unwrap().len(), 0);
    }

    #[test]
    fn a_sketch_points_where_its_vector_does() {
        let components: Vec<i8> = (0..101).map(|at| ((at * 37) % 255 - 127) as i8).collect();
        let mut block = Block::default();
        block.push(&Entry::new(1, 2, &components));
        block.push(&Entry::new(3, 4, &components.iter().map(|c| -c).collect::<Vec<_>>()));
        block.push(&Entry::new(5, 6, &[0; 101]));
        let data = block.encode();
        let view = View::of(&data, 3).unwrap();
        let mut seen = Vec::new();
        view.look(&Probe::new(&components), |near, row, doc| seen.push((near, row, doc)));
        let length = components.iter().map(|c| f32::from(*c).powi(2)).sum::<f32>().sqrt();
        assert!((seen[0].0 / length - 1.0).abs() < 0.01 && (seen[1].0 / length + 1.0).abs() < 0.01);
        assert_eq!(seen[2], (0.0, 5, 6));
        view.look(&Probe::new(&components[1..]), |_, _, _| panic!("another dimension"));
    }
}
