//! Recording through an engine: the gate looks at what comes next while the store writes
//! what has passed.
//!
//! What a conversation and its parts are is said in `record.rs`.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use jiff::Timestamp;

use super::Engine;
use crate::audit::Asked;
use crate::change::{ChangeSet, Wish};
use crate::error::Result;
use crate::id::ChangeSetId;
use crate::record::{self, RecordRequest, Recorded};

/// A part of a recording that has passed the gate, or has not.
struct Part {
    at: Timestamp,
    asked: Vec<Asked>,
    set: Result<ChangeSet>,
    turns: u64,
}

impl Engine {
    /// Records conversations and what was said in them; `progress` is called with how many
    /// of how many turns are stored. What was recorded survives `kill -9` and is found by its
    /// words from then on; an error leaves what was stored before it.
    ///
    /// # Errors
    /// `invalid` for a turn that stands in another conversation than its own.
    pub async fn record(
        &self,
        mut request: RecordRequest,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Recorded> {
        let before = self.store.said(&record::before(&request)).await?;
        record::link(&mut request, &before);
        let total = request.turns() as u64;
        let sessions = request.conversations.len() as u64;
        let mut done = 0;
        progress(done, total);
        let mut waiting = record::wishes(request)?.into_iter().map(|part| self.pass(part));
        let mut next = waiting.next();
        while let Some(Part { at, asked, set, turns }) = next {
            let set = match set {
                Ok(set) => set,
                Err(error) => {
                    let answer = Err(error);
                    self.auditor.note(at, &asked, answer.as_ref());
                    return answer.map(|_: crate::change::Applied| Recorded::default());
                }
            };
            let (applied, following) = meanwhile(self.store.apply(&set), || waiting.next()).await;
            self.auditor.note(at, &asked, applied.as_ref());
            applied?;
            done += turns;
            progress(done, total);
            next = following;
        }
        Ok(Recorded { sessions, turns: done })
    }

    /// Takes a part through the gate.
    fn pass(&self, (wishes, turns): (Vec<Wish>, usize)) -> Part {
        let at = self.now();
        let id = ChangeSetId(self.ids.fresh(at));
        let asked = wishes.iter().map(|wish| Asked::of(wish.change())).collect();
        let set = ChangeSet::admit(id, at, wishes).map(|(set, _)| set);
        Part { at, asked, set, turns: turns as u64 }
    }
}

/// Lets one thing begin, does another while it is at work elsewhere, and waits for its end.
async fn meanwhile<F: Future, R>(first: F, other: impl FnOnce() -> R) -> (F::Output, R) {
    let mut first = pin!(first);
    let early = poll_fn(|context| {
        Poll::Ready(match first.as_mut().poll(context) {
            Poll::Ready(done) => Some(done),
            Poll::Pending => None,
        })
    })
    .await;
    let other = other();
    let first = match early {
        Some(done) => done,
        None => first.await,
    };
    (first, other)
}
