//! A command that tries to reach out, and says by its exit code whether it could.

#![allow(unsafe_code, reason = "what no safe call offers is what a hostile command tries")]

use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::process::ExitCode;

/// Everything that makes a socket. Loopback and names in the workspace only, so that even
/// success would harm nobody.
pub const INTERNET: &[&str] = &["tcp-listen", "tcp-connect", "udp"];
pub const LOCAL: &[&str] = &["unix-listen", "unix-connect", "unix-datagram"];

/// Calls that reach around walls, or make something that does later.
pub const WAYS: &[&str] = &[
    "io-uring",
    "ptrace",
    "pidfd-getfd",
    "user-namespace",
    "new-session",
    "new-group",
    "abstract-socket",
    "set-id-opened",
    "set-id-made",
    "set-id-changed",
    "times-by-path",
    "shared-memory",
];

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
        other => match ways(other) {
            Some(tried) => tried,
            None => return ExitCode::from(2),
        },
    };
    ExitCode::from(u8::from(tried.is_err()))
}

/// A raw call; a bad address or a wrong argument means that the kernel took it.
#[cfg(target_os = "linux")]
fn call(number: libc::c_long, args: [libc::c_long; 4]) -> io::Result<()> {
    let [a, b, c, d] = args;
    // SAFETY: every pointer among the arguments is null or of a text that outlives the call.
    match unsafe { libc::syscall(number, a, b, c, d) } {
        -1 => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)) => Err(error),
            error if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn ways(what: &str) -> Option<io::Result<()>> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    let here = libc::c_long::from(libc::AT_FDCWD);
    let name = c"made".as_ptr() as libc::c_long;
    let outside = c"../elsewhere/file".as_ptr() as libc::c_long;
    let own = c"own".as_ptr() as libc::c_long;
    let parent = libc::c_long::from(std::os::unix::process::parent_id());
    Some(match what {
        "io-uring" => call(libc::SYS_io_uring_setup, [1, 0, 0, 0]),
        "ptrace" => call(libc::SYS_ptrace, [16, parent, 0, 0]),
        "pidfd-getfd" => call(libc::SYS_pidfd_getfd, [0, 0, 0, 0]),
        "user-namespace" => call(libc::SYS_unshare, [0x1000_0000, 0, 0, 0]),
        "new-session" => call(libc::SYS_setsid, [0; 4]),
        "new-group" => call(libc::SYS_setpgid, [0; 4]),
        "abstract-socket" => {
            use std::os::linux::net::SocketAddrExt as _;
            std::os::unix::net::SocketAddr::from_abstract_name("nuthatch-test")
                .and_then(|address| UnixListener::bind_addr(&address))
                .map(drop)
        }
        "set-id-opened" => fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o4755)
            .open("opened")
            .map(drop),
        "set-id-made" => call(libc::SYS_mknodat, [here, name, 0o104_755, 0]),
        "set-id-changed" => {
            // By the newest of the calls that change a mode.
            fs::write("own", "").and_then(|()| call(452, [here, own, 0o4755, 0])).and_then(|()| {
                match fs::metadata("own")?.permissions().mode() & 0o4000 {
                    0 => Err(io::ErrorKind::PermissionDenied.into()),
                    _ => Ok(()),
                }
            })
        }
        "times-by-path" => times(here, outside),
        "shared-memory" => fs::write("/dev/shm/nuthatch-test", "x"),
        _ => return None,
    })
}

#[cfg(target_arch = "x86_64")]
fn times(here: libc::c_long, path: libc::c_long) -> io::Result<()> {
    call(libc::SYS_utime, [path, 0, 0, 0])
        .or_else(|_| call(libc::SYS_utimes, [path, 0, 0, 0]))
        .or_else(|_| call(libc::SYS_futimesat, [here, path, 0, 0]))
        .or_else(|_| call(libc::SYS_utimensat, [here, path, 0, 0]))
}

#[cfg(not(target_arch = "x86_64"))]
fn times(here: libc::c_long, path: libc::c_long) -> io::Result<()> {
    call(libc::SYS_utimensat, [here, path, 0, 0])
}
