//! Vectors: one model's at a time, never of what has changed, never of what is gone.

use nuthatch::change::{Change, Patch};
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{DocId, ModelId};
use nuthatch::memory::Memory;
use nuthatch::store::{Embedded, EmbeddedPassage, Unembedded, VectorQuery, VectorUsage};
use nuthatch::vector::Vector;

use super::bench::Bench;
use super::probe::{Probe, must, new_text, project, session_id};
use super::reference::Shelf;
use super::sessions::putting;
use super::talk::{filter, furnish};
use crate::generate::Rng;

/// Odd, so that nothing relies on pairs.
const DIMENSIONS: usize = 25;

fn model(name: &str) -> ModelId {
    ModelId::new(format!("{name}@1#0123456789abcdef")).expect("a model id")
}

fn vector(rng: &mut Rng) -> Vector {
    Vector::of((0..DIMENSIONS).map(|_| (rng.below(255) as i64 - 127) as i8).collect())
}

/// Vectors for one or two passages of a document.
fn embed(waiting: &Unembedded, rng: &mut Rng) -> Embedded {
    let passage = |_| EmbeddedPassage {
        range: 0..waiting.text.len().min(7 + rng.below(9) as usize),
        vector: vector(rng),
    };
    let passages = (0..=u64::from(waiting.text.len() > 40)).map(passage).collect();
    Embedded { doc: waiting.doc.clone(), hash: waiting.hash, passages }
}

async fn waiting(probe: &Probe, model: &ModelId) -> Vec<Unembedded> {
    must("asking what waits", probe.store().unembedded(model, None, 10_000).await)
}

async fn put(probe: &Probe, model: &ModelId, items: &[Embedded]) -> u64 {
    must("keeping vectors", probe.store().put_vectors(model, items).await)
}

/// Embeds all that waits.
async fn embed_all(probe: &Probe, model: &ModelId, seed: u64) -> Vec<(ModelId, Embedded)> {
    let mut rng = Rng::new(seed);
    let items: Vec<Embedded> =
        waiting(probe, model).await.iter().map(|one| embed(one, &mut rng)).collect();
    assert_eq!(put(probe, model, &items).await, items.len() as u64);
    items.into_iter().map(|item| (model.clone(), item)).collect()
}

fn asking(model: &ModelId, rng: &mut Rng, filter: Filter, limit: usize) -> VectorQuery {
    VectorQuery { model: model.clone(), vector: vector(rng), filter, limit }
}

async fn assert_nearest(probe: &Probe, shelf: &Shelf, query: &VectorQuery) {
    let found = must("searching", probe.store().search_vectors(query).await);
    assert_eq!(found, shelf.search_vectors(query), "{query:?}");
}

fn everything() -> Filter {
    Filter::scoped(Scopes::All)
}

pub async fn a_document_waits_until_it_is_embedded(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let shelf = furnish(&probe, 500).await;
    let all = shelf.memories.len() + shelf.turns.len();
    let waits = waiting(&probe, &model).await;
    assert_eq!(waits.len(), all);
    let mut rng = Rng::new(501);
    let (now, later) = waits.split_at(10);
    let items: Vec<Embedded> = now.iter().map(|one| embed(one, &mut rng)).collect();
    assert_eq!(put(&probe, &model, &items).await, 10);
    let probe = probe.reopen(bench).await;
    assert_eq!(waiting(&probe, &model).await, later);
    let stats = must("reading statistics", probe.store().stats().await);
    let passages = items.iter().map(|item| item.passages.len() as u64).sum();
    let pending = later.len() as u64;
    assert_eq!(
        stats.vectors,
        [VectorUsage { model: model.clone(), documents: 10, pending, passages }]
    );
    // In parts, from one document on to the next.
    let mut after = None;
    let mut read = Vec::new();
    loop {
        let some = probe.store().unembedded(&model, after.as_ref(), 7).await;
        let some = must("asking what waits", some);
        let Some(last) = some.last() else { break };
        after = Some(last.doc.clone());
        read.extend(some);
    }
    assert_eq!(read, later);
    embed_all(&probe, &model, 502).await;
    assert!(waiting(&probe, &model).await.is_empty());
}

