//! A session that is one document, or rows of a database: told whole whenever it changes.
//!
//! Such sessions are rewritten in place, so there is no place to go on from. They are told
//! from their beginning, and what is told again takes the places it had.

use std::ops::ControlFlow;

use nuthatch::error::Result;
use nuthatch::transcript::Event;

use super::telling::Telling;
use super::watermark::Stamp;
use super::{Located, Read, Watermark};

/// Longest document that is read: it is held in memory as a whole.
pub(crate) const LONGEST: u64 = 48 << 20;

/// Tells a session by one function.
pub(crate) fn read(
    session: &Located,
    stamp: Stamp,
    from: &Watermark,
    each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    tell: impl FnOnce(&mut Telling<'_>) -> Result<()>,
) -> Result<Read> {
    let mut telling = Telling::new(session.head.clone(), 0, each);
    telling.head.updated_at = None;
    tell(&mut telling)?;
    let seq = telling.finish();
    let (mut head, skipped) = (telling.head, telling.skipped);
    head.updated_at = head.updated_at.or(stamp.at());
    let watermark = Watermark { stamp, place: stamp.size, seq, check: 0 };
    Ok(Read { head, watermark, skipped, restarted: !from.is_start() })
}
