//! One field of a memory as JSON: its name in files, how it is written and read.
//!
//! Both file formats use it: a JSON store writes a memory as one object, a Markdown store
//! writes most of one as the object in an entry's comment. A value that says the default is
//! left out. Whole objects are put together in [`super::object`].

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use nuthatch::category::Category;
use nuthatch::memory::{Importance, Memory};
use nuthatch::scope::Scope;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// One field of a memory, by the name it has in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields of `Memory`, documented there")]
pub enum Field {
    Fact,
    Category,
    CreatedAt,
    Id,
    Key,
    Scope,
    UpdatedAt,
    SessionId,
    Origin,
    Source,
    Trust,
    Pinned,
    Importance,
    Metadata,
    SupersededBy,
    Used,
    LastUsedAt,
}

impl Field {
    /// Everything, in the order of a JSON store's objects. A field stands after those its
    /// default depends on.
    pub const ALL: [Field; 17] = [
        Field::Fact,
        Field::Category,
        Field::CreatedAt,
        Field::Id,
        Field::Key,
        Field::Scope,
        Field::UpdatedAt,
        Field::SessionId,
        Field::Origin,
        Field::Source,
        Field::Trust,
        Field::Pinned,
        Field::Importance,
        Field::Metadata,
        Field::SupersededBy,
        Field::Used,
        Field::LastUsedAt,
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Field::Fact => "fact",
            Field::Category => "category",
            Field::CreatedAt => "created_at",
            Field::Id => "id",
            Field::Key => "key",
            Field::Scope => "scope",
            Field::UpdatedAt => "updated_at",
            Field::SessionId => "session_id",
            Field::Origin => "origin",
            Field::Source => "source",
            Field::Trust => "trust",
            Field::Pinned => "pinned",
            Field::Importance => "importance",
            Field::Metadata => "metadata",
            Field::SupersededBy => "superseded_by",
            Field::Used => "used",
            Field::LastUsedAt => "last_used_at",
        }
    }

    /// Its value in a memory; `None` for one that is understood when left out.
    pub(super) fn write(self, memory: &Memory) -> Option<Value> {
        let set = |differs: bool, value: Value| differs.then_some(value);
        match self {
            Field::Fact => Some(json!(memory.content)),
            Field::Category => Some(json!(memory.category)),
            Field::CreatedAt => Some(json!(memory.created_at)),
            Field::Id => Some(json!(memory.id)),
            Field::Key => memory.key.as_ref().map(|key| json!(key)),
            Field::Scope => set(memory.scope != Scope::Global, json!(memory.scope)),
            Field::UpdatedAt => {
                set(memory.updated_at != memory.created_at, json!(memory.updated_at))
            }
            Field::SessionId => memory.session_id.as_ref().map(|id| json!(id)),
            Field::Origin => set(memory.origin != Default::default(), json!(memory.origin)),
            Field::Source => memory.source.as_ref().map(|source| json!(source)),
            Field::Trust => set(memory.trust != memory.origin.usual_trust(), json!(memory.trust)),
            Field::Pinned => set(memory.pinned, json!(memory.pinned)),
            Field::Importance => {
                set(memory.importance != Importance::default(), json!(memory.importance))
            }
            Field::Metadata => set(!memory.metadata.is_empty(), json!(memory.metadata)),
            Field::SupersededBy => memory.superseded_by.map(|id| json!(id)),
            Field::Used => set(memory.used != 0, json!(memory.used)),
            Field::LastUsedAt => memory.last_used_at.map(|at| json!(at)),
        }
    }

    /// Sets it in a memory; `None` when the value cannot be read as this field.
    pub(super) fn read(self, raw: &RawValue, memory: &mut Memory) -> Option<()> {
        match self {
            Field::Fact => memory.content = value(raw)?,
            Field::Category => memory.category = Category::nearest(&value::<String>(raw)?),
            Field::CreatedAt => memory.created_at = time(raw)?,
            Field::Id => memory.id = value(raw)?,
            Field::Key => memory.key = Some(value(raw)?),
            Field::Scope => memory.scope = value(raw)?,
            Field::UpdatedAt => memory.updated_at = time(raw)?,
            Field::SessionId => memory.session_id = Some(value(raw)?),
            Field::Origin => memory.origin = value(raw)?,
            Field::Source => memory.source = Some(value(raw)?),
            Field::Trust => memory.trust = value(raw)?,
            Field::Pinned => memory.pinned = value(raw)?,
            Field::Importance => memory.importance = importance(raw)?,
            Field::Metadata => memory.metadata = value(raw)?,
            Field::SupersededBy => memory.superseded_by = Some(value(raw)?),
            Field::Used => memory.used = value(raw)?,
            Field::LastUsedAt => memory.last_used_at = Some(time(raw)?),
        }
        Some(())
    }

    /// Sets what a field left out means where that depends on another field.
    pub(super) fn assume(self, memory: &mut Memory) {
        match self {
            Field::UpdatedAt => memory.updated_at = memory.created_at,
            Field::Trust => memory.trust = memory.origin.usual_trust(),
            _ => {}
        }
    }

    /// Whether two memories agree in it.
    pub(super) fn same(self, a: &Memory, b: &Memory) -> bool {
        match self {
            Field::Fact => a.content == b.content,
            Field::Category => a.category == b.category,
            Field::CreatedAt => a.created_at == b.created_at,
            Field::Id => a.id == b.id,
            Field::Key => a.key == b.key,
            Field::Scope => a.scope == b.scope,
            Field::UpdatedAt => a.updated_at == b.updated_at,
            Field::SessionId => a.session_id == b.session_id,
            Field::Origin => a.origin == b.origin,
            Field::Source => a.source == b.source,
            Field::Trust => a.trust == b.trust,
            Field::Pinned => a.pinned == b.pinned,
            Field::Importance => a.importance == b.importance,
            Field::Metadata => a.metadata == b.metadata,
            Field::SupersededBy => a.superseded_by == b.superseded_by,
            Field::Used => a.used == b.used,
            Field::LastUsedAt => a.last_used_at == b.last_used_at,
        }
    }
}

fn value<T: DeserializeOwned>(raw: &RawValue) -> Option<T> {
    serde_json::from_str(raw.get()).ok()
}

/// The standard library reads a number to its last bit; serde_json, as configured, does not.
fn importance(raw: &RawValue) -> Option<Importance> {
    Importance::new(raw.get().parse().ok()?).ok()
}

/// A time with any offset; without one, or a bare date, it is meant in UTC.
fn time(raw: &RawValue) -> Option<Timestamp> {
    let text: String = value(raw)?;
    let text = text.trim();
    let found = text.parse::<Timestamp>().ok().or_else(|| {
        let civil: DateTime = text.parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })?;
    Some(nuthatch::time::to_micros(found))
}
