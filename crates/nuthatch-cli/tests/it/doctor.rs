//! `nuthatch doctor`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::sandbox::{Ran, Sandbox, assert_recorded};

fn severity(ran: &Ran, name: &str) -> String {
    let answer = ran.json();
    let mut checks = answer["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["name"] == name);
    check.unwrap_or_else(|| panic!("no check {name}: {answer}"))["severity"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
pub(crate) fn output_is_as_recorded() {
    let sandbox = Sandbox::new();
    let transcript = sandbox.transcript(&[
        "nuthatch doctor",
        "nuthatch remember uses tabs",
        "nuthatch doctor",
        "nuthatch doctor --json",
    ]);
    assert_recorded("doctor", &transcript);
}

#[test]
pub(crate) fn errors_have_a_code_and_a_shape() {
    let sandbox = Sandbox::new();
    sandbox.configure("[recall]\nlimits = 3\n");
    let ran = sandbox.line("doctor --json");
    assert_eq!((ran.code, &ran.json()["ok"]), (6, &false.into()));
    assert_eq!(severity(&ran, "configuration"), "failure");
    let ran = sandbox.line("doctor");
    assert_eq!(ran.code, 6);
    assert!(ran.stdout.contains("hint: did you mean \"recall.limit\"?"), "{ran:?}");
    sandbox.line("doctor --json who").fails_in_json(2, "invalid", "unexpected argument");
}

#[test]
fn a_look_makes_neither_store_nor_data_folder() {
    let sandbox = Sandbox::new();
    sandbox.line("doctor").ok();
    assert!(!sandbox.data().exists());
}

#[test]
fn a_broken_store_is_a_finding_and_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("broken.db", &"not a database ".repeat(1000));
    let ran = sandbox.line("doctor --json --store broken.db");
    assert_eq!(ran.code, 6, "{ran:?}");
    assert_eq!(severity(&ran, "store"), "failure");
    assert_eq!(fs::read_to_string(path).unwrap(), "not a database ".repeat(1000));
}

#[test]
fn a_data_folder_open_to_others_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.line("remember uses tabs").ok();
    fs::set_permissions(sandbox.data(), Permissions::from_mode(0o755)).unwrap();
    let ran = sandbox.line("doctor --json").ok();
    assert_eq!(severity(&ran, "data folder"), "warning");
}

#[test]
#[cfg(target_os = "linux")]
fn a_place_that_cannot_be_written_is_a_failure() {
    // Nobody can make files there, whatever the permissions say; and root has them all.
    let sandbox = Sandbox::new().with_env("NUTHATCH_HOME", "/proc/nuthatch");
    let ran = sandbox.line("doctor --json");
    assert_eq!((ran.code, &ran.json()["ok"]), (6, &false.into()));
    assert_eq!(severity(&ran, "data folder"), "failure");
    assert_eq!(severity(&ran, "store"), "failure");
    assert!(sandbox.line("doctor").stdout.contains("cannot write in /proc: "));
}

#[test]
fn a_scope_over_its_limit_is_a_warning_about_what_would_go() {
    let sandbox = Sandbox::new();
    for line in ["one", "two", "three", "--pin four", "--category restriction five"] {
        sandbox.line(&format!("remember {line}")).ok();
    }
    sandbox.line("remember --scope user works as an administrator").ok();
    let details = |limits: &str| -> Vec<String> {
        sandbox.configure(&format!("[limits]\n{limits}\n"));
        let answer = sandbox.line("doctor --json").ok().json();
        let checks = answer["checks"].as_array().unwrap().iter();
        let warnings = checks.filter(|check| check["name"] == "store: limits");
        warnings.map(|check| check["detail"].as_str().unwrap().to_owned()).collect()
    };
    assert!(details("facts = 5").is_empty());
    let pushed = "the next write pushes them out";
    assert_eq!(details("facts = 4"), [format!("global: 1 entry over the limit of 4; {pushed}")]);
    let none = [
        format!("global: 3 entries over the limit of 0; {pushed}"),
        format!("user: 1 entry over the limit of 0; {pushed}"),
    ];
    assert_eq!(details("facts = 0"), none);
    let refused = ["user: 17 characters over the limit of 8; the next write is refused"];
    assert_eq!(details("user_chars = 8"), refused);
}

#[test]
fn the_project_and_how_it_is_known_are_told() {
    let sandbox = Sandbox::new();
    let repository = sandbox.repository("app");
    let ran = sandbox.run_in(&repository, &["doctor"]).ok();
    assert!(ran.stdout.contains(" by git, at "), "{ran:?}");
    sandbox.run_in(&repository, &["init", "--key", "my-app"]).ok();
    let ran = sandbox.run_in(&repository, &["doctor"]).ok();
    assert!(ran.stdout.contains("project: my-app by its key, at "), "{ran:?}");
}
