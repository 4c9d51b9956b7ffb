//! Many processes on one store, and processes that die while they write.
//!
//! The binary is its own child: called with `--writer` it writes and acknowledges, with
//! `--learner` it learns from sessions, otherwise it is the test. Short by default;
//! `NUTHATCH_TEST_DURABILITY=full` runs 8 × 500 writes and 200 kills for each store.

mod kills;
mod learner;
mod place;
mod storm;
mod writer;

use libtest_mimic::{Arguments, Trial};
use place::BACKENDS;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).map(String::as_str) == Some("--writer") {
        writer::run(&arguments[2..]);
        return;
    }
    if arguments.get(1).map(String::as_str) == Some("--learner") {
        learner::run(&arguments[2..]);
        return;
    }
    let mut trials = Vec::new();
    for backend in BACKENDS {
        trials.push(Trial::test(
            format!("{backend}::eight_processes_at_once_lose_nothing"),
            move || Ok(storm::eight_processes_at_once_lose_nothing(backend)?),
        ));
        trials.push(Trial::test(
            format!("{backend}::an_acknowledged_write_survives_kill_nine"),
            move || Ok(kills::an_acknowledged_write_survives_kill_nine(backend)?),
        ));
        trials.push(Trial::test(
            format!("{backend}::a_run_that_is_killed_is_finished_by_the_next"),
            move || Ok(learner::a_run_that_is_killed_is_finished_by_the_next(backend)?),
        ));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
