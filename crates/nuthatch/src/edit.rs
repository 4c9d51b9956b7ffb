//! Changing a memory, keeping what it said before; and taking a change back.
//!
//! A request becomes one wish; sanitising and scanning are the gate's business, versions and
//! conflicts the store's.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::category::Category;
use crate::change::{Change, Edit, Patch, Wish};
use crate::error::{Error, Kind, Result};
use crate::guard::Form;
use crate::id::MemoryId;
use crate::limits::Rules;
use crate::memory::{Importance, Memory, Version};
use crate::trust::{Origin, Trust};

/// What is to be changed; what is not named stays.
#[derive(Clone, Debug)]
pub struct EditRequest {
    /// Which memory.
    pub id: MemoryId,
    /// A new text.
    pub content: Option<String>,
    /// Whether the new text keeps its lines; if not said, as the old one has them.
    pub form: Option<Form>,
    /// A new key, or, inside, none at all.
    pub key: Option<Option<String>>,
    /// A new category.
    pub category: Option<Category>,
    /// Another level of trust; only the user may raise it.
    pub trust: Option<Trust>,
    /// Who asks for the change.
    pub origin: Origin,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// Another weight.
    pub importance: Option<Importance>,
    /// Metadata to set; an empty value removes the name.
    pub metadata: BTreeMap<String, String>,
    /// The `updated_at` the caller saw: if the memory has moved on, the edit is refused.
    pub expected: Option<Timestamp>,
}

impl EditRequest {
    /// An edit that changes nothing yet.
    #[must_use]
    pub fn new(id: MemoryId) -> Self {
        EditRequest {
            id,
            content: None,
            form: None,
            key: None,
            category: None,
            trust: None,
            origin: Origin::User,
            pinned: None,
            importance: None,
            metadata: BTreeMap::new(),
            expected: None,
        }
    }
}

/// The wish that carries out a request on `memory` as it is now.
pub(crate) fn wish(request: EditRequest, memory: &Memory, rules: &Rules) -> Result<Wish> {
    if request.origin != Origin::User && request.trust.is_some_and(|trust| trust > memory.trust) {
        return Err(Error::new(Kind::Denied, "only the user can raise the trust of a memory")
            .with_hint("`nuthatch review` shows what waits to be approved"));
    }
    let usual = if memory.content.contains('\n') { Form::Note } else { Form::Fact };
    let form = request.form.unwrap_or(usual);
    let patch = Patch {
        content: request.content,
        key: request.key,
        category: request.category,
        trust: request.trust,
        origin: Some(request.origin),
        pinned: request.pinned,
        importance: request.importance,
        metadata: request.metadata,
    };
    if patch.is_empty() {
        return Err(Error::invalid("the edit changes nothing")
            .with_hint("give a new text, key, category, trust, importance, pin or metadata"));
    }
    let limits = rules.limits_of(&memory.scope);
    let edit = Edit { id: request.id, expected: request.expected, limits, patch };
    Ok(Wish::new(Change::Edit(Box::new(edit)), form))
}

/// The wish that brings back what a memory said in one of its `versions`, or, without a
/// number, in the last one.
pub(crate) fn undo(
    memory: &Memory,
    versions: &[Version],
    number: Option<u32>,
    rules: &Rules,
) -> Result<Wish> {
    let wanted = match number {
        Some(number) => versions.iter().find(|version| version.number == number),
        None => versions.last(),
    };
    let version = wanted.ok_or_else(|| {
        let known = match versions.len() {
            0 => "it was never changed".to_owned(),
            n => format!("it has versions 1 to {n}"),
        };
        Error::not_found(format!("memory {} has no such version: {known}", memory.id))
    })?;
    let patch = Patch {
        content: Some(version.content.clone()),
        key: Some(version.key.clone()),
        category: Some(version.category.clone()),
        ..Patch::default()
    };
    let limits = rules.limits_of(&memory.scope);
    let expected = Some(memory.updated_at);
    Ok(Change::Edit(Box::new(Edit { id: memory.id, expected, limits, patch })).into())
}
