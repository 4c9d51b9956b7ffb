//! `memory://…`: what can be read by address.
//!
//! `memory://root` is what is remembered here, as a prompt would get it; `memory://<id>` is
//! one memory. Addresses are names, not paths: nothing in one is ever resolved on a disk.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::id::MemoryId;

const SCHEME: &str = "memory://";
const ROOT: &str = "root";

/// Something that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// What is remembered here, as one block.
    Root,
    /// One memory.
    Memory(MemoryId),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Root => write!(f, "{SCHEME}{ROOT}"),
            Address::Memory(id) => write!(f, "{SCHEME}{id}"),
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = || {
            let shown: String = text.chars().take(80).collect();
            Error::not_found(format!("nothing has the address {shown:?}"))
                .with_hint("memory://root, or memory:// and the id of a memory")
        };
        match text.strip_prefix(SCHEME).ok_or_else(known)? {
            ROOT => Ok(Address::Root),
            // Only the usual spelling: two addresses of one thing would be cached apart.
            id => match id.parse::<MemoryId>() {
                Ok(memory) if memory.to_string() == id => Ok(Address::Memory(memory)),
                _ => Err(known()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_parses_back() {
        for text in ["memory://root", "memory://01890a5d-ac96-774b-bcce-b302099a8057"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nothing_else_is_an_address() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        for text in [
            String::new(),
            "memory://".into(),
            "memory://root/".into(),
            "memory://root/../etc/passwd".into(),
            "memory://%72oot".into(),
            "MEMORY://root".into(),
            format!("memory:/{id}"),
            format!("memory://{id}/"),
            format!("memory:// {id}"),
            format!("memory://{}", id.to_uppercase()),
            format!("memory://{}", id.replace('-', "")),
            "file:///etc/passwd".into(),
        ] {
            assert!(text.parse::<Address>().is_err(), "{text:?} was accepted");
        }
    }
}
