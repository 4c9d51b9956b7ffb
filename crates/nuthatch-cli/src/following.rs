//! Embedding that follows behind what was recorded: here and now, or in a process of its own.
//!
//! The process is this command again, as `reindex --missing --follow`, detached from the
//! terminal. A lock keeps a second one from doing the same work; whichever is stopped leaves
//! the rest waiting, and the next one goes on.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::process::{Command, Stdio};

use nuthatch::error::{Error, Result};
use serde::Serialize;

use crate::output::Output;
use crate::private;
use crate::progress::Progress;
use crate::wiring::Desk;

/// What became of what waits.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Following {
    /// So many documents were embedded.
    Embedded(u64),
    /// So many wait, and a process in the background is at work on them.
    Waiting(u64),
}

impl fmt::Display for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Following::Embedded(count) => write!(f, "embedded {count}"),
            Following::Waiting(count) => write!(
                f,
                "found by their words now; {count} are being embedded in the background \
                 (`nuthatch stats` says how many are left)"
            ),
        }
    }
}

/// Embeds what waits, and waits for it.
pub async fn wait(desk: &Desk, out: &Output) -> Result<Option<Following>> {
    if desk.engine().embedder().is_none() {
        return Ok(None);
    }
    let progress = Progress::new("embedding", out);
    let done = desk.engine().embed_pending(&|done, total| progress.show(done, total)).await;
    progress.finish();
    done.map(|count| Some(Following::Embedded(count)))
}

/// Begins a process that embeds what waits, if there is something and a model.
pub async fn begin(desk: &Desk) -> Result<Option<Following>> {
    let waiting = desk.engine().waiting().await?;
    if waiting == 0 {
        return Ok(None);
    }
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("it was recorded, but embedding cannot be begun: {error}"))
            .with_hint("run `nuthatch reindex --missing`")
            .with_source(error)
    };
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    hand_over(&mut command, desk.said());
    command.args(["--quiet", "reindex", "--missing", "--follow"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    {
        // A group of its own: what ends the command in the terminal does not end this.
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    command.spawn().map_err(failed)?;
    Ok(Some(Following::Waiting(waiting)))
}

/// Tells another process which stores are meant. An address may hold a password, and everybody on
/// a machine can read the arguments of a process: it goes by the environment.
fn hand_over(command: &mut Command, said: &[OsString]) {
    let named = said.iter().position(|argument| argument == "--store");
    let address = named.and_then(|place| said.get(place + 1));
    match (named, address.filter(|address| address.to_string_lossy().contains("://"))) {
        (Some(place), Some(address)) => {
            command.env("NUTHATCH_STORE", address);
            command.args(&said[..place]).args(&said[place + 2..]);
        }
        _ => {
            command.args(said);
        }
    }
}

/// Embeds what waits, unless another process is at it already.
pub async fn follow(desk: &Desk) -> Result<u64> {
    match alone(desk)? {
        Some(_held) => desk.engine().embed_pending(&|_, _| ()).await,
        None => Ok(0),
    }
}

/// The lock of whoever embeds for these stores; nothing while somebody else holds it.
fn alone(desk: &Desk) -> Result<Option<File>> {
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("cannot lock {}: {error}", desk.data().display()))
            .with_source(error)
    };
    private::folder(desk.data()).map_err(failed)?;
    let mut hash = blake3::Hasher::new();
    desk.kept_in().iter().for_each(|path| {
        hash.update(path.as_os_str().as_encoded_bytes()).update(b"\n");
    });
    let name = format!("embedding-{}.lock", &hash.finalize().to_hex()[..16]);
    let path = desk.data().join(name);
    let file = private::options().create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}
