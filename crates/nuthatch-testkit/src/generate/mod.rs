//! Deterministic hostile data: every field of every value, at its edges.
//!
//! The same seed always gives the same value, so that a failing case can be repeated by its
//! seed alone. What a store cannot be asked to keep is left out: empty keys, and times
//! outside the years 1 to 9998.

mod text;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::id::{MemoryId, ProjectId, RequirementId, SessionId};
use nuthatch::memory::{Importance, Memory, Record, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};
use nuthatch::trust::{Origin, Source, Trust};
use uuid::Uuid;

pub use text::ODDITIES;

/// 0001-01-01T00:00:00Z: the first year that RFC 3339 can write.
const FIRST_MICROS: i64 = -62_135_596_800_000_000;
/// 9998-12-31T23:59:59.999999Z: leaves room for stores that add to a time.
const LAST_MICROS: i64 = 253_370_764_799_999_999;
/// The largest count that a signed 64-bit column holds.
const LARGEST_COUNT: u64 = i64::MAX as u64;

/// A small generator of numbers (splitmix64): fast, seedable, the same on every machine.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose numbers depend on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0 when there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }

    /// True once in so many times.
    pub fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    /// One of these; there must be one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// A memory with every field at some edge; consecutive seeds go through every oddity.
#[must_use]
pub fn memory(seed: u64) -> Memory {
    let rng = &mut Rng::new(seed);
    Memory {
        id: memory_id(rng),
        key: (!rng.chance(3)).then(|| text::key(rng, seed)),
        content: text::content(rng, seed),
        category: category(rng),
        scope: rng.pick(&scopes()).clone(),
        session_id: rng.chance(2).then(|| rng.pick(&session_ids()).clone()),
        created_at: time(rng),
        updated_at: time(rng),
        origin: *rng.pick(&Origin::ALL),
        source: source(rng),
        trust: *rng.pick(&Trust::ALL),
        pinned: rng.chance(3),
        importance: importance(rng),
        metadata: metadata(rng),
        superseded_by: rng.chance(3).then(|| memory_id(rng)),
        used: count(rng),
        last_used_at: rng.chance(2).then(|| time(rng)),
    }
}

/// A memory with up to four versions, numbered from 1.
#[must_use]
pub fn record(seed: u64) -> Record {
    let memory = memory(seed);
    let rng = &mut Rng::new(!seed);
    let version = |number: u32| Version {
        memory_id: memory.id,
        number,
        key: rng.chance(2).then(|| text::key(rng, seed)),
        content: text::content(rng, seed + u64::from(number)),
        category: category(rng),
        written_at: time(rng),
        replaced_at: time(rng),
    };
    let count = (seed % 5) as u32;
    let versions = (1..=count).map(version).collect();
    Record { memory, versions }
}

/// So many records that can live in one store: no id, no key of a scope and no text of a
/// scope occurs twice. [`ODDITIES`]`.len()` of them hold every oddity.
#[must_use]
pub fn records(seed: u64, count: usize) -> Vec<Record> {
    let mut keys = BTreeSet::new();
    let mut texts = BTreeSet::new();
    let mut made: Vec<Record> = Vec::with_capacity(count);
    for place in 0..count {
        let mut record = record(seed + place as u64);
        let memory = &mut record.memory;
        if let Some(key) = &mut memory.key {
            while !keys.insert((memory.scope.clone(), key.clone())) {
                key.push_str(&place.to_string());
            }
        }
        while !texts.insert((memory.scope.clone(), memory.content.clone())) {
            memory.content.push_str(&place.to_string());
        }
        // Half of what is replaced is replaced by something that can be looked up. Only by
        // an earlier one, because a circle is no state a store can be in.
        if place % 2 == 0 && memory.superseded_by.is_some() {
            memory.superseded_by = made.get(place / 2).map(|other| other.memory.id);
        }
        made.push(record);
    }
    made
}

/// A conversation with every field at some edge. Its id ends with the seed, and so does its
/// user: two seeds never make the same one.
#[must_use]
pub fn session(seed: u64) -> Session {
    let rng = &mut Rng::new(seed ^ 0x5e55_1015);
    let has_channel = !rng.chance(3);
    Session {
        id: SessionId::new(format!("{}/{seed}", text::printable(rng)))
            .expect("printable text is a session id"),
        channel: has_channel.then(|| text::anything(rng)),
        user: has_channel.then(|| format!("{}{seed}", text::anything(rng))),
        agent: rng.chance(2).then(|| text::anything(rng)),
        project: rng.chance(2).then(|| rng.pick(&project_ids()).clone()),
        title: rng.chance(2).then(|| text::anything(rng)),
        started_at: time(rng),
        last_active_at: time(rng),
        metadata: metadata(rng),
    }
}

