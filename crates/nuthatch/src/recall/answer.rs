//! Weighed candidates to hits.
//!
//! Orders them, puts what was replaced below what replaced it, gathers turns into their
//! conversations where that is asked for, and reads the texts of those that are shown.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::candidate::Candidate;
use super::conversation::Wholes;
use super::fuse::{Setting, Worth};
use super::otherwise::{self, Contradictions};
use super::rank;
use super::request::{Evidence, Hit, HitKind, Lane, Level, RecallRequest};
use crate::category::Category;
use crate::error::Result;
use crate::id::{DocId, MemoryId, SessionId, TurnId};
use crate::memory::Memory;
use crate::session::{Session, Turn};
use crate::store::Store;
use crate::text::passage;

/// How far below what replaced it a memory stands.
const BELOW: f64 = 0.01;

/// One place in the order: what is shown, and what it is worth.
struct Place<'a> {
    shown: &'a Candidate,
    /// The conversation, where it stands for one.
    session: Option<&'a SessionId>,
    worth: Worth,
}

/// The hits, best first.
pub async fn hits(
    store: &dyn Store,
    request: &RecallRequest,
    terms: &[String],
    (setting, candidates): (&Setting, &[Candidate]),
) -> Result<Vec<Hit>> {
    let mut worths = setting.worths(candidates);
    let contradictions = otherwise::settle(candidates, terms, &mut worths);
    sink_replaced(candidates, &mut worths);
    let mut places: Vec<Place<'_>> = candidates
        .iter()
        .zip(worths)
        .map(|(shown, worth)| Place { shown, session: None, worth })
        .collect();
    places.sort_by(order);
    if request.level == Level::Session {
        let best: Vec<&Candidate> = places.iter().map(|place| place.shown).collect();
        let wanted = if setting.words { terms } else { &[] };
        let wholes = Wholes::read(store, request, wanted, &best).await?;
        places = by_session(places, setting, &wholes);
    }
    let bar = setting.bar(candidates);
    places.retain(|place| setting.is_related(place.shown) && bar.passes(place.shown));
    let scale = scale(&places, setting);
    let score = |place: &Place<'_>| (place.worth.score() * scale).min(1.0);
    places.retain(|place| score(place) >= request.min_score);
    places.truncate(request.limit);
    let said = Said::read(store, &places).await?;
    let hits = places.iter().filter_map(|place| {
        let hit = hit(place, request, terms, &said)?;
        Some(Hit { score: score(place), ..hit })
    });
    let mut hits: Vec<Hit> = hits.collect();
    mark(&mut hits, &contradictions);
    Ok(hits)
}

/// Notes on each hit which others of the answer it contradicts.
fn mark(hits: &mut [Hit], contradictions: &Contradictions) {
    let shown: BTreeSet<MemoryId> = hits.iter().filter_map(Hit::memory).collect();
    for hit in hits {
        let others = hit.memory().and_then(|id| contradictions.get(&id));
        hit.contradicts =
            others.into_iter().flatten().filter(|id| shown.contains(id)).copied().collect();
    }
}

