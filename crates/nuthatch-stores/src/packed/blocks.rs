//! One block of a term's postings.
//!
//! A block holds, for each document in ascending order, the distance to the one before it, how
//! often the term stands in it and how many terms it has, as variable-length numbers. So a search
//! reads a term's blocks from end to end and needs nothing else, and a document that is new is
//! added to the last block of each of its terms.

/// As large as a block grows: it lies within a page of any database.
pub const BLOCK_BYTES: usize = 900;

/// One document that holds a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    pub doc: i64,
    pub count: u32,
    pub length: u32,
}

/// One block as it is stored. Distances are counted from `first`, which no document in it is below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub first: i64,
    pub last: i64,
    pub documents: i64,
    pub data: Vec<u8>,
}

impl Block {
    pub fn empty(first: i64) -> Block {
        Block { first, last: first, documents: 0, data: Vec::new() }
    }

    pub fn of(postings: &[Posting]) -> Block {
        Block::at(postings.first().map_or(0, |posting| posting.doc), postings)
    }

    /// A block that begins at `first`, which may be a document that is no longer in it.
    pub fn at(first: i64, postings: &[Posting]) -> Block {
        let mut block = Block::empty(first);
        postings.iter().for_each(|posting| block.push(*posting));
        block
    }

    pub fn is_full(&self) -> bool {
        self.data.len() >= BLOCK_BYTES
    }

    /// Adds a posting behind the last.
    pub fn push(&mut self, posting: Posting) {
        put_number(&mut self.data, posting.doc.abs_diff(self.last));
        put_number(&mut self.data, u64::from(posting.count));
        put_number(&mut self.data, u64::from(posting.length));
        self.last = posting.doc;
        self.documents += 1;
    }

    /// What is in it; none if it makes no sense.
    pub fn postings(&self) -> Option<Vec<Posting>> {
        let mut found = Vec::new();
        decode(self.first, &self.data, |posting| found.push(posting)).then_some(found)
    }

    /// The same block without the documents that `leaves` names: it begins where it began, even if
    /// nothing is left in it. None if it makes no sense.
    pub fn without(&self, leaves: impl Fn(i64) -> bool) -> Option<Block> {
        let mut left = self.postings()?;
        left.retain(|posting| !leaves(posting.doc));
        Some(Block::at(self.first, &left))
    }

    /// Puts postings behind those of the last block there is; gives every block that is new or has
    /// changed. They are newer than anything in it.
    pub fn append(last: Option<Block>, postings: &[Posting]) -> Vec<Block> {
        let Some(newest) = postings.first() else { return Vec::new() };
        let mut block = last.unwrap_or_else(|| Block::empty(newest.doc));
        let (mut changed, mut touched) = (Vec::new(), false);
        for posting in postings {
            if block.is_full() {
                let full = std::mem::replace(&mut block, Block::empty(posting.doc));
                if touched {
                    changed.push(full);
                }
            }
            block.push(*posting);
            touched = true;
        }
        changed.push(block);
        changed
    }
}

/// Gives every posting of a block to `take`; false if the block makes no sense.
#[inline]
pub fn decode(first: i64, data: &[u8], mut take: impl FnMut(Posting)) -> bool {
    let mut rest = data;
    let mut doc = first;
    while !rest.is_empty() {
        let (Some(gap), Some(count), Some(length)) =
            (take_number(&mut rest), take_number(&mut rest), take_number(&mut rest))
        else {
            return false;
        };
        doc = doc.wrapping_add(gap as i64);
        take(Posting { doc, count: count as u32, length: length as u32 });
    }
    true
}

/// Seven bits a byte, the lowest first; the last has its high bit clear.
fn put_number(data: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        data.push(number as u8 | 0x80);
        number >>= 7;
    }
    data.push(number as u8);
}

#[inline]
fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    if *first < 0x80 {
        return Some(u64::from(*first));
    }
    let mut number = u64::from(*first & 0x7F);
    for shift in (7..64).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(*byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn postings(count: i64) -> Vec<Posting> {
        let posting = |n: i64| Posting {
            doc: 5 + n * n * n,
            count: 1 + (n as u32) % 300,
            length: (n as u32) * 1000,
        };
        (0..count).map(posting).collect()
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let postings = postings(300);
        let block = Block::of(&postings);
        assert_eq!(block.postings().as_deref(), Some(postings.as_slice()));
        assert_eq!((block.first, block.last, block.documents), (5, postings[299].doc, 300));
    }

    #[test]
    fn nonsense_is_noticed_and_never_a_panic() {
        for data in [&[0x80][..], &[1], &[1, 2], &[0xFF; 40], &[1, 1, 1, 0x80]] {
            assert!(!decode(0, data, |_| {}), "{data:?}");
        }
        assert!(decode(i64::MAX, &[0x7F, 1, 1], |_| {}));
    }

    #[test]
    fn blocks_grow_until_they_are_full_and_hold_everything_in_order() {
        let postings = postings(700);
        for cut in [0, 1, 10, 350, 699] {
            let mut blocks = Block::append(None, &postings[..cut]);
            let last = blocks.pop();
            let more = Block::append(last.clone(), &postings[cut..]);
            if let Some(last) = last.filter(Block::is_full) {
                assert_ne!(more[0].first, last.first, "a full block is left alone");
                blocks.push(last);
            }
            blocks.extend(more);
            let held: Vec<Posting> =
                blocks.iter().flat_map(|block| block.postings().unwrap_or_default()).collect();
            assert_eq!(held, postings, "{cut}");
            assert!(blocks.iter().all(|block| block.data.len() < BLOCK_BYTES + 30));
            assert!(blocks.len() > 3 && blocks.windows(2).all(|two| two[0].last < two[1].first));
        }
    }

    #[test]
    fn what_leaves_a_block_is_gone_and_the_rest_stays_where_it_was() {
        let postings = postings(20);
        let block = Block::of(&postings);
        let gone = |doc| doc == postings[0].doc || doc == postings[19].doc;
        let left = block.without(gone).expect("it is sound");
        assert_eq!(left.first, block.first);
        assert_eq!((left.last, left.documents), (postings[18].doc, 18));
        assert_eq!(left.postings().as_deref(), Some(&postings[1..19]));
        assert_eq!(block.without(|_| true).map(|left| left.documents), Some(0));
        assert_eq!(Block { data: vec![1], ..block }.without(|_| false), None);
    }
}
