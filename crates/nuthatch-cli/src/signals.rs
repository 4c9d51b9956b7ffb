//! How a server, or an agent at work, is told to end.
//!
//! What it does then is its own business.

use nuthatch::error::{Error, Result};

/// Ends when the user or the system asks for it. Asked for before anybody is told that the
/// server is there, so that no request to end it is missed.
#[cfg(unix)]
pub fn told_to_end() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| {
        signal(kind)
            .map_err(|error| Error::unavailable("the system gives no signals").with_source(error))
    };
    let mut terminated = listen(SignalKind::terminate())?;
    let mut interrupted = listen(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub fn told_to_end() -> Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Does something, or stops in the middle when the user or the system asks for it. What it
/// started ends with it, which a process that is simply gone cannot promise.
pub async fn unless_told_to_end<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let told = told_to_end()?;
    tokio::select! {
        done = work => done,
        () = told => {
            let stopped = Error::unavailable("stopped").with_hint("what was done before is kept");
            Err(stopped)
        }
    }
}
