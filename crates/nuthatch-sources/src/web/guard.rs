//! Which servers may be asked: those of the open internet, and those the user names.
//!
//! The numbers a name stands for decide, not the name. Where one of them leads into a
//! private network, to this machine or to a cloud's metadata, the whole name is refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use nuthatch::error::{Error, Kind, Result};

use super::url::{Host, Url};

/// Says who may be asked.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// `host` or `host:port` of servers that may be private.
    private: Vec<String>,
}

impl Guard {
    /// The open internet alone.
    #[must_use]
    pub fn public() -> Self {
        Guard::default()
    }

    /// And servers of a private network that the user names, as `host` or `host:port`.
    /// Metadata services stay out of reach even so.
    #[must_use]
    pub fn allowing(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.private.extend(hosts.into_iter().map(|host| host.into().to_ascii_lowercase()));
        self
    }

    /// Judges an address before anybody is asked what its name stands for.
    pub(super) fn admit(&self, url: &Url) -> Result<()> {
        match &url.host {
            Host::Number(number) => self.judge(url, &[*number]),
            Host::Name(name) if self.is_allowed(url) => {
                if is_metadata_name(name) {
                    Err(refused(url))
                } else {
                    Ok(())
                }
            }
            Host::Name(name) if is_local_name(name) => Err(refused(url)),
            Host::Name(_) => Ok(()),
        }
    }

    /// Judges the numbers that its host stands for. All of them must be right: nobody knows
    /// which one a connection takes.
    pub(super) fn judge(&self, url: &Url, numbers: &[IpAddr]) -> Result<()> {
        let allowed = self.is_allowed(url);
        let right = |number: &IpAddr| is_public(*number) || (allowed && !is_link_local(*number));
        if numbers.iter().all(right) { Ok(()) } else { Err(refused(url)) }
    }

    fn is_allowed(&self, url: &Url) -> bool {
        let (host, port) = (url.host.to_string(), url.port);
        let with_port = format!("{host}:{port}");
        self.private.iter().any(|own| *own == host || *own == with_port)
    }
}

fn refused(url: &Url) -> Error {
    let message = format!("{} is not on the open internet", url.host);
    Error::new(Kind::Denied, message).with_hint("name it in `sources.private_hosts` if it is yours")
}

/// Names that mean this machine, this network, or a cloud's metadata.
fn is_local_name(name: &str) -> bool {
    const ENDS: &[&str] =
        &["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa"];
    let below = |end: &&str| name == *end || name.ends_with(&format!(".{end}"));
    ENDS.iter().any(below) || is_metadata_name(name)
}

fn is_metadata_name(name: &str) -> bool {
    const NAMES: &[&str] =
        &["metadata", "metadata.google.internal", "metadata.goog", "instance-data"];
    NAMES.contains(&name) || name.ends_with(".metadata.google.internal")
}

/// Whether a number belongs to somebody on the open internet.
pub(super) fn is_public(number: IpAddr) -> bool {
    match number {
        IpAddr::V4(number) => is_public_v4(number),
        IpAddr::V6(number) => is_public_v6(number),
    }
}

fn is_public_v4(number: Ipv4Addr) -> bool {
    let [a, b, c, _] = number.octets();
    let reserved = matches!(
        (a, b, c),
        (0 | 10 | 127, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224.., ..)
    );
    !reserved
}

fn is_public_v6(number: Ipv6Addr) -> bool {
    if let Some(inner) = number.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let parts = number.segments();
    match parts {
        // A translator's prefix: who is meant stands in the last 32 bits.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Tunnels carry a number of their own choice; documentation belongs to nobody.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x2002, ..] => false,
        [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

/// Numbers that only the link itself knows: where clouds keep their metadata.
fn is_link_local(number: IpAddr) -> bool {
    match number {
        IpAddr::V4(number) => number.is_link_local() || number.is_unspecified(),
        IpAddr::V6(number) => match number.to_ipv4_mapped() {
            Some(inner) => inner.is_link_local() || inner.is_unspecified(),
            None => {
                let [first, second, ..] = number.segments();
                let cloud = (first, second) == (0xfd00, 0x0ec2);
                (first & 0xffc0) == 0xfe80 || cloud || number.is_unspecified()
            }
        },
    }
}
