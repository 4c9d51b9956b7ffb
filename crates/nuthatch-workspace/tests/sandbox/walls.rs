//! What a sandboxed command can and cannot do.

use std::fs;
use std::time::Duration;

use nuthatch::error::Kind;
use nuthatch_workspace::commands::{Template, expand, perform};
use nuthatch_workspace::sandbox::{Ended, Policy, RunLimits, Sandbox, Stop};

use crate::Test;
use crate::attempts::{INTERNET, LOCAL, WAYS};
use crate::place::{Place, helper, limits, own_program, said};

pub const TESTS: &[Test] = &[
    ("the_workspace_can_be_read_and_written", the_workspace_can_be_read_and_written),
    ("nothing_is_written_outside_the_workspace", nothing_is_written_outside_the_workspace),
    ("the_home_cannot_be_read", the_home_cannot_be_read),
    ("links_lead_nowhere", links_lead_nowhere),
    ("no_socket_can_be_made", no_socket_can_be_made),
    ("an_allowed_network_is_the_internet_alone", an_allowed_network_is_the_internet_alone),
    ("kept_keys_and_other_files_of_the_system_stay_closed", secrets_of_the_system_stay_closed),
    ("the_environment_holds_no_secrets", the_environment_holds_no_secrets),
    ("what_takes_too_long_is_ended_with_all_it_started", what_takes_too_long_is_ended),
    ("nothing_outlives_its_command", nothing_outlives_its_command),
    ("a_command_is_stopped_from_outside", a_command_is_stopped_from_outside),
    ("files_that_are_open_already_stay_behind", files_that_are_open_already_stay_behind),
    ("other_processes_cannot_be_looked_into", other_processes_cannot_be_looked_into),
    ("ways_around_the_walls_are_closed", ways_around_the_walls_are_closed),
    ("outputs_are_kept_up_to_a_limit", outputs_are_kept_up_to_a_limit),
    ("files_cannot_be_made_to_run_as_their_owner", files_cannot_be_made_to_run_as_their_owner),
    ("a_workspace_that_holds_the_home_is_refused", a_workspace_that_holds_the_home_is_refused),
    ("a_template_runs_in_the_sandbox", a_template_runs_in_the_sandbox),
    ("a_program_that_is_not_there_is_said_so", a_program_that_is_not_there_is_said_so),
];

/// Those that need no walls, because they are about their absence.
pub const WITHOUT: &[Test] =
    &[("without_landlock_nothing_is_run", without_landlock_nothing_is_run)];

fn the_workspace_can_be_read_and_written(place: &Place) {
    let ran = place
        .sh("mkdir -p a/b && echo hello > a/b/f && mv a/b/f a/g && ln -s g a/h && cat a/h && \
         chmod +x a/g && touch a/g && ln a/g a/i && rm -r a && echo x > \"$TMPDIR/t\" && pwd");
    assert_eq!(ran.ended, Ended::Exited(0), "{ran:?}");
    assert_eq!(said(&ran), format!("hello\n{}\n", place.at("workspace").display()));
}

fn nothing_is_written_outside_the_workspace(place: &Place) {
    fs::write(place.at("workspace/own"), "own").unwrap();
    for line in [
        "echo x > ../elsewhere/new",
        "echo x > ../elsewhere/file",
        "echo x >> ../elsewhere/file",
        ": > ../elsewhere/file",
        "truncate -s 0 ../elsewhere/file",
        "rm ../elsewhere/file",
        "mkdir ../elsewhere/folder",
        "mv own ../elsewhere/own",
        "mv ../elsewhere/file stolen",
        "ln own ../elsewhere/link",
        "ln ../elsewhere/file stolen",
        "ln -s x ../elsewhere/link",
        "cp own ../elsewhere/own",
        "mkfifo ../elsewhere/pipe",
        "echo x > /etc/nuthatch-was-here",
        "echo x > /usr/nuthatch-was-here",
        "echo x > /dev/shm/nuthatch-was-here",
        "dd if=/dev/zero of=../elsewhere/file count=1",
    ] {
        place.fails(line);
    }
}