pub async fn the_nearest_are_found_exactly(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let mut shelf = furnish(&probe, 510).await;
    shelf.vectors = embed_all(&probe, &model, 511).await;
    let mut rng = Rng::new(512);
    for _ in 0..120 {
        let filter = filter(&mut rng, &probe);
        let limit = *rng.pick(&[0, 1, 5, 1000]);
        assert_nearest(&probe, &shelf, &asking(&model, &mut rng, filter, limit)).await;
    }
}

pub async fn vectors_of_two_models_never_meet(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let (one, two) = (model("small"), model("large"));
    let mut shelf = furnish(&probe, 520).await;
    shelf.vectors = embed_all(&probe, &one, 521).await;
    let mut rng = Rng::new(522);
    assert_nearest(&probe, &shelf, &asking(&two, &mut rng, everything(), 1000)).await;
    shelf.vectors.extend(embed_all(&probe, &two, 523).await);
    for model in [&one, &two] {
        assert_nearest(&probe, &shelf, &asking(model, &mut rng, everything(), 1000)).await;
    }
    let dropped = must("dropping", probe.store().drop_vectors(std::slice::from_ref(&two)).await);
    let of_one = shelf.vectors.iter().filter(|(model, _)| *model == one);
    assert_eq!(dropped, of_one.map(|(_, item)| item.passages.len() as u64).sum::<u64>());
    shelf.vectors.retain(|(model, _)| *model == two);
    for model in [&one, &two] {
        assert_nearest(&probe, &shelf, &asking(model, &mut rng, everything(), 1000)).await;
    }
    assert_eq!(waiting(&probe, &one).await.len(), shelf.memories.len() + shelf.turns.len());
}

pub async fn vectors_of_what_changed_or_vanished_are_passed_over(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let kept = probe.keep("stays as it is").await;
    let edited = probe.keep("will be changed").await;
    let forgotten = probe.keep("will be gone").await;
    let mut rng = Rng::new(530);
    let waits = waiting(&probe, &model).await;
    let items: Vec<Embedded> = waits.iter().map(|one| embed(one, &mut rng)).collect();
    probe.edit(edited.id, new_text("was changed")).await;
    probe.forget(&[forgotten.id]).await;
    assert_eq!(put(&probe, &model, &items).await, 1);
    let waits = waiting(&probe, &model).await;
    let docs: Vec<&DocId> = waits.iter().map(|one| &one.doc).collect();
    assert_eq!(docs, [&DocId::Memory(edited.id)]);
    let query = asking(&model, &mut rng, everything(), 10);
    let found = must("searching", probe.store().search_vectors(&query).await);
    let found: Vec<&DocId> = found.matches.iter().map(|found| &found.doc).collect();
    assert_eq!(found, [&DocId::Memory(kept.id)]);
}

pub async fn only_another_text_or_key_makes_a_document_wait_again(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let memory = probe.say(probe.keyed("editor", "helix")).await.memory;
    let mut shelf = furnish(&probe, 540).await;
    embed_all(&probe, &model, 541).await;
    probe.change(Change::Use { ids: vec![memory.id] }).await;
    probe.edit(memory.id, Patch { pinned: Some(true), ..Patch::default() }).await;
    probe.apply(vec![Change::PutTurns { turns: shelf.turns.clone() }]).await;
    assert!(waiting(&probe, &model).await.is_empty());
    probe.edit(memory.id, Patch { key: Some(Some("shell".into())), ..Patch::default() }).await;
    shelf.turns[0].text.push_str(" amended");
    probe.apply(vec![Change::PutTurns { turns: shelf.turns.clone() }]).await;
    let mut docs: Vec<DocId> =
        waiting(&probe, &model).await.into_iter().map(|one| one.doc).collect();
    docs.sort();
    assert_eq!(docs, [DocId::Memory(memory.id), DocId::Turn(shelf.turns[0].id())]);
}

