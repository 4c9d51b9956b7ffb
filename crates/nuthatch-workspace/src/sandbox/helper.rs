//! The helper: a process that walls itself in and then becomes the command.
//!
//! It is our own program under a hidden name, started fresh, so that the walls go up before
//! any other thread exists. What it cannot do it says behind a token that only its parent
//! knows, with an exit code of its own; the command is not started then.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::UNWALLED;
use super::policy::{Network, Policy};

/// What a helper is told.
#[derive(Debug, Default)]
pub(super) struct Orders {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    pub(super) devices: Vec<PathBuf>,
    pub(super) network: bool,
    token: String,
    argv: Vec<OsString>,
}

/// The arguments that say to a helper what `policy` says, up to the command itself.
pub(super) fn arguments(policy: &Policy, private: &Path, token: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["--token".into(), token.into()];
    let mut list = |name: &str, paths: Vec<PathBuf>| {
        for path in paths {
            words.push(name.into());
            words.push(path.into());
        }
    };
    list("--read", policy.readable());
    list("--write", policy.writable(private));
    list("--device", Policy::devices().collect());
    if policy.network == Network::Open {
        words.push("--network".into());
    }
    words.push("--".into());
    words
}

/// Walls this process in as its arguments say and becomes the command they name. Returns
/// only when that fails.
///
/// Call it first thing in a program, before any thread is started.
#[must_use]
pub fn enter(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let orders = Orders::read(args);
    let why = match &orders {
        Ok(orders) => become_command(orders),
        Err(why) => why.clone(),
    };
    let token = orders.map(|orders| orders.token).unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "{token} {why}");
    ExitCode::from(u8::try_from(UNWALLED).unwrap_or(1))
}

impl Orders {
    fn read(args: impl IntoIterator<Item = OsString>) -> Result<Orders, String> {
        let mut orders = Orders::default();
        let mut args = args.into_iter();
        while let Some(word) = args.next() {
            if word == "--" {
                orders.argv = args.collect();
                break;
            }
            if word == "--network" {
                orders.network = true;
                continue;
            }
            let value = args.next().ok_or_else(|| "an order is not complete".to_owned())?;
            match word.to_str() {
                Some("--read") => orders.read.push(value.into()),
                Some("--write") => orders.write.push(value.into()),
                Some("--device") => orders.devices.push(value.into()),
                Some("--token") => orders.token = value.to_string_lossy().into_owned(),
                _ => return Err("an order is not understood".to_owned()),
            }
        }
        match orders.argv.is_empty() || orders.token.is_empty() {
            true => Err("there is no command".to_owned()),
            false => Ok(orders),
        }
    }
}

/// Nothing that whoever started us left open reaches the command: no wall holds a file that
/// is open already. And the command ends with whoever waits for it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "there is no safe call for descriptors that nobody here owns")]
fn keep_to_ourselves() -> Result<(), String> {
    let fail = |what: &str| format!("{what}: {}", std::io::Error::last_os_error());
    // Closed when the command takes over, by which time ours are closed anyway.
    let how = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the call marks descriptors and touches no memory.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, how) };
    if marked != 0 {
        return Err(fail("open files cannot be kept back"));
    }
    let kill = Some(rustix::process::Signal::KILL);
    rustix::process::set_parent_process_death_signal(kill)
        .map_err(|error| format!("it would outlive us: {error}"))
}

/// An administrator's powers reach past walls: with them a kernel shows what other processes
/// have in their memory and environment. Nothing gets them back from here.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "there is no safe call for this without further dependencies")]
fn give_up_powers() -> Result<(), String> {
    // The version of the call with two words for each set, and this process.
    let header: [u32; 2] = [0x2008_0522, 0];
    let none = [0_u32; 6];
    // SAFETY: both are as long as this version reads, and outlive the call.
    match unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) } {
        0 => Ok(()),
        _ => Err(format!("powers stay: {}", std::io::Error::last_os_error())),
    }
}

/// Says why the command did not start.
#[cfg(target_os = "linux")]
fn become_command(orders: &Orders) -> String {
    use std::os::unix::process::CommandExt as _;

    let walled = keep_to_ourselves()
        .and_then(|()| super::confine::confine(orders))
        .and_then(|()| give_up_powers());
    if let Err(why) = walled {
        return why;
    }
    let program: &OsStr = &orders.argv[0];
    let error = std::process::Command::new(program).args(&orders.argv[1..]).exec();
    format!("{} cannot be run: {error}", program.display())
}

#[cfg(not(target_os = "linux"))]
fn become_command(orders: &Orders) -> String {
    let program: &OsStr = &orders.argv[0];
    format!("{} is not run: there is no sandbox for this system", program.display())
}
