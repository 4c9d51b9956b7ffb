//! What a project already remembers, which a new name would hide.
//!
//! Looks and changes nothing. Whatever keeps it from looking is left to the commands that
//! need the store: a configuration file can be made without one.

use nuthatch::filter::{Filter, Page, Scopes};

use crate::cli::Globals;
use crate::opening::Access;
use crate::render;
use crate::wiring::Desk;

/// A note on the memories under the name so far, where there are any.
pub async fn hidden(globals: &Globals) -> Option<String> {
    // Here `--store` names the store to come; what there is lies in the ones so far.
    let before = Globals { store: None, access: Access::Read, ..globals.clone() };
    let desk = Desk::open(&before).await.ok()?;
    let filter = Filter::scoped(Scopes::These(vec![desk.project().clone()]));
    let nothing = Page { offset: 0, limit: 0 };
    let count = desk.engine().list(&filter, nothing).await.ok().filter(|list| list.total > 0)?;
    Some(format!(
        "note: what this project remembers keeps its old name ({}); \
         `nuthatch list --scope {}` shows it",
        render::memories(count.total),
        desk.project()
    ))
}
