//! Servers of models that answer rubbish, nothing, late, or not at all.

use nuthatch_testkit::scripted::{Answer, Asked};

use super::NOTHING;
use super::talks::{DAY, HOUR, session};
use crate::agents::with_model;
use crate::sandbox::Sandbox;

fn learnt_from(sandbox: &Sandbox, sessions: u64) {
    for n in 1..=sessions {
        let text = format!("remember that the staging server uses port {}", 8000 + n);
        session(sandbox, n, 2 * DAY + n * HOUR, &[&text]);
    }
}

#[test]
fn servers_that_misbehave_change_nothing_and_cost_nothing_for_ever() {
    let scripts: [fn(usize, &Asked) -> Answer; 5] = [
        |_, _| Answer::text("I would rather talk about the weather."),
        |_, _| Answer::Empty,
        |_, _| Answer::Rubbish("<html>not json</html>".into()),
        |_, _| Answer::Status(500, ""),
        |_, _| Answer::Status(429, "retry-after: 0\r\n"),
    ];
    for script in scripts {
        let (sandbox, server) = with_model(script);
        learnt_from(&sandbox, 8);
        let ran = sandbox.line("memory run --json").ok().json();
        let sessions = ran["sessions"].as_array().unwrap();
        assert!(sessions.iter().all(|one| one["error"].is_string()), "{ran}");
        assert_eq!(sandbox.line("list --json --scope project").ok().json()["total"], 0);
        let asked = server.asked().len();
        let again = sandbox.line("memory run --json").ok().json();
        let begun = again["sessions"].as_array().unwrap().len();
        assert!(begun < 8 || server.asked().len() <= asked * 2, "failures pause: {again}");
    }
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let (sandbox, server) = with_model(|at, _| match at {
        0..3 => Answer::text(NOTHING),
        3 => Answer::Silence,
        _ => Answer::text(NOTHING),
    });
    let config = sandbox.home().join(".config/nuthatch/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let memories = "[memories]\nconcurrency = 1\nlease_seconds = 1\n";
    std::fs::write(&config, format!("{text}{memories}")).unwrap();
    learnt_from(&sandbox, 6);
    let mut child = super::begin(&sandbox);
    // It hangs at the fourth question, and the first three are safe by then.
    while server.asked().len() < 4
        || sandbox.line("list --json --scope project").ok().json()["total"] != 3
    {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut done = 3;
    while done < 6 {
        let ran = sandbox.line("memory run --json").ok().json();
        done += ran["sessions"].as_array().unwrap().len();
    }
    assert_eq!(sandbox.line("list --json --scope project").ok().json()["total"], 6);
}
