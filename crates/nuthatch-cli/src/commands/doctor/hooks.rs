//! Why hooks of agents were silent, where they were.
//!
//! A hook must not speak of its troubles to a model, so here is where they are told.

use std::path::Path;

use nuthatch::store::Finding;

use crate::hooking;

/// The last trouble, and how many there were.
pub fn check(data: &Path) -> Option<Finding> {
    let log = hooking::log(data);
    let troubles = log.troubles();
    let last = troubles.last()?;
    let times = match troubles.len() {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let agent = last.agent.as_deref().unwrap_or("an agent");
    let event = last.event.as_deref().unwrap_or("an event");
    let detail =
        format!("silent {times}, last at {} ({event} of {agent}): {}", last.at, last.reason);
    Some(Finding::warning(
        "hooks",
        detail,
        format!("remove {} when it is mended", log.path().display()),
    ))
}