/// Where meanings are not compared, nothing is known to be near; then the best hit has as
/// high a score as it holds of what was asked for, and the others follow in proportion.
fn scale(places: &[Place<'_>], setting: &Setting) -> f64 {
    match places.first().filter(|_| setting.calibration.is_none()) {
        Some(best) => {
            let held = if best.shown.is_key { 1.0 } else { best.shown.share };
            held / best.worth.score()
        }
        None => 1.0,
    }
}

fn order(a: &Place<'_>, b: &Place<'_>) -> Ordering {
    let tie = || rank::tie_break(b.shown).cmp(&rank::tie_break(a.shown));
    b.worth.sum.total_cmp(&a.worth.sum).then_with(tie)
}

/// What was replaced stands below what replaced it, however well it matches.
fn sink_replaced(candidates: &[Candidate], worths: &mut [Worth]) {
    let at: HashMap<MemoryId, usize> = candidates
        .iter()
        .enumerate()
        .filter_map(|(place, one)| Some((one.doc.memory()?, place)))
        .collect();
    // As often as a chain of replacements can be long.
    for _ in 0..candidates.len().min(16) {
        let mut moved = false;
        for (place, one) in candidates.iter().enumerate() {
            let by = one.memory.as_ref().and_then(|memory| memory.superseded_by);
            let Some(newer) = by.and_then(|id| at.get(&id)) else { continue };
            let ceiling = worths[*newer].sum - BELOW;
            if worths[place].sum > ceiling {
                let lowered = ceiling - worths[place].sum;
                worths[place].add("replaced", lowered);
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

/// Turns gathered into their conversations; each is shown by its best turn.
fn by_session<'a>(places: Vec<Place<'a>>, setting: &Setting, wholes: &Wholes) -> Vec<Place<'a>> {
    let mut turns: BTreeMap<&SessionId, Vec<&Candidate>> = BTreeMap::new();
    let mut gathered = Vec::new();
    for place in places {
        match place.shown.session() {
            // The places come best first, so that each list begins with the best turn.
            Some(session) => turns.entry(session).or_default().push(place.shown),
            None => gathered.push(place),
        }
    }
    gathered.extend(turns.into_iter().map(|(session, turns)| Place {
        shown: turns[0],
        session: Some(session),
        worth: setting.session_worth(&turns, wholes.information(session)),
    }));
    gathered.sort_by(order);
    gathered
}

/// The texts of the turns that are shown, and their conversations.
#[derive(Default)]
struct Said {
    turns: HashMap<TurnId, Turn>,
    sessions: HashMap<SessionId, Session>,
}

impl Said {
    async fn read(store: &dyn Store, places: &[Place<'_>]) -> Result<Said> {
        let ids: Vec<TurnId> =
            places.iter().filter_map(|place| place.shown.doc.turn()).cloned().collect();
        if ids.is_empty() {
            return Ok(Said::default());
        }
        let turns = store.said(&ids).await?.into_iter().map(|turn| (turn.id(), turn)).collect();
        let around = store.around(&ids, 0).await?;
        let sessions =
            around.sessions.into_iter().map(|facts| (facts.session.id.clone(), facts.session));
        Ok(Said { turns, sessions: sessions.collect() })
    }
}

fn hit(place: &Place<'_>, request: &RecallRequest, terms: &[String], said: &Said) -> Option<Hit> {
    let one = place.shown;
    let mut hit = match (&one.memory, &one.doc) {
        (Some(memory), _) => of_memory(memory),
        (None, DocId::Turn(id)) => {
            let turn = said.turns.get(id)?;
            of_turn(turn, said.sessions.get(&id.session)?, place.session.is_some())
        }
        (None, DocId::Memory(_)) => return None,
    };
    (hit.content, hit.cut) = shown_part(&hit.content, one, terms);
    if one.bm25 > 0.0 {
        let seen = Evidence { raw: one.bm25, terms: one.terms.clone() };
        hit.lanes.insert(Lane::Text, seen);
    }
    if let Some(cosine) = one.cosine {
        hit.lanes.insert(Lane::Vector, Evidence { raw: cosine, terms: Vec::new() });
    }
    if one.is_key {
        hit.lanes.insert(Lane::Key, Evidence { raw: 1.0, terms: Vec::new() });
    }
    if request.explain {
        let parts = place.worth.parts.iter();
        hit.parts = parts.map(|(name, value)| ((*name).to_owned(), *value)).collect();
    }
    Some(hit)
}

/// The part that answers: the one that holds the words, or, where there are none, the passage
/// that is nearest in meaning.
fn shown_part(text: &str, one: &Candidate, terms: &[String]) -> (String, bool) {
    let by_meaning = one.passage.clone().filter(|_| one.terms.is_empty());
    match by_meaning.and_then(|range| text.get(range)) {
        Some(part) => (part.to_owned(), part.len() < text.trim().len()),
        None => {
            let found = passage(text, terms);
            (found.text, found.cut)
        }
    }
}

fn of_memory(memory: &Memory) -> Hit {
    Hit {
        kind: HitKind::Memory,
        id: memory.id.to_string(),
        key: memory.key.clone(),
        content: memory.content.clone(),
        cut: false,
        score: 0.0,
        category: memory.category.clone(),
        scope: memory.scope.clone(),
        session_id: memory.session_id.clone(),
        seq: None,
        role: None,
        asked: None,
        trust: memory.trust,
        pinned: memory.pinned,
        created_at: memory.created_at,
        superseded_by: memory.superseded_by,
        contradicts: Vec::new(),
        lanes: BTreeMap::new(),
        parts: BTreeMap::new(),
    }
}

fn of_turn(turn: &Turn, session: &Session, stands_for_session: bool) -> Hit {
    let (kind, id, at) = if stands_for_session {
        (HitKind::Session, turn.session.to_string(), session.started_at)
    } else {
        (HitKind::Turn, format!("{}#{}", turn.session, turn.seq), turn.at)
    };
    Hit {
        kind,
        id,
        key: session.title.clone().filter(|_| stands_for_session),
        content: turn.text.clone(),
        cut: false,
        score: 0.0,
        category: Category::conversation(),
        scope: session.scope(),
        session_id: Some(turn.session.clone()),
        seq: Some(turn.seq),
        role: Some(turn.role),
        asked: turn.asked.clone(),
        trust: turn.role.trust(),
        pinned: false,
        created_at: at,
        superseded_by: None,
        contradicts: Vec::new(),
        lanes: BTreeMap::new(),
        parts: BTreeMap::new(),
    }
}

/// A hit of the newest memories.
pub fn newest(memory: &Memory, now: Timestamp) -> Hit {
    let age_days = now.duration_since(memory.created_at).as_secs_f64() / 86_400.0;
    let mut hit = of_memory(memory);
    let found = passage(&memory.content, &[]);
    (hit.content, hit.cut) = (found.text, found.cut);
    hit.score = rank::recency_score(age_days);
    hit.lanes.insert(Lane::Recent, Evidence { raw: age_days, terms: Vec::new() });
    hit
}
