//! A batch on its way into the store: what is there already is left out, the rest is stored
//! together, and one by one where something in it is refused.

use super::Importer;
use crate::change::{Applied, Change, ChangeSet, Outcome, Wish};
use crate::error::{Kind, Result};
use crate::guard::Verdict;
use crate::id::MemoryId;
use crate::interchange::jsonl::Amount;
use crate::memory::{Memory, Record};
use crate::record::{self, Conversation, RecordRequest};
use crate::session::{Session, Turn};
use crate::store::saying;
use crate::trust::Origin;

/// What a change stores.
fn amount(change: &Change) -> Amount {
    let mut amount = Amount::default();
    match change {
        Change::Restore(record) => {
            amount.memories = 1;
            amount.versions = record.versions.len() as u64;
        }
        Change::PutSession(_) => amount.sessions = 1,
        Change::PutTurns { turns } => amount.turns = turns.len() as u64,
        _ => {}
    }
    amount
}

impl Importer<'_> {
    /// Stores memories that are not there, or are older there.
    pub(super) async fn take_records(&mut self, records: Vec<Record>) -> Result<()> {
        let ids: Vec<MemoryId> = records.iter().map(|record| record.memory.id).collect();
        let there = self.engine.store().memories(&ids).await?;
        let foreign: Vec<&Memory> = records
            .iter()
            .map(|record| &record.memory)
            .filter(|memory| memory.origin == Origin::Imported)
            .filter(|memory| !there.iter().any(|known| known.id == memory.id))
            .collect();
        let said = saying(self.engine.store(), &foreign).await?;
        let mut wishes: Vec<Wish> = Vec::new();
        for record in records {
            let memory = &record.memory;
            let known = there.iter().find(|known| known.id == memory.id);
            let is_older = known.is_some_and(|known| known.updated_at < memory.updated_at);
            let is_known = match known {
                Some(_) => !is_older || memory.origin == Origin::Imported,
                None => !self.seen.insert(memory.id) || is_said(memory, &said),
            };
            let change = Change::Restore(Box::new(record));
            match is_known {
                true => self.imported.already.add(&amount(&change)),
                false => wishes.push(change.into()),
            }
        }
        self.put(wishes).await
    }

    /// Stores a conversation, or widens what is known of it.
    pub(super) async fn take_session(&mut self, session: Session) -> Result<()> {
        let known = self.sessions().await?.get(&session.id).cloned();
        let merged = match &known {
            None => session,
            // Whoever was active later knows better.
            Some(known) if known.last_active_at < session.last_active_at => {
                known.clone().renewed(session)
            }
            Some(known) => session.renewed(known.clone()),
        };
        if known.as_ref() == Some(&merged) {
            self.imported.already.sessions += 1;
            return Ok(());
        }
        let before = self.imported.taken.sessions;
        self.put(vec![Change::PutSession(Box::new(merged.clone())).into()]).await?;
        if self.imported.taken.sessions > before {
            self.sessions().await?.insert(merged.id.clone(), merged);
        }
        Ok(())
    }

    /// Stores turns that are not there.
    pub(super) async fn take_turns(&mut self, mut turns: Vec<Turn>) -> Result<()> {
        let all = turns.len();
        let ids: Vec<_> = turns.iter().map(Turn::id).collect();
        let there = self.engine.store().said(&ids).await?;
        turns.retain(|turn| {
            !there.iter().any(|known| known.seq == turn.seq && known.session == turn.session)
        });
        self.imported.already.turns += (all - turns.len()) as u64;
        if turns.is_empty() {
            return Ok(());
        }
        self.put(vec![Change::PutTurns { turns }.into()]).await
    }

    /// Stores a conversation of another tool.
    pub(super) async fn take_talk(&mut self, mut talk: Conversation) -> Result<()> {
        let source = ("imported_from".to_owned(), self.request.source.clone());
        talk.session.metadata.extend([source]);
        let mut request = RecordRequest { conversations: vec![talk] };
        let before = self.engine.store().said(&record::before(&request)).await?;
        record::link(&mut request, &before);
        for Conversation { mut session, turns } in request.conversations {
            let at = turns.iter().map(|turn| turn.at);
            session.started_at = at.clone().fold(session.started_at, Ord::min);
            session.last_active_at = at.fold(session.last_active_at, Ord::max);
            self.take_session(session).await?;
            for turns in turns.chunks(1000) {
                self.take_turns(turns.to_vec()).await?;
            }
        }
        Ok(())
    }

    /// Takes wishes through the gate, each by itself, and stores what passes.
    async fn put(&mut self, wishes: Vec<Wish>) -> Result<()> {
        if wishes.is_empty() {
            return Ok(());
        }
        let id = self.engine.fresh_set();
        let (set, passed) = ChangeSet::admit_each(id, self.engine.now(), wishes);
        let mut verdicts = Vec::new();
        for one in passed {
            match one {
                Ok(passed) => verdicts.push(passed.verdict),
                Err(error) => self.imported.refuse(&error),
            }
        }
        if set.changes().is_empty() {
            return Ok(());
        }
        match self.apply(&set).await {
            Ok(applied) => {
                let made = set.changes().iter().zip(verdicts).enumerate();
                for (place, (change, verdict)) in made {
                    self.count(change, verdict, applied.outcomes.get(place));
                }
                return Ok(());
            }
            Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::Internal) => {
                return Err(error);
            }
            Err(_) => {}
        }
        // Something in it is refused: each by itself, so that only that one is.
        for (place, verdict) in verdicts.into_iter().enumerate() {
            let one = set.part(self.engine.fresh_set(), &[crate::change::Pick::Same(place)]);
            match self.apply(&one).await {
                Ok(applied) => {
                    self.count(&set.changes()[place], verdict, applied.outcomes.first());
                }
                Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::Internal) => {
                    return Err(error);
                }
                Err(error) => self.imported.refuse(&error),
            }
        }
        Ok(())
    }

    async fn apply(&self, set: &ChangeSet) -> Result<Applied> {
        // In a dry run no conversation is there whose turns could be stored.
        let is_talk = |change: &Change| matches!(change, Change::PutTurns { .. });
        match self.request.dry_run {
            true if set.changes().iter().any(is_talk) => Ok(Applied::default()),
            true => self.engine.store().rehearse(set).await,
            false => self.engine.apply_set(set).await,
        }
    }

    fn count(&mut self, change: &Change, verdict: Verdict, outcome: Option<&Outcome>) {
        if matches!(outcome, Some(Outcome::Forgotten { .. })) {
            self.imported.forgotten += 1;
            return;
        }
        let amount = amount(change);
        self.imported.taken.add(&amount);
        match (change, verdict) {
            (Change::Restore(_), Verdict::Quarantine) => self.imported.quarantined += 1,
            (Change::PutTurns { .. }, Verdict::Redact) => self.imported.redacted += amount.turns,
            _ => {}
        }
    }
}

/// Whether another memory of the same scope says a foreign fact already.
fn is_said(memory: &Memory, said: &[Memory]) -> bool {
    memory.origin == Origin::Imported
        && said.iter().any(|same| {
            same.id != memory.id && same.scope == memory.scope && same.content == memory.content
        })
}
