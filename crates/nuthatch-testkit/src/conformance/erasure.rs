//! Forgetting is real: no byte of a forgotten text is left in any file.
//!
//! Looked for while the store is still open, logs and indexes included: whoever forgets a
//! secret does not wait for a clean shutdown.

use std::fs;
use std::path::PathBuf;

use nuthatch::change::Change;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;

use super::bench::OnDisk;
use super::disk::walk;
use super::probe::{Probe, new_text};
use super::sessions::turn;

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
