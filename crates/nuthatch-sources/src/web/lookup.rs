//! What a name stands for, asked once and then held to.
//!
//! Which addresses may be spoken to is decided by the guard, before a connection is made.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Finds the numbers of a name.
pub trait Lookup: Send + Sync {
    /// All of them, or why there are none.
    ///
    /// # Errors
    /// When nobody knows the name, or not in time.
    fn lookup(&self, name: &str, within: Duration) -> io::Result<Vec<IpAddr>>;
}

/// Asks the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: &str, within: Duration) -> io::Result<Vec<IpAddr>> {
        // The system's own call cannot be interrupted; whoever waits for it can.
        let (tell, told) = mpsc::sync_channel(1);
        let name = name.to_owned();
        thread::spawn(move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            let _ = tell.send(found.map(|all| all.map(|one| one.ip()).collect()));
        });
        told.recv_timeout(within).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Gives a connection the numbers that were judged, and no others.
#[derive(Debug)]
pub(super) struct Pinned(pub(super) Vec<SocketAddr>);

impl Resolver for Pinned {
    fn resolve(
        &self,
        _: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut judged = self.empty();
        // The client's list is that long.
        for number in self.0.iter().take(16) {
            judged.push(*number);
        }
        if judged.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(judged) }
    }
}
