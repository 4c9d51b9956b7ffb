//! What is believed, for how long, and what ends it.
//!
//! Time is not waited for: a moment is an hour or nothing.

use jiff::Timestamp;
use nuthatch::grant::{Grant, Role};

use super::*;

const HOUR: Duration = Duration::from_secs(3600);

fn kept(id: &str) -> Kept {
    let grant = Grant {
        id: id.to_owned(),
        tenant: "acme".to_owned(),
        name: id.to_owned(),
        role: Role::Reader,
        created_at: Timestamp::UNIX_EPOCH,
        expires_at: None,
        revoked_at: None,
    };
    Kept { grant, hash: String::new() }
}

/// Asks for a grant and notes what was found, with something that happens in between.
fn find(beliefs: &Beliefs, id: &str, between: impl FnOnce()) {
    let asked = beliefs.of(&key("acme", id), Duration::ZERO).err().unwrap();
    between();
    beliefs.note(key("acme", id), Some(kept(id)), asked);
}

fn is_believed(beliefs: &Beliefs, id: &str, fresh: Duration) -> bool {
    beliefs.of(&key("acme", id), fresh).is_ok()
}

#[test]
fn where_nobody_tells_a_grant_is_believed_for_its_moment() {
    let beliefs = Beliefs::default();
    find(&beliefs, "one", || {});
    assert!(is_believed(&beliefs, "one", HOUR) && !is_believed(&beliefs, "one", Duration::ZERO));
}

#[test]
fn while_changes_are_told_it_is_believed_for_longer_and_what_changed_is_not() {
    let beliefs = Beliefs::default();
    beliefs.reliable_for(HOUR);
    find(&beliefs, "one", || {});
    find(&beliefs, "two", || {});
    beliefs.changed("acme", "one");
    beliefs.changed("else", "two");
    assert!(!is_believed(&beliefs, "one", HOUR));
    assert!(is_believed(&beliefs, "two", Duration::ZERO));
}

#[test]
fn what_changes_while_it_is_asked_for_is_not_believed() {
    let beliefs = Beliefs::default();
    beliefs.reliable_for(HOUR);
    find(&beliefs, "one", || beliefs.changed("acme", "one"));
    assert!(!is_believed(&beliefs, "one", HOUR));
}

#[test]
fn what_was_found_while_nobody_told_does_not_outlive_its_moment() {
    let beliefs = Beliefs::default();
    find(&beliefs, "one", || beliefs.reliable_for(HOUR));
    assert!(!is_believed(&beliefs, "one", HOUR));
    find(&beliefs, "one", || {});
    assert!(is_believed(&beliefs, "one", Duration::ZERO));
    beliefs.lost();
    assert!(!is_believed(&beliefs, "one", Duration::ZERO) && is_believed(&beliefs, "one", HOUR));
    beliefs.reliable_for(HOUR);
    assert!(!is_believed(&beliefs, "one", HOUR), "what was missed meanwhile is not known");
    // A promise ends by itself, too.
    find(&beliefs, "one", || {});
    beliefs.reliable_for(Duration::ZERO);
    assert!(!is_believed(&beliefs, "one", Duration::ZERO));
    beliefs.reliable_for(HOUR);
    assert!(!is_believed(&beliefs, "one", HOUR));
}
