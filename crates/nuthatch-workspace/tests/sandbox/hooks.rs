//! Hooks that approve, deny, crash and hang.

use std::fs;

use nuthatch_workspace::hooks::{Decision, Event, Hooks, Moment};
use nuthatch_workspace::trust::{Subject, Trust};

use crate::Test;
use crate::place::Place;

pub const TESTS: &[Test] = &[
    ("a_hook_is_told_what_is_about_to_run", a_hook_is_told_what_is_about_to_run),
    ("only_a_clear_yes_of_every_hook_approves", only_a_clear_yes_of_every_hook_approves),
    ("hooks_of_a_repository_need_trust", hooks_of_a_repository_need_trust),
    ("what_hooks_say_afterwards_changes_nothing", what_hooks_say_afterwards_changes_nothing),
];

fn event(place: &Place, moment: Moment, root: &std::path::Path) -> Decision {
    let lines = vec!["git push --force".to_owned()];
    let event = Event::before(moment, "push", lines, root);
    hooks(place).ask(&event, &place.sandbox())
}

/// The user's hooks.
fn hooks(place: &Place) -> Hooks {
    let (user, none) = (place.at("home/hooks.toml"), place.at("workspace/none.toml"));
    Hooks::read(Some(&user), &place.at("workspace"), &none, &trust(place)).unwrap()
}

fn trust(place: &Place) -> Trust {
    Trust::in_file(place.at("home/trusted.json"))
}

fn write(place: &Place, script: &str) {
    let text = format!(
        "[[hooks]]\nname = \"h\"\non = [\"before_command\"]\ntimeout_seconds = 2\n\
         run = [\"/bin/sh\", \"-c\", '''{script}''']\n"
    );
    fs::write(place.at("home/hooks.toml"), text).unwrap();
}

fn a_hook_is_told_what_is_about_to_run(place: &Place) {
    let root = place.at("workspace");
    write(place, "grep -q -- '--force' && { echo 'no force here' >&2; exit 1; } || exit 0");
    let denied = Decision::Denied { hook: "h".into(), reason: "no force here".into() };
    assert_eq!(event(place, Moment::BeforeCommand, &root), denied);
    // It did not ask to be told about steps.
    assert_eq!(event(place, Moment::BeforeStep, &root), Decision::Approved);
    assert!(denied.into_result().unwrap_err().to_string().contains("`h` denies it: no force"));
}

fn only_a_clear_yes_of_every_hook_approves(place: &Place) {
    let root = place.at("workspace");
    for yes in ["exit 0", "echo '{\"decision\": \"approve\"}'", "cat > /dev/null; echo"] {
        write(place, yes);
        assert_eq!(event(place, Moment::BeforeCommand, &root), Decision::Approved, "{yes}");
    }
    for (no, why) in [
        ("echo '{\"decision\": \"deny\", \"reason\": \"not now\"}'", "not now"),
        ("echo '{\"decision\": \"deny\"}'", "no reason"),
        ("echo '{\"decision\": \"maybe\"}'", "not understood"),
        ("echo yes", "not understood"),
        ("exit 7", "exit code 7"),
        ("kill -9 $$", "137"),
        ("sleep 300", "did not answer in 2 s"),
        ("cat ../home/.ssh/id", "Permission denied"),
    ] {
        write(place, no);
        match event(place, Moment::BeforeCommand, &root) {
            Decision::Denied { reason, .. } => {
                let killed = why == "137" && reason.contains("signal 9");
                assert!(reason.contains(why) || killed, "{no}: {reason}");
            }
            Decision::Approved => panic!("{no} approves"),
        }
    }
}

fn hooks_of_a_repository_need_trust(place: &Place) {
    let (root, file) = (place.at("workspace"), place.at("workspace/hooks.toml"));
    let content = "[[hooks]]\nname = \"h\"\non = [\"before_command\"]\nrun = [\"/bin/true\"]\n";
    fs::write(&file, content).unwrap();
    let read = || Hooks::read(None, &root, &file, &trust(place)).unwrap();
    let event = Event::before(Moment::BeforeCommand, "x", Vec::new(), &root);
    assert!(read().untrusted().is_some());
    match read().ask(&event, &place.sandbox()) {
        Decision::Denied { reason, .. } => assert!(reason.contains("not trusted yet"), "{reason}"),
        Decision::Approved => panic!("an untrusted hook approves"),
    }
    let content = content.as_bytes();
    trust(place).give(Subject { root: &root, what: Hooks::SUBJECT, content }).unwrap();
    assert_eq!(read().ask(&event, &place.sandbox()), Decision::Approved);
    fs::write(&file, [content, b"# changed\n"].concat()).unwrap();
    assert!(read().untrusted().is_some());
    fs::write(&file, "[[hooks]]\nname = 1").unwrap();
    assert!(Hooks::read(None, &root, &file, &trust(place)).is_err());
}

fn what_hooks_say_afterwards_changes_nothing(place: &Place) {
    let text = "[[hooks]]\nname = \"log\"\non = [\"after_command\"]\n\
                run = [\"/bin/sh\", \"-c\", \"cat > seen; exit 3\"]\n";
    fs::write(place.at("home/hooks.toml"), text).unwrap();
    let root = place.at("workspace");
    let event = Event::before(Moment::BeforeCommand, "build", vec!["make".into()], &root).ended(
        Moment::AfterCommand,
        true,
        "built".into(),
    );
    let notes = hooks(place).tell(&event, &place.sandbox());
    assert_eq!(notes, ["the hook `log` failed: exit code 3"]);
    let seen: serde_json::Value =
        serde_json::from_slice(&fs::read(place.at("workspace/seen")).unwrap()).unwrap();
    assert_eq!((&seen["moment"], &seen["output"]), (&"after_command".into(), &"built".into()));
}
