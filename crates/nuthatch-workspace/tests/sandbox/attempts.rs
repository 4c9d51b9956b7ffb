//! A command that tries to reach out, and says by its exit code whether it could.

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::process::ExitCode;

/// Everything that makes a socket. Loopback and names in the workspace only, so that even
/// success would harm nobody.
pub const INTERNET: &[&str] = &["tcp-listen", "tcp-connect", "udp"];
pub const LOCAL: &[&str] = &["unix-listen", "unix-connect", "unix-datagram"];

pub fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let what = args.next().unwrap_or_default();
    let tried = match what.to_str().unwrap_or_default() {
        "tcp-listen" => TcpListener::bind("127.0.0.1:0").map(drop),
        // Nobody listens there: to be refused by somebody means to have got out.
        "tcp-connect" => match TcpStream::connect("127.0.0.1:9") {
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Ok(()),
            other => other.map(drop),
        },
        "udp" => UdpSocket::bind("127.0.0.1:0").map(drop),
        "unix-listen" => UnixListener::bind("socket").map(drop),
        "unix-connect" => match UnixStream::connect("nobody") {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => other.map(drop),
        },
        "unix-datagram" => UnixDatagram::unbound().map(drop),
        _ => return ExitCode::from(2),
    };
    ExitCode::from(u8::from(tried.is_err()))
}
