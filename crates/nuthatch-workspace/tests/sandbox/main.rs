//! Commands behind walls: what they can do, and what they cannot.
//!
//! The binary plays three parts: called as `__sandbox` it is the helper that walls itself
//! in, called as `__reach` it is the command that tries to get out, otherwise it is the
//! test. Each test runs behind Landlock alone and, where bubblewrap works, with it around.
//! Where the kernel has no Landlock, or there is no bubblewrap, tests are ignored by name.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod attempts;
mod hooks;
mod place;
mod walls;

use libtest_mimic::{Arguments, Trial};
use nuthatch_workspace::sandbox::{self, Bubble};

use place::Place;

type Test = (&'static str, fn(&Place));

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|name| name.to_str()) {
        Some("__sandbox") => return sandbox::enter(args),
        Some("__reach") => return attempts::run(args),
        _ => {}
    }
    let mut trials = Vec::new();
    for (around, bubble) in [("landlock", Bubble::Never), ("bubblewrap", Bubble::WherePresent)] {
        let missing = !place::has_landlock() || (bubble != Bubble::Never && !place::has_bubble());
        for (name, test) in walls::TESTS.iter().chain(hooks::TESTS) {
            let trial = Trial::test(format!("{around}::{name}"), move || {
                test(&Place::new(bubble));
                Ok(())
            });
            trials.push(trial.with_ignored_flag(missing));
        }
    }
    for (name, test) in walls::WITHOUT {
        trials.push(Trial::test(*name, move || {
            test(&Place::new(Bubble::Never));
            Ok(())
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
