//! Starts a command, feeds it, waits for it, and ends it with everything it started.
//!
//! Knows nothing of walls: by now the command is the helper that raises them.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use nuthatch::error::{Error, Kind, Result};

use super::output::Capped;
use super::{Ended, Ran, RunLimits};

/// How often it is looked whether somebody wants a command to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// A wish that a command ends now, as if its time were over.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends it, whether it has begun or not.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs a command to its end, or to that of its time.
pub(super) fn drive(
    mut command: Command,
    input: &[u8],
    limits: RunLimits,
    stop: &Stop,
) -> Result<Ran> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that it can be ended with everything it started.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| {
        let message = format!("the command cannot be started: {error}");
        Error::new(Kind::Unavailable, message).with_source(error)
    })?;
    let outputs = (
        Capped::read(child.stdout.take(), limits.bytes),
        Capped::read(child.stderr.take(), limits.bytes),
    );
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // A command that wants no input closes it, and that is its own affair.
        thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
    }
    let group = child.id();
    let ended = wait(child, group, limits.time, stop)?;
    end_group(group);
    let (out, err) = (outputs.0.take(), outputs.1.take());
    let cut = out.cut || err.cut;
    Ok(Ran { ended, stdout: out.bytes, stderr: err.bytes, cut })
}

fn wait(mut child: Child, group: u32, time: Duration, stop: &Stop) -> Result<Ended> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let _ = tell.send(child.wait());
    });
    let broken = |error: std::io::Error| {
        Error::internal("a command cannot be waited for").with_source(error)
    };
    let deadline = Instant::now() + time;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match told.recv_timeout(left.min(GLANCE)) {
            Ok(status) => return Ok(ending(status.map_err(broken)?)),
            Err(RecvTimeoutError::Timeout) if left > GLANCE && !stop.is_asked() => {}
            Err(RecvTimeoutError::Timeout) => {
                end_group(group);
                let _ = told.recv();
                return Ok(Ended::TimedOut);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::internal("nobody waits for a command any more"));
            }
        }
    }
}

fn ending(status: ExitStatus) -> Ended {
    match status.code() {
        Some(code) => Ended::Exited(code),
        #[cfg(unix)]
        None => Ended::Killed(
            std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or_default(),
        ),
        #[cfg(not(unix))]
        None => Ended::Killed(0),
    }
}

/// Ends what is left of a group of processes.
fn end_group(group: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) {
        // Nobody left is the usual case.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}
