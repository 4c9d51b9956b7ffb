//! Commands that `nuthatch run` really runs, behind real walls.
//!
//! Where the kernel has no Landlock these are ignored by name: there the command refuses to
//! run anything, which `nuthatch-workspace` tests.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use libtest_mimic::{Arguments, Trial};

type Test = (&'static str, fn(&Place));

const TESTS: &[Test] = &[
    ("output_of_a_command_stands_in_the_text", output_of_a_command_stands_in_the_text),
    ("nothing_runs_without_leave", nothing_runs_without_leave),
    ("a_command_stays_in_its_workspace", a_command_stays_in_its_workspace),
    ("a_failure_is_told_and_ends_it", a_failure_is_told_and_ends_it),
    ("hooks_decide_and_are_told", hooks_decide_and_are_told),
    ("hooks_stand_around_steps_and_tasks", hooks_stand_around_steps_and_tasks),
    ("hooks_of_a_repository_hold_up_its_agents", hooks_of_a_repository_hold_up_its_agents),
    ("the_user_alone_opens_the_sandbox", the_user_alone_opens_the_sandbox),
    ("what_takes_too_long_is_ended", what_takes_too_long_is_ended),
];

fn main() -> std::process::ExitCode {
    let missing = !Place::new().has_walls();
    let trials = TESTS.iter().map(|(name, test)| {
        let trial = Trial::test(*name, move || {
            test(&Place::new());
            Ok(())
        });
        trial.with_ignored_flag(missing)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for folder in ["home/.ssh", "work"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        fs::write(place.at("home/.ssh/id"), "the key").unwrap();
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn command(&self, name: &str, template: &str) {
        let path = self.at(&format!("work/.nuthatch/commands/{name}.toml"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("template = '''{template}'''\n")).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nuthatch"));
        command.args(args).current_dir(self.at("work")).stdin(Stdio::null());
        command.env_clear().env("HOME", self.at("home")).env("PATH", "/usr/bin:/bin");
        command.env("JIRA_TOKEN", "a token").output().unwrap()
    }

    /// Whether anything can be run here at all.
    fn has_walls(&self) -> bool {
        self.command("true", "!{true}");
        let run = self.run(&["run", "--trust", "--yes", "true"]);
        !String::from_utf8_lossy(&run.stderr).contains("no sandbox can be had")
    }
}

fn out(run: &Output) -> String {
    String::from_utf8_lossy(&run.stdout).into_owned()
}

fn err(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}

fn output_of_a_command_stands_in_the_text(place: &Place) {
    place.command("greet", "Say !{printf '%s, ' {{args}}}please.");
    let run = place.run(&["run", "--trust", "--yes", "greet", "$(id)", "--yes", "a'b"]);
    assert_eq!(out(&run), "Say $(id), --yes, a'b, please.\n", "{run:?}");
    let run = place.run(&["--json", "run", "--yes", "greet", "x"]);
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(answer["text"], "Say x, please.");
    assert_eq!(answer["commands"][0]["line"], "printf '%s, ' 'x'");
    assert_eq!((&answer["commands"][0]["code"], &answer["ok"]), (&0.into(), &true.into()));
}

fn nothing_runs_without_leave(place: &Place) {
    place.command("touch", "!{touch ran}");
    for args in [&["run", "touch"][..], &["run", "--yes", "touch"], &["run", "--trust", "touch"]] {
        let run = place.run(args);
        assert_eq!(run.status.code(), Some(5), "{args:?}: {run:?}");
        assert!(!place.at("work/ran").exists(), "{args:?}");
    }
    // Trust was given by the last of them; what was missing is leave.
    assert!(place.run(&["run", "--yes", "touch"]).status.success());
    assert!(place.at("work/ran").exists());
}

fn a_command_stays_in_its_workspace(place: &Place) {
    for (name, line) in [
        ("read", "cat ../home/.ssh/id"),
        ("write", "echo x > ../home/new"),
        ("env", "test -n \"$JIRA_TOKEN\""),
    ] {
        place.command(name, &format!("!{{{line}}}"));
        let run = place.run(&["run", "--trust", "--yes", name]);
        assert_eq!(run.status.code(), Some(1), "{line}: {run:?}");
        assert!(!out(&run).contains("the key"));
    }
    assert!(!place.at("home/new").exists());
}

fn a_failure_is_told_and_ends_it(place: &Place) {
    place.command("fail", "one !{echo oops >&2; exit 3} two !{touch ran}");
    let run = place.run(&["run", "--trust", "--yes", "fail"]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), "one \n"), "{run:?}");
    assert!(err(&run).contains("oops") && err(&run).contains("exit code 3"), "{run:?}");
    assert!(!place.at("work/ran").exists());
}

fn hooks_decide_and_are_told(place: &Place) {
    place.command("push", "!{echo pushing {{args}}}");
    let hooks = "[[hooks]]\nname = \"no-force\"\non = [\"before_command\"]\n\
                 run = [\"/bin/sh\", \"-c\", \"! grep -q force\"]\n\
                 [[hooks]]\nname = \"log\"\non = [\"after_command\"]\n\
                 run = [\"/bin/sh\", \"-c\", \"cat > log.json\"]\n";
    fs::write(place.at("work/.nuthatch/hooks.toml"), hooks).unwrap();
    let run = place.run(&["run", "--trust", "--yes", "push", "--force"]);
    assert_eq!(run.status.code(), Some(5), "{run:?}");
    assert!(err(&run).contains("the hook `no-force` denies it"), "{run:?}");
    assert!(!place.at("work/log.json").exists());
    let run = place.run(&["run", "--yes", "push", "gently"]);
    assert_eq!(out(&run), "pushing gently\n", "{run:?}");
    assert!(fs::read_to_string(place.at("work/log.json")).unwrap().contains("pushing gently"));
    fs::write(place.at("work/.nuthatch/hooks.toml"), format!("{hooks}# changed\n")).unwrap();
    let run = place.run(&["run", "--yes", "push", "gently"]);
    assert_eq!(run.status.code(), Some(5), "{run:?}");
}

fn agent(place: &Place) {
    for folder in ["work/.nuthatch/agents", "work/.nuthatch/plan/R1", "home/.config/nuthatch"] {
        fs::create_dir_all(place.at(folder)).unwrap();
    }
    let agent = "engine = { command = [\"sh\", \"-c\", \"touch ran; cat\"] }";
    fs::write(place.at("work/.nuthatch/agents/echo.toml"), agent).unwrap();
    let plan = "[[tasks]]\nid = \"one\"\nagent = \"echo\"\nprompt = \"do it\"\n";
    fs::write(place.at("work/.nuthatch/plan/R1/plan.toml"), plan).unwrap();
}

fn hook(on: &str, script: &str) -> String {
    format!("[[hooks]]\nname = \"h\"\non = [{on}]\nrun = [\"/bin/sh\", \"-c\", '''{script}''']\n")
}

fn moments(events: &[serde_json::Value]) -> Vec<&str> {
    events.iter().map(|event| event["moment"].as_str().unwrap()).collect()
}

fn hooks_stand_around_steps_and_tasks(place: &Place) {
    agent(place);
    let all = "\"before_step\", \"after_step\", \"before_task\", \"after_task\"";
    let own = place.at("home/.config/nuthatch/hooks.toml");
    fs::write(&own, hook(all, "cat >> log.jsonl; echo >> log.jsonl")).unwrap();
    let seen = || -> Vec<serde_json::Value> {
        let log = fs::read_to_string(place.at("work/log.jsonl")).unwrap_or_default();
        let _ = fs::remove_file(place.at("work/log.jsonl"));
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    assert!(place.run(&["step", "--yes", "echo", "hello"]).status.success());
    let events = seen();
    assert_eq!(moments(&events), ["before_step", "after_step"]);
    assert_eq!((&events[0]["name"], &events[0]["lines"][1]), (&"echo".into(), &"hello".into()));
    assert_eq!((&events[1]["ok"], &events[1]["output"]), (&true.into(), &"hello".into()));
    let run = place.run(&["craft", "--yes", "R1"]);
    assert!(run.status.success(), "{run:?}");
    let events = seen();
    assert_eq!(moments(&events), ["before_task", "before_step", "after_step", "after_task"]);
    assert_eq!(events[0]["name"], "one");
    fs::remove_file(place.at("work/ran")).unwrap();
    fs::remove_file(place.at("work/.nuthatch/plan/R1/state.json")).unwrap();
    for (on, args) in [
        ("\"before_step\"", &["step", "--yes", "echo", "hello"][..]),
        ("\"before_step\"", &["chat", "--yes", "echo"]),
        ("\"before_task\"", &["craft", "--yes", "R1"]),
    ] {
        for broken in ["echo not today >&2; exit 1", "kill -9 $$", "echo perhaps"] {
            fs::write(&own, hook(on, broken)).unwrap();
            let run = place.run(args);
            assert_eq!(run.status.code(), Some(5), "{args:?}: {run:?}");
            assert!(err(&run).contains("the hook `h` denies it"), "{args:?}: {run:?}");
            assert!(!place.at("work/ran").exists(), "{args:?}: {broken}");
        }
    }
}

fn hooks_of_a_repository_hold_up_its_agents(place: &Place) {
    agent(place);
    fs::write(place.at("work/.nuthatch/hooks.toml"), hook("\"after_step\"", "exit 3")).unwrap();
    let run = place.run(&["step", "--yes", "echo", "hello"]);
    assert_eq!(run.status.code(), Some(5), "{run:?}");
    assert!(!place.at("work/ran").exists());
    let run = place.run(&["step", "--trust", "echo", "hello"]);
    assert!(run.status.success() && err(&run).contains("the hook `h` failed"), "{run:?}");
    assert!(place.run(&["step", "echo", "hello"]).status.success());
}

fn the_user_alone_opens_the_sandbox(place: &Place) {
    fs::create_dir_all(place.at("shared")).unwrap();
    fs::write(place.at("shared/tool"), "a tool").unwrap();
    place.command("tool", "!{cat ../shared/tool}");
    assert!(!place.run(&["run", "--trust", "--yes", "tool"]).status.success());
    let config = format!("[sandbox]\nread = [\"{}\"]\n", place.at("shared").display());
    fs::write(place.at("work/.nuthatch/config.toml"), &config).unwrap();
    let run = place.run(&["run", "--yes", "tool"]);
    assert_eq!(run.status.code(), Some(5), "a repository may not: {run:?}");
    fs::remove_file(place.at("work/.nuthatch/config.toml")).unwrap();
    fs::create_dir_all(place.at("home/.config/nuthatch")).unwrap();
    fs::write(place.at("home/.config/nuthatch/config.toml"), config).unwrap();
    assert_eq!(out(&place.run(&["run", "--yes", "tool"])), "a tool\n");
}

fn what_takes_too_long_is_ended(place: &Place) {
    place.command("wait", "!{sleep 300}");
    let run = place.run(&["run", "--trust", "--yes", "--timeout", "1", "wait"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(err(&run).contains("took too long"), "{run:?}");
}