fn the_home_cannot_be_read(place: &Place) {
    let home = place.at("home").display().to_string();
    for line in [
        "cat ../home/.ssh/id",
        &format!("cat {home}/.ssh/id"),
        &format!("ls {home}"),
        &format!("ls {home}/.ssh"),
        "cp ../home/.ssh/id here",
        "cat < ../home/.ssh/id",
        &format!("cat /proc/self/root{home}/.ssh/id"),
        "cat /proc/self/cwd/../home/.ssh/id",
    ] {
        place.fails(line);
    }
}

fn links_lead_nowhere(place: &Place) {
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(place.at(to), place.at(&format!("workspace/{name}"))).unwrap();
    };
    link("home/.ssh", "keys");
    link("home/.ssh/id", "key");
    link("elsewhere", "out");
    link("elsewhere/file", "file");
    for line in [
        "cat keys/id",
        "cat key",
        "ls keys",
        "echo x > out/new",
        "echo x > file",
        ": > file",
        "ln -s ../home own && cat own/.ssh/id",
        "mkdir d && ln -s ../../home/.ssh/id d/l && cat d/l",
    ] {
        place.fails(line);
    }
}

fn reaches(sandbox: &Sandbox, what: &str) -> bool {
    let argv = [own_program().into(), "__reach".into(), what.into()];
    match sandbox.run(&argv, &[], limits()).unwrap().ended {
        Ended::Exited(0) => true,
        Ended::Exited(1) => false,
        other => panic!("{what}: {other:?}"),
    }
}

fn no_socket_can_be_made(place: &Place) {
    for what in INTERNET.iter().chain(LOCAL) {
        assert!(!reaches(&place.sandbox(), what), "{what}");
    }
}

fn an_allowed_network_is_the_internet_alone(place: &Place) {
    for what in INTERNET {
        assert!(reaches(&place.open_sandbox(), what), "{what}");
    }
    for what in LOCAL {
        assert!(!reaches(&place.open_sandbox(), what), "{what}");
    }
}

fn secrets_of_the_system_stay_closed(place: &Place) {
    for line in [
        "cat /etc/shadow",
        "ls /etc/ssl/private",
        "ls /root",
        "ls /home",
        "ls /var/log",
        "ls /tmp",
        "ls /run",
        "cat /proc/1/environ",
    ] {
        place.fails(line);
    }
}

fn the_environment_holds_no_secrets(place: &Place) {
    let env = vec![
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("JIRA_TOKEN".into(), "a token".into()),
        ("CARGO_HOME".into(), "/cargo".into()),
    ];
    let mut policy =
        Policy::usual(place.at("workspace"), None, &env).passing(&["CARGO_HOME"], &env);
    policy.bubble = place.policy().bubble;
    let ran = Sandbox::new(helper(), policy).shell("env | sort", limits()).unwrap();
    let names: Vec<String> = said(&ran)
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.to_owned()))
        // The shell's own.
        .filter(|name| !["OLDPWD", "PWD", "SHLVL", "_"].contains(&name.as_str()))
        .collect();
    assert_eq!(names, ["CARGO_HOME", "HOME", "PATH", "TMPDIR"], "{ran:?}");
}

fn what_takes_too_long_is_ended(place: &Place) {
    let limits = RunLimits { time: Duration::from_millis(500), bytes: 100 };
    // Both hold the output open, so that this only returns when both are gone.
    let line = "echo begun; sleep 300 & sleep 300";
    let ran = place.sandbox().shell(line, limits).unwrap();
    assert_eq!(ran.ended, Ended::TimedOut);
    assert_eq!(said(&ran), "begun\n");
}

fn nothing_outlives_its_command(place: &Place) {
    let ran = place.sh("(setsid sleep 300 || sleep 300) & (sleep 300 &) ; echo done");
    assert_eq!((ran.ended, said(&ran).as_str()), (Ended::Exited(0), "done\n"));
}

fn a_command_is_stopped_from_outside(place: &Place) {
    let sandbox = place.sandbox();
    let stop = Stop::default();
    let wish = stop.clone();
    let begun = place.at("workspace/begun");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while !begun.exists() {
                std::thread::yield_now();
            }
            wish.ask();
        });
        let line = "touch begun; sleep 300 & sleep 300";
        let ran = sandbox.shell_until(line, limits(), &stop).unwrap();
        assert_eq!(ran.ended, Ended::TimedOut);
    });
}

