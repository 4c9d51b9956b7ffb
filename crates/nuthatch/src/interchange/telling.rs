//! Where readers tell what they find, and count what they pass over.
//!
//! What becomes of it is decided by those who listen: readers know no store and no gate.

use crate::error::Result;
use crate::transcript::Skipped;

use super::Item;

/// Takes what is found; an error ends the reading.
pub type Sink<'a> = dyn FnMut(Item) -> Result<()> + 'a;

/// Told what is found, in order.
pub struct Telling<'a> {
    sink: &'a mut Sink<'a>,
    /// What was passed over, by kind.
    pub skipped: Skipped,
    /// The name of what is being read inside a larger whole, such as a file of a folder.
    pub place: Option<String>,
}

impl<'a> Telling<'a> {
    /// Tells `sink`.
    pub fn to(sink: &'a mut Sink<'a>) -> Self {
        Telling { sink, skipped: Skipped::new(), place: None }
    }

    /// Something was found.
    ///
    /// # Errors
    /// Whatever the listener says.
    pub fn item(&mut self, mut item: Item) -> Result<()> {
        if let (Item::Fact(fact), Some(place)) = (&mut item, &self.place) {
            fact.place.get_or_insert_with(|| place.clone());
        }
        (self.sink)(item)
    }

    /// Something of this kind was passed over.
    pub fn skip(&mut self, kind: &str) {
        *self.skipped.entry(kind.to_owned()).or_default() += 1;
    }
}