pub async fn a_rehearsed_or_refused_change_leaves_vectors_alone(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let memory = probe.keep("stays as it is").await;
    embed_all(&probe, &model, 550).await;
    probe.rehearse(vec![Change::Forget { ids: vec![memory.id] }]).await;
    let unknown = Change::Supersede { old: probe.fresh_id(), by: None };
    let forget = Change::Forget { ids: vec![memory.id] };
    probe.refuse(Kind::NotFound, vec![forget, unknown]).await;
    assert!(waiting(&probe, &model).await.is_empty());
    let query = asking(&model, &mut Rng::new(551), everything(), 10);
    let found = must("searching", probe.store().search_vectors(&query).await);
    assert_eq!((found.indexed, found.pending, found.matches.len()), (1, 0, 1));
}

pub async fn forgotten_and_moved_documents_are_not_near_any_more(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let mut shelf = furnish(&probe, 560).await;
    shelf.vectors = embed_all(&probe, &model, 561).await;
    let (gone, ended) = (shelf.memories.remove(3), session_id("two"));
    let moved = shelf.sessions.get_mut(&session_id("one")).expect("it was put there");
    moved.project = None;
    let moved = putting(moved);
    probe.forget(&[gone.id]).await;
    probe.apply(vec![Change::ForgetSession { id: ended.clone() }, moved]).await;
    shelf.turns.retain(|turn| turn.session != ended);
    // What moved waits again, or not: found it is where it is now, or nowhere.
    let still: Vec<DocId> = waiting(&probe, &model).await.into_iter().map(|one| one.doc).collect();
    shelf.vectors.retain(|(_, item)| !still.contains(&item.doc));
    let mut rng = Rng::new(562);
    for scopes in [Scopes::All, Scopes::These(vec![project("alpha")])] {
        let query = asking(&model, &mut rng, Filter::scoped(scopes), 1000);
        assert_nearest(&probe, &shelf, &query).await;
    }
}

pub async fn cosines_come_in_the_order_asked_for(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let mut shelf = furnish(&probe, 570).await;
    shelf.vectors = embed_all(&probe, &model, 571).await;
    let late = probe.say(Memory { scope: project("alpha"), ..probe.memory("not embedded") }).await;
    let query = asking(&model, &mut Rng::new(572), everything(), 1000);
    let expected = shelf.search_vectors(&query).matches;
    let mut docs: Vec<DocId> = expected.iter().map(|found| found.doc.clone()).collect();
    docs.insert(2, DocId::Memory(late.memory.id));
    docs.insert(5, DocId::Memory(probe.fresh_id()));
    let found = must("comparing", probe.store().cosines(&query, &docs).await);
    assert_eq!(found, expected);
}

pub async fn reindexing_keeps_every_vector(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    let mut shelf = furnish(&probe, 580).await;
    shelf.vectors = embed_all(&probe, &model, 581).await;
    must("reindexing", probe.store().reindex(&|_, _| {}).await);
    assert!(waiting(&probe, &model).await.is_empty());
    let query = asking(&model, &mut Rng::new(582), everything(), 1000);
    assert_nearest(&probe, &shelf, &query).await;
}

pub async fn another_number_of_dimensions_finds_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let model = model("small");
    probe.keep("stays as it is").await;
    embed_all(&probe, &model, 590).await;
    let mut query = asking(&model, &mut Rng::new(591), everything(), 10);
    query.vector = Vector::of(query.vector.components()[1..].to_vec());
    let found = must("searching", probe.store().search_vectors(&query).await);
    assert_eq!((found.indexed, found.matches.len()), (1, 0));
}
