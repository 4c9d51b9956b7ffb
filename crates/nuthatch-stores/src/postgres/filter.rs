//! A filter as a condition with parameters; no value is ever part of the SQL.
//!
//! What a filter means is `Filter::matches`; the conformance suite holds this to it.

use nuthatch::filter::{BELOW, Cursor, Filter, Region, Scopes, Superseded, place_of};
use nuthatch::scope::{Scope, ScopeKind};
use nuthatch::session::Role;

use super::codec::{escaped, hash};
use super::connect::Binds;
use crate::semantics::trust_level;

/// A filter as a condition over `memories AS m`.
pub fn memories(filter: &Filter, binds: &mut Binds) -> String {
    let mut terms = vec!["m.tenant = $1".to_owned(), scopes(&filter.scopes, binds)];
    if !filter.include.memories() {
        terms.push("false".into());
    }
    if let Some(key) = &filter.key {
        terms.push(format!(
            "m.key_hash = {} AND m.key = {}",
            binds.bind(hash(key)),
            binds.bind(key)
        ));
    }
    if !filter.contents.is_empty() {
        let hashes: Vec<Vec<u8>> = filter.contents.iter().map(|one| hash(one)).collect();
        let place = binds.bind(hashes);
        let contents = binds.bind(filter.contents.clone());
        terms.push(format!("m.content_hash = ANY ({place}) AND m.content = ANY ({contents})"));
    }
    if !filter.categories.is_empty() {
        let names: Vec<String> = filter.categories.iter().map(|c| c.as_str().to_owned()).collect();
        terms.push(format!("m.category = ANY ({})", binds.bind(names)));
    }
    if !filter.sessions.is_empty() {
        let ids: Vec<String> = filter.sessions.iter().map(|id| id.as_str().to_owned()).collect();
        let own = filter.sessions.iter().map(|id| Scope::Session(id.clone()).to_string());
        let own = binds.bind(own.collect::<Vec<String>>());
        let ids = binds.bind(ids);
        terms.push(format!(
            "(m.session_id = ANY ({ids}) OR m.source_session = ANY ({ids}) OR m.scope = ANY ({own}))"
        ));
    }
    if let Some(source) = &filter.source {
        let place = place_of(source);
        let below: Vec<String> = BELOW.iter().map(|mark| format!("{place}{mark}")).collect();
        let (length, place) = (escaped(place).chars().count() as i64 + 1, binds.bind(place));
        let (length, below) = (binds.bind(length), binds.bind(below));
        terms.push(format!(
            "(m.source_place = {place} OR substr(m.source_place, 1, {length}::int) = ANY ({below}))"
        ));
    }
    if let Some(since) = filter.since {
        terms.push(format!("m.created_at >= {}", binds.bind(since)));
    }
    if let Some(until) = filter.until {
        terms.push(format!("m.created_at <= {}", binds.bind(until)));
    }
    if let Some(trust) = filter.min_trust {
        terms.push(format!("m.trust >= {}", binds.bind(trust_level(trust))));
    }
    if let Some(trust) = filter.max_trust {
        terms.push(format!("m.trust <= {}", binds.bind(trust_level(trust))));
    }
    if let Some(pinned) = filter.pinned {
        terms.push(format!("m.pinned = {}", binds.bind(pinned)));
    }
    if filter.superseded == Superseded::Hidden {
        terms.push("m.superseded_by IS NULL".into());
    }
    if let Some(Cursor { created_at, id }) = filter.after {
        let place = (binds.bind(created_at), binds.bind(id));
        terms.push(format!("(m.created_at, m.id) < ({}, {})", place.0, place.1));
    }
    terms.join(" AND ")
}

fn scopes(scopes: &Scopes, binds: &mut Binds) -> String {
    match scopes {
        Scopes::All => "true".to_owned(),
        Scopes::These(scopes) => {
            let names: Vec<String> = scopes.iter().map(Scope::to_string).collect();
            format!("m.scope = ANY ({})", binds.bind(names))
        }
        Scopes::Regions { of, but } => {
            format!("({} AND NOT {})", regions(of, binds), regions(but, binds))
        }
    }
}

/// Scopes of a region are all those whose text lies in a range: compared, never matched against a
/// pattern, because a name may hold what a pattern gives a meaning.
fn regions(regions: &[Region], binds: &mut Binds) -> String {
    let mut terms = vec!["false".to_owned()];
    for Region { kind, project } in regions {
        let name = kind.name();
        // `;` comes right after `:`, so it ends everything that begins with the name.
        let bounds = match (kind, project) {
            (_, None) => (name.to_owned(), format!("{name};")),
            (ScopeKind::Plan, Some(project)) => {
                (format!("{name}:{project}:"), format!("{name}:{project};"))
            }
            (ScopeKind::Project, Some(project)) => {
                terms.push(format!("m.scope = {}", binds.bind(format!("{name}:{project}"))));
                continue;
            }
            (_, Some(_)) => continue,
        };
        let bounds = (binds.bind(bounds.0), binds.bind(bounds.1));
        terms.push(format!("(m.scope >= {} AND m.scope < {})", bounds.0, bounds.1));
    }
    format!("({})", terms.join(" OR "))
}

/// A filter as a condition over `turns AS t`. Scopes are left to the shelves, on which nothing of
/// another scope stands.
pub fn turns(filter: &Filter, binds: &mut Binds) -> String {
    let mut terms = vec!["t.tenant = $1".to_owned()];
    if !filter.admits_turns() {
        terms.push("false".into());
    }
    if !filter.sessions.is_empty() {
        let ids: Vec<String> = filter.sessions.iter().map(|id| id.as_str().to_owned()).collect();
        terms.push(format!("t.session = ANY ({})", binds.bind(ids)));
    }
    if let Some(since) = filter.since {
        terms.push(format!("t.at >= {}", binds.bind(since)));
    }
    if let Some(until) = filter.until {
        terms.push(format!("t.at <= {}", binds.bind(until)));
    }
    if let Some(trust) = filter.min_trust {
        let trusted = Role::ALL.into_iter().filter(|role| role.trust() >= trust);
        let names: Vec<String> = trusted.map(|role| role.name().to_owned()).collect();
        terms.push(format!("t.role = ANY ({})", binds.bind(names)));
    }
    terms.join(" AND ")
}

/// A query for the documents that pass a filter and a condition over `documents AS d`: what to tell
/// of a memory, and of a turn. Scopes of turns are left to the shelves.
pub fn documents(
    filter: &Filter,
    binds: &mut Binds,
    (of_memory, of_turn): (&str, &str),
    among: &str,
) -> String {
    let (memory, turn) = (memories(filter, binds), turns(filter, binds));
    let memories = format!(
        "SELECT {of_memory} FROM nuthatch.memories AS m JOIN nuthatch.documents AS d \
         ON d.tenant = $1 AND d.doc = m.id WHERE {memory} AND {among}"
    );
    let turns = format!(
        "SELECT {of_turn} FROM nuthatch.turns AS t JOIN nuthatch.documents AS d \
         ON d.tenant = $1 AND d.kind = 1 AND d.session = t.session AND d.seq = t.seq \
         WHERE {turn} AND {among}"
    );
    match (filter.include.memories(), filter.admits_turns()) {
        (true, false) => memories,
        (false, true) => turns,
        _ => format!("{memories} UNION ALL {turns}"),
    }
}
