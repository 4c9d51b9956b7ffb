//! Forgetting is real: no byte of a forgotten text is left in any file.
//!
//! Looked for while the store is still open, logs and indexes included: whoever forgets a
//! secret does not wait for a clean shutdown.

use std::fs;
use std::path::PathBuf;

use jiff::SignedDuration;
use nuthatch::change::Change;
use nuthatch::id::ModelId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::session::Session;
use nuthatch::store::{Embedded, EmbeddedPassage, Unembedded};
use nuthatch::vector::Vector;

use super::bench::OnDisk;
use super::disk::walk;
use super::probe::{Probe, must, new_text, session_id};
use super::sessions::{putting, turn};

/// Words that occur nowhere else and are their own stems.
const MARKS: [&str; 3] = ["zanzibarq", "quokkazq", "wyvernzq"];

/// The files below the root that hold one of the marks, in any case.
fn holding(bench: &dyn OnDisk, mark: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    walk(&bench.root()).into_iter().filter(|path| path.is_file()).filter(holds).collect()
}

fn assert_nowhere(bench: &dyn OnDisk) {
    for mark in MARKS {
        assert_eq!(holding(bench, mark), Vec::<PathBuf>::new(), "{mark} is still there");
    }
}

/// Text, old versions, key and the answers to the sets that said them.
pub async fn a_forgotten_text_leaves_no_byte_behind(bench: &dyn OnDisk) {
    let probe = Probe::open(bench).await;
    for n in 0..50 {
        probe.keep(&format!("an ordinary note, numbered n{n}")).await;
    }
    let memory = probe.keyed("the quokkazq key", "the password was zanzibarq");
    let memory = probe.say(memory).await.memory;
    probe.edit(memory.id, new_text("the password is Wyvernzq")).await;
    for mark in MARKS {
        assert!(!holding(bench, mark).is_empty(), "{mark} can be looked for");
    }
    probe.forget(&[memory.id]).await;
    assert_nowhere(bench);
    drop(probe);
    assert_nowhere(bench);
}

pub async fn a_forgotten_session_leaves_no_byte_behind(bench: &dyn OnDisk) {
    let probe = Probe::open(bench).await;
    let id = probe.open_session("telegram", "quokkazq", "fresh").await.id;
    let turns = vec![turn(&id, 0, "my password is zanzibarq", probe.now())];
    probe.apply(vec![Change::PutTurns { turns }]).await;
    let scope = Scope::Session(id.clone());
    probe.say(Memory { scope, ..probe.memory("likes the wyvernzq") }).await;
    for mark in MARKS {
        assert!(!holding(bench, mark).is_empty(), "{mark} can be looked for");
    }
    probe.change(Change::ForgetSession { id }).await;
    assert_nowhere(bench);
    drop(probe);
    assert_nowhere(bench);
}

/// Conversations that nobody continued: their words and vectors go with them.
pub async fn an_expired_session_leaves_no_byte_behind(bench: &dyn OnDisk) {
    let probe = Probe::open(bench).await;
    let id = probe.open_session("telegram", "quokkazq", "fresh").await.id;
    let turns = vec![
        turn(&id, 0, "my password is zanzibarq", probe.now()),
        turn(&id, 1, "and the other one is wyvernzq", probe.now()),
    ];
    probe.apply(vec![Change::PutTurns { turns }]).await;
    let idle_since = probe.clock().advance(SignedDuration::from_hours(1));
    probe.change(Change::ExpireSessions { idle_since }).await;
    assert_nowhere(bench);
}

/// A vector nearly tells what it was made of.
pub async fn a_forgotten_document_leaves_no_vector_behind(bench: &dyn OnDisk) {
    let probe = Probe::open(bench).await;
    let model = ModelId::new("small@1#0123456789abcdef").expect("a model id");
    let session = Session::new(session_id("talk"), probe.now());
    let turns = (0..40).map(|seq| turn(&session.id, seq, &format!("turn t{seq}"), probe.now()));
    let turns = Change::PutTurns { turns: turns.collect() };
    probe.apply(vec![putting(&session), turns]).await;
    let memory = probe.keep("a memory with a vector").await;
    let waits = must("asking", probe.store().unembedded(&model, None, 100).await);
    let embed = |one: &Unembedded| {
        // As if the components spelled a mark.
        let mark = if one.doc.turn().is_some() { MARKS[0] } else { MARKS[1] };
        let vector = Vector::of(mark.bytes().map(|byte| byte as i8).collect());
        let passages = vec![EmbeddedPassage { range: 0..3, vector }];
        Embedded { doc: one.doc.clone(), hash: one.hash, passages }
    };
    let mut items: Vec<Embedded> = waits.iter().map(embed).collect();
    let shortest = MARKS.map(str::len)[..2].iter().copied().min().unwrap_or_default();
    for passage in items.iter_mut().flat_map(|item| &mut item.passages) {
        passage.vector = Vector::of(passage.vector.components()[..shortest].to_vec());
    }
    must("keeping vectors", probe.store().put_vectors(&model, &items).await);
    let marks = [&MARKS[0][..shortest], &MARKS[1][..shortest]];
    assert!(marks.iter().all(|mark| !holding(bench, mark).is_empty()), "they can be looked for");
    probe.forget(&[memory.id]).await;
    assert_eq!(holding(bench, marks[1]), Vec::<PathBuf>::new());
    probe.change(Change::ForgetSession { id: session.id }).await;
    assert_eq!(holding(bench, marks[0]), Vec::<PathBuf>::new());
}
