//! Addresses of pages, read strictly.
//!
//! Two programs that read one address differently are how guards are walked around, so
//! anything doubtful is refused: names and passwords, numbers that are no plain dotted
//! quads, characters that somebody might normalise.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use nuthatch::error::{Error, Result};

/// Longer than any address worth configuring.
const LONGEST: usize = 2048;

/// An address that is understood whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub(super) secure: bool,
    pub(super) host: Host,
    pub(super) port: u16,
    /// Path and query, beginning with a slash.
    pub(super) rest: String,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// A name, in lower case and without a final dot.
    Name(String),
    /// A number.
    Number(IpAddr),
}

impl Url {
    /// Reads an address.
    ///
    /// # Errors
    /// `invalid`, with what is wrong about it.
    pub fn parse(text: &str) -> Result<Url> {
        let text = text.trim();
        if text.len() > LONGEST || !text.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') {
            return Err(wrong("holds characters that have no place in one"));
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("is not complete"))?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(wrong("must begin with http:// or https://")),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, rest) = match rest.find(['/', '?']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let (host, port) = split_port(authority)?;
        let host = Host::parse(host)?;
        let port = port.unwrap_or(if secure { 443 } else { 80 });
        let rest = if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") };
        Ok(Url { secure, host, port, rest })
    }

    /// Where a redirection from here leads.
    ///
    /// # Errors
    /// `invalid`, when that is no address.
    pub(super) fn join(&self, location: &str) -> Result<Url> {
        let location = location.trim();
        if location.contains("://") && !location.starts_with(['/', '?', '#']) {
            return Url::parse(location);
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Url::parse(&format!("{}://{rest}", self.scheme()));
        }
        let base = self.origin();
        let path = self.rest.split('?').next().unwrap_or("/");
        let text = match location.chars().next() {
            Some('/') => format!("{base}{location}"),
            Some('?') => format!("{base}{path}{location}"),
            Some('#') | None => self.to_string(),
            // Something like `javascript:` or `file:` has a colon before any slash.
            Some(_) if location.split('/').next().is_some_and(|head| head.contains(':')) => {
                return Err(wrong("must begin with http:// or https://"));
            }
            Some(_) => {
                let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
                format!("{base}{folder}{location}")
            }
        };
        Url::parse(&text)
    }

    /// Whether it is the same server on the same port, in the same way.
    pub(super) fn same_origin(&self, other: &Url) -> bool {
        (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }

    /// Whether what is sent can be read on the way.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Whether it is this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Name(name) => name == "localhost",
            Host::Number(number) => number.is_loopback(),
        }
    }

    fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    fn origin(&self) -> String {
        format!("{}://{}:{}", self.scheme(), self.host, self.port)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.rest)
    }
}

impl Host {
    fn parse(text: &str) -> Result<Host> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or_else(|| wrong("has an unclosed bracket"))?;
            let number: Ipv6Addr = inner.parse().map_err(|_| wrong("has a number that is none"))?;
            return Ok(Host::Number(number.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let labels: Vec<&str> = name.split('.').collect();
        let plain = |label: &&str| {
            let right = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(right)
        };
        if name.len() > 253 || !labels.iter().all(plain) {
            return Err(wrong("names no server"));
        }
        let last = labels.last().copied().unwrap_or_default();
        let hex = last.strip_prefix("0x").is_some_and(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        if hex || last.bytes().all(|b| b.is_ascii_digit()) {
            // 127.1, 0177.0.0.1 and 2130706433 mean loopback to some and nothing to others.
            let number: Ipv4Addr =
                name.parse().map_err(|_| wrong("has a number that is not four plain decimals"))?;
            return Ok(Host::Number(number.into()));
        }
        Ok(Host::Name(name))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Number(IpAddr::V4(number)) => write!(f, "{number}"),
            Host::Number(IpAddr::V6(number)) => write!(f, "[{number}]"),
        }
    }
}

fn split_port(authority: &str) -> Result<(&str, Option<u16>)> {
    if authority.contains('@') {
        return Err(wrong("must not carry a name or a password"));
    }
    let after_bracket = authority.rfind(']').map_or(0, |at| at + 1);
    match authority[after_bracket..].find(':') {
        None => Ok((authority, None)),
        Some(at) => {
            let (host, port) = authority.split_at(after_bracket + at);
            let digits = &port[1..];
            let number: Option<u16> = digits.parse().ok().filter(|port| *port != 0);
            match number {
                Some(number) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                    Ok((host, Some(number)))
                }
                _ => Err(wrong("has a port that is none")),
            }
        }
    }
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("the address {what}"))
        .with_hint("an address looks like https://example.org/page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_address_is_read_and_written() {
        let url = Url::parse("HTTPS://Example.ORG./a/b?c=d#e").unwrap();
        assert_eq!(url.to_string(), "https://example.org:443/a/b?c=d");
        assert_eq!(Url::parse("http://[::1]:8080").unwrap().to_string(), "http://[::1]:8080/");
    }

    #[test]
    fn redirections_are_read_from_where_they_were_found() {
        let from = Url::parse("https://example.org/a/b?c").unwrap();
        let leads = |to: &str| from.join(to).map(|url| url.to_string()).unwrap_or_default();
        assert_eq!(leads("/x"), "https://example.org:443/x");
        assert_eq!(leads("x?y"), "https://example.org:443/a/x?y");
        assert_eq!(leads("?y"), "https://example.org:443/a/b?y");
        assert_eq!(leads("//other.org/x"), "https://other.org:443/x");
        assert_eq!(leads("http://other.org:81"), "http://other.org:81/");
        assert_eq!(leads("file:///etc/passwd"), "");
        assert_eq!(leads("javascript:alert(1)"), "");
    }
}
