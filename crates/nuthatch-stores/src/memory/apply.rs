//! A change set as steps that can be taken back.
//!
//! Lookups go through everything there is: simple enough to be right at a glance.

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Applied, ChangeSet};
use nuthatch::error::Result;
use nuthatch::id::{ChangeSetId, MemoryId, SessionId};
use nuthatch::memory::{Memory, Tombstone, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};

use super::open::State;
use crate::semantics;
use crate::tx::{Tx, Usage};

/// Applies a set whole or not at all.
pub fn apply(state: &mut State, set: &ChangeSet) -> Result<Applied> {
    let applied = pollster::block_on(semantics::apply(&mut MemoryTx { state }, set));
    match applied {
        Ok(_) => state.commit(),
        Err(_) => state.roll_back(),
    }
    applied
}

/// What [`apply`] would answer.
pub fn rehearse(state: &mut State, set: &ChangeSet) -> Result<Applied> {
    let applied = pollster::block_on(semantics::apply(&mut MemoryTx { state }, set));
    state.roll_back();
    applied
}

struct MemoryTx<'a> {
    state: &'a mut State,
}

impl MemoryTx<'_> {
    /// Memories oldest first.
    fn oldest(&self, wanted: impl Fn(&Memory) -> bool) -> Vec<&Memory> {
        let mut found: Vec<&Memory> =
            self.state.memories.values().filter(|memory| wanted(memory)).collect();
        found.sort_by_key(|memory| (memory.created_at, memory.id));
        found
    }
}

fn ids(memories: Vec<&Memory>) -> Vec<MemoryId> {
    memories.into_iter().map(|memory| memory.id).collect()
}

impl Tx for MemoryTx<'_> {
    async fn seen(&mut self, id: ChangeSetId) -> Result<Option<String>> {
        let known = self.state.receipts.iter().find(|(known, _)| *known == id);
        Ok(known.map(|(_, receipt)| receipt.clone()))
    }

    async fn mark_seen(&mut self, id: ChangeSetId, receipt: &str) -> Result<()> {
        self.state.note_receipt(id, receipt.to_owned());
        Ok(())
    }

    async fn memory(&mut self, id: MemoryId) -> Result<Option<Memory>> {
        Ok(self.state.memories.get(&id).cloned())
    }

    async fn memory_of_key(&mut self, scope: &Scope, key: &str) -> Result<Option<Memory>> {
        let found = self.oldest(|m| m.scope == *scope && m.key.as_deref() == Some(key));
        Ok(found.first().copied().cloned())
    }

    async fn memory_of_content(&mut self, scope: &Scope, content: &str) -> Result<Option<Memory>> {
        let found = self.oldest(|m| m.scope == *scope && m.content == content && m.is_current());
        Ok(found.first().copied().cloned())
    }

    async fn put_memory(&mut self, memory: &Memory) -> Result<()> {
        self.state.set_memory(memory.id, Some(memory.clone()));
        Ok(())
    }

    async fn remove_memory(&mut self, id: MemoryId) -> Result<()> {
        self.state.set_memory(id, None);
        for version in self.versions(id).await? {
            self.state.set_version((id, version.number), None);
        }
        Ok(())
    }

    async fn evictable(&mut self, scope: &Scope) -> Result<Vec<(MemoryId, u64)>> {
        let found = self.oldest(|m| m.scope == *scope && m.is_evictable());
        Ok(found.into_iter().map(|memory| (memory.id, memory.chars())).collect())
    }

    async fn expired(&mut self, category: &Category, before: Timestamp) -> Result<Vec<MemoryId>> {
        let ended = |m: &Memory| m.category == *category && m.created_at < before && !m.pinned;
        Ok(ids(self.oldest(ended)))
    }

    async fn members(&mut self, scope: &Scope) -> Result<Vec<MemoryId>> {
        Ok(ids(self.oldest(|memory| memory.scope == *scope)))
    }

    async fn usage(&mut self, scope: &Scope) -> Result<Usage> {
        let found = self.state.memories.values().filter(|memory| memory.scope == *scope);
        Ok(found.fold(Usage::default(), |usage, memory| Usage {
            entries: usage.entries + 1,
            chars: usage.chars + memory.chars(),
        }))
    }

    async fn versions(&mut self, id: MemoryId) -> Result<Vec<Version>> {
        Ok(super::read::versions(self.state, id))
    }

    async fn put_version(&mut self, version: &Version) -> Result<()> {
        self.state.set_version((version.memory_id, version.number), Some(version.clone()));
        Ok(())
    }

    async fn tombstone(&mut self, id: MemoryId) -> Result<Option<Tombstone>> {
        Ok(self.state.tombstones.get(&id).cloned())
    }

    async fn put_tombstone(&mut self, tombstone: &Tombstone) -> Result<()> {
        self.state.set_tombstone(tombstone.clone());
        Ok(())
    }

    async fn session(&mut self, id: &SessionId) -> Result<Option<Session>> {
        Ok(self.state.sessions.get(id).cloned())
    }

    async fn session_of(&mut self, channel: &str, user: &str) -> Result<Option<Session>> {
        let of = |session: &&Session| {
            session.channel.as_deref() == Some(channel) && session.user.as_deref() == Some(user)
        };
        let found = self.state.sessions.values().filter(of);
        Ok(found.max_by_key(|s| (s.last_active_at, std::cmp::Reverse(s.id.clone()))).cloned())
    }

    async fn put_session(&mut self, session: &Session) -> Result<()> {
        self.state.set_session(session.id.clone(), Some(session.clone()));
        Ok(())
    }

    async fn remove_session(&mut self, id: &SessionId) -> Result<()> {
        let seqs: Vec<u64> = super::read::turns_of(self.state, id).map(|turn| turn.seq).collect();
        for seq in seqs {
            self.state.set_turn((id.clone(), seq), None);
        }
        self.state.set_session(id.clone(), None);
        Ok(())
    }

    async fn idle_sessions(&mut self, since: Timestamp) -> Result<Vec<SessionId>> {
        let idle = |s: &&Session| s.channel.is_some() && s.last_active_at < since;
        Ok(self.state.sessions.values().filter(idle).map(|s| s.id.clone()).collect())
    }

    async fn put_turns(&mut self, turns: &[Turn]) -> Result<()> {
        for turn in turns {
            self.state.set_turn((turn.session.clone(), turn.seq), Some(turn.clone()));
        }
        Ok(())
    }
}
