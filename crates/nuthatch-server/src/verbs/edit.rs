//! `edit`: changes a memory and keeps what it said.
//!
//! What a person decides, such as trust, cannot be changed this way.

use std::collections::BTreeMap;

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::edit::EditRequest;
use nuthatch::error::{Error, Result};
use nuthatch::guard::Form;
use nuthatch::memory::Importance;
use nuthatch::trust::Origin;
use nuthatch::{Place, Shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be changed; what is not named stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditArgs {
    /// The id or the key of the memory.
    pub id: String,
    /// The scope of the key, where several have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The whole new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the new text keeps its line breaks; if not said, as the old one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<bool>,
    /// A new key; an empty text takes the key away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Another category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether limits may push it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// How much it matters, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Importance>,
    /// Names and texts to set; an empty text removes the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// The updated_at you saw: the change is refused if the memory has moved on since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Timestamp>,
    /// Instead of all this: bring back what it said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
}

/// Changes it.
///
/// # Errors
/// As [`nuthatch::Engine::edit`].
pub async fn edit(place: &Place, args: EditArgs) -> Result<Shown> {
    let scopes = place.scopes_of_key(args.scope.as_deref())?;
    let memory = place.find(&args.id, scopes).await?;
    let mut request = EditRequest::new(memory.id);
    // Whoever comes through a door may be an agent; what a person says of it is a review.
    request.origin = Origin::Agent;
    let form = |note: bool| if note { Form::Note } else { Form::Fact };
    request.content = args.content;
    request.form = args.note.map(form);
    request.key = args.key.map(|key| Some(key).filter(|key| !key.is_empty()));
    request.category = args.category.map(Category::new).transpose()?;
    request.pinned = args.pinned;
    request.importance = args.importance;
    request.metadata = args.metadata.unwrap_or_default();
    request.expected = args.expected;
    if args.undo != Some(true) {
        return place.engine().edit(request).await;
    }
    let EditRequest { content, key, category, pinned, importance, .. } = &request;
    let other = content.is_some() || key.is_some() || category.is_some();
    if other || pinned.is_some() || importance.is_some() || !request.metadata.is_empty() {
        return Err(Error::invalid("undo brings back an old text and takes no new one")
            .with_hint("send undo alone, or leave it out"));
    }
    place.engine().undo(memory.id, None).await
}
