//! What can be read by address: `memory://root`, documents below it, `memory://<id>`.
//!
//! A convenience for people who mention things; no agent needs it, the tools do all of it.
//! Quarantined memories are not listed, and can still be read by their id.

use nuthatch::Memory;
use nuthatch::address::Address;
use nuthatch::error::{Error, Result};
use nuthatch::filter::{Cursor, Filter, Page, Scopes};
use nuthatch::trust::Trust;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

use super::text;
use crate::Room;
use crate::verbs::preamble::{self, PreambleArgs};

/// Memories on one page of the list.
const PAGE: u64 = 50;
/// Characters of a memory in its title.
const TITLE_CHARS: usize = 60;

/// A page of what can be read. The cursor is the place after which it begins.
pub async fn list(room: &Room, cursor: Option<String>) -> Result<ListResourcesResult> {
    let place = room.place().await?;
    let mut filter = Filter::scoped(Scopes::These(place.visible()));
    filter.min_trust = Some(Trust::Inferred);
    filter.after = cursor.as_deref().map(parse_cursor).transpose()?;
    let listed = place.engine().list(&filter, Page::first(PAGE)).await?;
    let mut resources = Vec::new();
    if cursor.is_none() {
        resources.push(root());
    }
    resources.extend(listed.memories.iter().map(resource));
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = listed.memories.last().map(Cursor::at).and_then(|last| {
        (listed.total > PAGE).then(|| format!("{}~{}", last.created_at.as_microsecond(), last.id))
    });
    Ok(result)
}

fn parse_cursor(text: &str) -> Result<Cursor> {
    let wrong = || Error::invalid("not a cursor of this list").with_hint("begin without one");
    let (micros, id) = text.split_once('~').ok_or_else(wrong)?;
    let micros = micros.parse().map_err(|_| wrong())?;
    let created_at = jiff::Timestamp::from_microsecond(micros).map_err(|_| wrong())?;
    Ok(Cursor { created_at, id: id.parse().map_err(|_| wrong())? })
}

fn root() -> Resource {
    Resource::new(Address::Root.to_string(), "root")
        .with_title("What is remembered here")
        .with_description("Lasting memories of this place as one block, as a prompt gets it.")
        .with_mime_type("text/markdown")
}

fn resource(memory: &Memory) -> Resource {
    let title: String = memory.content.chars().take(TITLE_CHARS).collect();
    let name = memory.key.clone().unwrap_or_else(|| memory.id.to_string());
    Resource::new(Address::Memory(memory.id).to_string(), name)
        .with_title(title.split_whitespace().collect::<Vec<_>>().join(" "))
        .with_description(format!("A memory: {}", memory.category))
        .with_mime_type("text/plain")
}

/// How addresses are built.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("memory://{id}", "memory")
            .with_title("One memory")
            .with_description("A memory by its id, with what is known about it.")
            .with_mime_type("text/plain"),
        ResourceTemplate::new("memory://root/{document}", "document")
            .with_title("A document of this project")
            .with_description("MEMORY.md, memory_summary.md or skills/NAME/SKILL.md, where made.")
            .with_mime_type("text/markdown"),
    ]
}

/// Reads what an address names.
pub async fn read(room: &Room, uri: &str, connection: Option<&str>) -> Result<ReadResourceResult> {
    let address: Address = uri.parse()?;
    let place = room.place().await?;
    let contents = match address {
        Address::Root => {
            let block = preamble::preamble(place, PreambleArgs::default(), connection).await?;
            let parts = [place.guidance(), text::preamble(&block)];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            ResourceContents::text(parts.join("\n\n"), uri).with_mime_type("text/markdown")
        }
        Address::Document(_) => {
            let read = place.read(&address).await?;
            ResourceContents::text(read.text, uri).with_mime_type("text/markdown")
        }
        Address::Memory(id) => {
            ResourceContents::text(text::shown(&place.engine().show(id).await?), uri)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}