/// So many turns of one conversation, in order, the last at the largest place there is.
#[must_use]
pub fn turns(seed: u64, session: &SessionId, count: usize) -> Vec<Turn> {
    let rng = &mut Rng::new(seed ^ 0x7u64.rotate_right(8));
    let turn = |place: usize| Turn {
        session: session.clone(),
        seq: if place + 1 == count { LARGEST_COUNT } else { place as u64 * 3 },
        at: time(rng),
        role: *rng.pick(&Role::ALL),
        text: text::content(rng, seed + place as u64),
        asked: rng.chance(3).then(|| text::anything(rng)),
    };
    (0..count).map(turn).collect()
}

/// One or more of each kind of scope, with names that a careless layout would confuse.
#[must_use]
pub fn scopes() -> Vec<Scope> {
    let requirement = |name: &str| RequirementId::new(name).expect("a legal requirement id");
    let mut scopes = vec![Scope::Global, Scope::User];
    for project in project_ids() {
        for name in ["REQ-069", "user"] {
            let requirement = requirement(name);
            scopes.push(Scope::Plan { project: project.clone(), requirement });
        }
        scopes.push(Scope::Project(project));
    }
    scopes.extend(session_ids().into_iter().map(Scope::Session));
    scopes
}

fn project_ids() -> Vec<ProjectId> {
    ["alpha", "projects", "a..b.md"]
        .map(|name| ProjectId::new(name).expect("a legal project id"))
        .into()
}

fn session_ids() -> Vec<SessionId> {
    ["telegram:42/ünï", "../../outside", "MEMORY.md", "a:b:c \u{202e}\u{feff}<!-- -->'\"é"]
        .map(|name| SessionId::new(name).expect("a legal session id"))
        .into()
}

fn category(rng: &mut Rng) -> Category {
    // The first few are names that a layout may use for something else.
    let longest = "x".repeat(64);
    let custom = ["memory", "user", "projects", "plans", "index", "release_notes", "a", &longest];
    let mut names = custom.to_vec();
    names.extend(Category::FACTS.iter().chain(&Category::FINDINGS));
    // Each is a file of its own in some stores, so these three come up more often.
    names.extend(Category::KNOWLEDGE.repeat(4));
    Category::new(*rng.pick(&names)).expect("a legal category")
}

fn memory_id(rng: &mut Rng) -> MemoryId {
    // Ids from elsewhere are of any version, or of none.
    MemoryId(Uuid::from_u64_pair(rng.draw(), rng.draw()))
}

fn time(rng: &mut Rng) -> Timestamp {
    let span = LAST_MICROS.abs_diff(FIRST_MICROS);
    let anywhere = FIRST_MICROS.saturating_add_unsigned(rng.below(span));
    let micros = *rng.pick(&[
        FIRST_MICROS,
        LAST_MICROS,
        0,
        -1,
        1,
        -1_500_000,
        1_773_144_000_123_456,
        1_773_144_000_000_000,
        anywhere,
        anywhere,
        anywhere,
    ]);
    Timestamp::from_microsecond(micros).expect("between the first and the last time")
}

fn importance(rng: &mut Rng) -> Importance {
    // 53 random bits are a fraction that needs all 17 digits to be written down.
    let odd = (rng.draw() >> 11) as f64 / (1_u64 << 53) as f64;
    let value = *rng.pick(&[0.0, 1.0, 0.5, 0.1 + 0.2, 1.0 / 3.0, f64::MIN_POSITIVE, odd, odd]);
    Importance::new(value).expect("between 0 and 1")
}

fn source(rng: &mut Rng) -> Option<Source> {
    if rng.chance(2) {
        return None;
    }
    Some(Source {
        session: rng.chance(2).then(|| rng.pick(&session_ids()).clone()),
        turns: (0..rng.below(4)).map(|_| count(rng)).collect(),
        place: rng.chance(2).then(|| text::anything(rng)),
    })
}

fn metadata(rng: &mut Rng) -> BTreeMap<String, String> {
    (0..rng.below(5)).map(|_| (text::anything(rng), text::anything(rng))).collect()
}

fn count(rng: &mut Rng) -> u64 {
    let any = rng.draw() >> 1;
    *rng.pick(&[0, 1, 7, u64::from(u32::MAX) + 1, LARGEST_COUNT, any])
}

#[cfg(test)]
mod tests;
