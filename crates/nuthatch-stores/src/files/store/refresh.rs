//! Bringing the index up to what the files say.
//!
//! Only files that changed are read (`changes.rs`). Memories are taken in by `take_in.rs`;
//! versions, tombstones, conversations and turns here, where a changed file simply replaces what was
//! known of it.

use std::path::Path;

use nuthatch::error::Result;
use nuthatch::id::SessionId;
use nuthatch::memory::{Tombstone, Version};
use nuthatch::session::{Session, Turn};
use rusqlite::Connection;

use super::changes::Changes;
use super::journal::{Committed, Replacement};
pub use super::ledger::known_stamps;
use super::ledger::{execute, note_stamp, prepare, rows};
use super::read::{Canonical, index_error};
use super::stamp::{self, Snapshot};
use super::take_in::take_in;
use super::{Shared, codec};
use crate::sqlite::{
    SqliteTx, all_versions, remove_turns, retain_sessions, retain_turns, tombstones,
    write_transaction,
};
use crate::tx::Tx;

impl Shared {
    /// Makes the index agree with the files. The caller holds the lock.
    pub fn refresh(&self) -> Result<()> {
        self.recover()?;
        self.index.shared().with_writer(|connection| {
            prepare(connection)?;
            let changes = self.changes(connection)?;
            if changes.is_empty() {
                return Ok(());
            }
            let transaction = write_transaction(connection)?;
            for (file, stamp) in &changes.restamped {
                note_stamp(&transaction, &file.name, Some(stamp))?;
            }
            self.take_in(&transaction, &changes)?;
            transaction.commit().map_err(|error| index_error(self, error))
        })
    }

    fn take_in(&self, connection: &Connection, changes: &Changes) -> Result<()> {
        self.take_in_state(connection, changes)?;
        let news = take_in(connection, changes)?;
        for name in &changes.gone {
            note_stamp(connection, name, None)?;
        }
        for (file, snapshot) in &changes.state {
            note_stamp(connection, &file.name, Some(&snapshot.stamp))?;
        }
        for file in &changes.memories {
            note_stamp(connection, &file.file.name, Some(&file.snapshot.stamp))?;
        }
        if news.versions {
            let lines = codec::write_lines(&all_versions(connection)?)?;
            self.rewrite(connection, codec::VERSIONS, lines)?;
        }
        if news.tombstones {
            let lines = codec::write_lines(&tombstones(connection, None, usize::MAX)?)?;
            self.rewrite(connection, codec::TOMBSTONES, lines)?;
        }
        Ok(())
    }

    /// Versions, tombstones, conversations and turns: each changed file replaces what is known of it.
    fn take_in_state(&self, connection: &Connection, changes: &Changes) -> Result<()> {
        let mut tx = SqliteTx { connection };
        let run = |sql: &str| execute(connection, sql, []);
        let versions = Canonical::state(self, Path::new(codec::VERSIONS)).name;
        let sessions = Canonical::state(self, Path::new(codec::SESSIONS)).name;
        let forgotten = Canonical::state(self, Path::new(codec::TOMBSTONES)).name;
        if changes.gone.contains(&forgotten) {
            run("DELETE FROM tombstones")?;
        }
        if changes.gone.contains(&versions) {
            run("DELETE FROM versions")?;
        }
        if changes.gone.contains(&sessions) {
            retain_sessions(connection, &[])?;
        }
        self.drop_turns(connection, &changes.gone)?;
        for (file, Snapshot { bytes, .. }) in &changes.state {
            if file.name == versions {
                run("DELETE FROM versions")?;
                for version in codec::read_lines::<Version>(&file.path, bytes)? {
                    pollster::block_on(tx.put_version(&version))?;
                }
            } else if file.name == forgotten {
                run("DELETE FROM tombstones")?;
                for tombstone in codec::read_lines::<Tombstone>(&file.path, bytes)? {
                    pollster::block_on(tx.put_tombstone(&tombstone))?;
                }
            } else if file.name == sessions {
                let sessions = codec::read_lines::<Session>(&file.path, bytes)?;
                for session in &sessions {
                    pollster::block_on(tx.put_session(session))?;
                }
                retain_sessions(connection, &sessions)?;
            } else {
                let turns = codec::read_lines::<Turn>(&file.path, bytes)?;
                // Those that say what they said keep their vectors.
                if let Some(id) = self.conversation_of(connection, &file.name)? {
                    retain_turns(connection, &id, &turns)?;
                }
                pollster::block_on(tx.put_turns(&turns))?;
            }
        }
        Ok(())
    }

    /// Removes the turns of every conversation whose file is gone.
    fn drop_turns(&self, connection: &Connection, gone: &[String]) -> Result<()> {
        for name in gone {
            if let Some(id) = self.conversation_of(connection, name)? {
                remove_turns(connection, &id)?;
            }
        }
        Ok(())
    }

    /// The known conversation whose turns are in the file of a name. A name is a hash of the
    /// id, so all of them are looked at.
    fn conversation_of(&self, connection: &Connection, name: &str) -> Result<Option<SessionId>> {
        let folder = Canonical::state(self, Path::new(codec::TURNS)).name;
        if !name.starts_with(&folder) {
            return Ok(None);
        }
        let ids = rows(connection, "SELECT id FROM sessions", [], |row| row.get(0))?;
        let ids = ids.into_iter().filter_map(|id: String| SessionId::new(id).ok());
        let named = |id: &SessionId| Canonical::state(self, &codec::turns_file(id)).name == name;
        Ok(ids.into_iter().find(named))
    }

    /// Writes a file of ours anew.
    fn rewrite(&self, connection: &Connection, name: &str, after: Option<Vec<u8>>) -> Result<()> {
        let file = Canonical::state(self, Path::new(name));
        let before = stamp::read(&file.path)?.map(|snapshot| snapshot.stamp.hash);
        let replacement = Replacement { file: file.clone(), before, after };
        match self.commit(vec![replacement])? {
            Committed::Yes => {}
            // The file is ours alone and we hold the lock: the next refresh sorts it out.
            Committed::Overtaken => return Ok(()),
        }
        let stamp = stamp::read(&file.path)?.map(|snapshot| snapshot.stamp);
        note_stamp(connection, &file.name, stamp.as_ref())
    }
}
