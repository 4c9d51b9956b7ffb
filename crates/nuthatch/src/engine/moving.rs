//! Export, import and sync through an engine: what leaves and comes is read and recorded like
//! the rest.
//!
//! Formats are in `interchange`; what is kept of what comes is decided in `import`.

use super::Engine;
use crate::audit::Asked;
use crate::change::{Applied, ChangeSet};
use crate::error::Result;
use crate::export::{self, ExportRequest, Exported, Outlet};
use crate::id::ChangeSetId;
use crate::import::{ImportRequest, Importer};
use crate::store::Store;
use crate::sync::{self, Agreements, SyncRequest, Synced, Syncer};

impl Engine {
    /// Writes out what a request means, as it is made.
    ///
    /// # Errors
    /// `invalid` for a format that is only read; when the writer or the store fails.
    pub async fn export<'a>(
        &'a self,
        request: &ExportRequest,
        outlet: Outlet<'a>,
    ) -> Result<Exported> {
        export::export(&*self.store, request, self.now(), outlet).await
    }

    /// Takes in what others wrote out, through the gate.
    #[must_use]
    pub fn importer(&self, request: ImportRequest) -> Importer<'_> {
        Importer::new(self, request)
    }

    /// Brings this store and another into step; `progress` is called with how many of how many
    /// memories were looked at.
    ///
    /// # Errors
    /// Whatever the stores say. What was done before stays, and the same again does the rest.
    pub async fn sync(
        &self,
        there: &dyn Store,
        request: &SyncRequest,
        agreements: &dyn Agreements,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Synced> {
        let (ids, at, auditor) = (&*self.ids, self.now(), &self.auditor);
        let syncer = Syncer { ids, at, request, agreements, auditor, progress };
        sync::sync(&*self.store, there, &syncer).await
    }

    /// A name for the next set.
    pub(crate) fn fresh_set(&self) -> ChangeSetId {
        ChangeSetId(self.ids.fresh(self.now()))
    }

    /// Stores a set that has passed the gate, and records it.
    pub(crate) async fn apply_set(&self, set: &ChangeSet) -> Result<Applied> {
        let asked: Vec<Asked> = set.changes().iter().map(Asked::of).collect();
        let answer = self.store.apply(set).await;
        self.auditor.note(set.at(), &asked, answer.as_ref());
        answer
    }
}
