//! What a memory becomes on its way in: a fact of another tool as a memory of ours, and one of
//! ours that somebody else hands over.

use super::{Importer, Whose};
use crate::error::Result;
use crate::guard::{Form, sanitise};
use crate::id::{MemoryId, RequirementId};
use crate::interchange::Fact;
use crate::memory::{Memory, Record};
use crate::scope::Scope;
use crate::time::to_micros;
use crate::trust::{Origin, Source};

/// Metadata entries that are kept of a foreign fact; the gate takes no more than 64.
const MOST_METADATA: usize = 48;

impl Importer<'_> {
    /// The memory that a fact becomes. The same text in the same scope always has the same id.
    pub(super) fn record_of(&self, fact: Fact) -> Result<Record> {
        let form = if fact.content.trim().contains('\n') { Form::Note } else { Form::Fact };
        let content = sanitise(&fact.content, form)?;
        let scope = self.scope_of(&fact)?;
        let id = MemoryId::derived(&["import", &scope.to_string(), &content]);
        let now = self.engine.now();
        let at = fact.created_at.map_or(now, to_micros);
        let mut memory = Memory::new(id, content, scope, at);
        memory.updated_at = fact.updated_at.map_or(at, to_micros).max(at);
        memory.key = fact.key.filter(|key| !key.trim().is_empty());
        memory.category = fact.category.unwrap_or_default();
        memory.origin = Origin::Imported;
        memory.trust = Origin::Imported.usual_trust();
        memory.pinned = fact.pinned && self.request.whose == Whose::Own;
        memory.importance = fact.importance.unwrap_or_default();
        let place = match fact.place {
            Some(place) => format!("{}/{place}", self.request.source),
            None => self.request.source.clone(),
        };
        memory.source = Some(Source { place: Some(place), ..Source::default() });
        let named = fact
            .metadata
            .into_iter()
            .filter(|(name, value)| !name.trim().is_empty() && !value.trim().is_empty());
        memory.metadata = named.take(MOST_METADATA).collect();
        Ok(Record { memory, versions: Vec::new() })
    }

    fn scope_of(&self, fact: &Fact) -> Result<Scope> {
        match (&fact.scope, &fact.requirement, &self.request.project) {
            (Some(scope), ..) => Ok(scope.clone()),
            (None, Some(requirement), Some(project)) => {
                let requirement = RequirementId::new(requirement.clone())?;
                Ok(Scope::Plan { project: project.clone(), requirement })
            }
            _ => Ok(self.request.home.clone()),
        }
    }

    /// A memory as it may be taken from whoever hands it over.
    pub(super) fn as_theirs(&self, mut record: Record) -> Record {
        let memory = &mut record.memory;
        for at in [&mut memory.created_at, &mut memory.updated_at] {
            *at = to_micros(*at);
        }
        if self.request.whose == Whose::Others {
            memory.origin = Origin::Imported;
            memory.trust = memory.trust.min(Origin::Imported.usual_trust());
            memory.pinned = false;
            let source = memory.source.get_or_insert_default();
            source.place.get_or_insert_with(|| self.request.source.clone());
        }
        record
    }
}