/// The test opens a file without the mark that closes it in children, as shells do.
fn files_that_are_open_already_stay_behind(place: &Place) {
    let file = fs::OpenOptions::new().append(true).open(place.at("elsewhere/file")).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    place.fails(&format!("echo x >&{number}"));
    place.fails(&format!("echo x >/proc/self/fd/{number}"));
    drop(file);
}

fn other_processes_cannot_be_looked_into(place: &Place) {
    // The parent of the helper is this test, which runs as the same user.
    let own = std::process::id();
    for what in ["environ", "mem", "maps", "fd/0", "root/etc/shadow", "cwd/Cargo.toml"] {
        place.fails(&format!("cat /proc/{own}/{what}"));
    }
    place.fails("echo x > /proc/self/oom_score_adj");
    place.fails("echo x > /proc/self/mem");
}

fn ways_around_the_walls_are_closed(place: &Place) {
    for what in WAYS {
        assert!(!reaches(&place.sandbox(), what), "{what}");
        assert!(!reaches(&place.open_sandbox(), what), "{what} with a network");
    }
}

fn outputs_are_kept_up_to_a_limit(place: &Place) {
    let ran = place.sh("head -c 100000 /dev/zero; head -c 100000 /dev/zero >&2");
    assert_eq!((ran.ended, ran.cut), (Ended::Exited(0), true));
    assert_eq!((ran.stdout.len(), ran.stderr.len()), (4096, 4096));
}

fn files_cannot_be_made_to_run_as_their_owner(place: &Place) {
    fs::write(place.at("workspace/program"), "").unwrap();
    place.fails("chmod u+s program");
    place.fails("chmod 2755 program");
    assert_eq!(place.sh("chmod 755 program").ended, Ended::Exited(0));
}

fn a_workspace_that_holds_the_home_is_refused(place: &Place) {
    for workspace in ["home", ""] {
        let policy = Policy { workspace: place.at(workspace), ..place.policy() };
        let error = Sandbox::new(helper(), policy).shell("true", limits()).unwrap_err();
        assert_eq!(error.kind(), Kind::Denied, "{workspace}: {error}");
    }
}

fn a_template_runs_in_the_sandbox(place: &Place) {
    fs::write(place.at("workspace/notes"), "!{cat ../home/.ssh/id}").unwrap();
    let template = Template::parse("a !{printf '%s' {{args}}} b @{notes} !{cat ../home/.ssh/id} c");
    let expanded = expand(&template.unwrap(), &["$(id)".into()]).unwrap();
    let sandbox = place.sandbox();
    let root = place.at("workspace");
    let performed = perform(&expanded, &root, |line| sandbox.shell(line, limits())).unwrap();
    assert_eq!(performed.text, "a $(id) b !{cat ../home/.ssh/id} ");
    let codes: Vec<_> = performed.commands.iter().map(|command| command.code).collect();
    assert_eq!((performed.ok, codes), (false, vec![Some(0), Some(1)]));
}

fn a_program_that_is_not_there_is_said_so(place: &Place) {
    let error = place.sandbox().run(&["no-such-program".into()], &[], limits()).unwrap_err();
    assert!(error.to_string().contains("no-such-program cannot be run"), "{error}");
}

fn without_landlock_nothing_is_run(place: &Place) {
    let sandbox = Sandbox::with_probe(helper(), place.policy(), || Err("there is none".into()));
    let error = sandbox.shell("touch ran", limits()).unwrap_err();
    assert_eq!(error.kind(), Kind::Unavailable);
    assert!(error.to_string().contains("nothing was run: there is none"), "{error}");
    assert!(!place.at("workspace/ran").exists());
    // A helper that cannot wall itself in says so, and that is no output of the command.
    let helper =
        vec!["/bin/sh".into(), "-c".into(), "echo \"$2 broken\" >&2; exit 125".into(), "h".into()];
    let sandbox = Sandbox::with_probe(helper, place.policy(), || Ok(()));
    let error = sandbox.shell("touch ran", limits()).unwrap_err();
    assert!(error.to_string().ends_with("nothing was run: broken"), "{error}");
}
