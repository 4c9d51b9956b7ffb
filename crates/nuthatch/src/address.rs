//! `memory://…`: what can be read by address.
//!
//! `memory://root` is what is remembered here, as a prompt would get it; below it stand the
//! documents of the project; `memory://<id>` is one memory. Addresses are names, not paths:
//! only the names of documents are known below the root.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::id::MemoryId;
use crate::shelf::is_document;

const SCHEME: &str = "memory://";
const ROOT: &str = "root";

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// What is remembered here, as one block.
    Root,
    /// A document of the project, for example `MEMORY.md`.
    Document(String),
    /// One memory.
    Memory(MemoryId),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Root => write!(f, "{SCHEME}{ROOT}"),
            Address::Document(name) => write!(f, "{SCHEME}{ROOT}/{name}"),
            Address::Memory(id) => write!(f, "{SCHEME}{id}"),
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = || {
            let shown: String = text.chars().take(80).collect();
            Error::not_found(format!("nothing has the address {shown:?}")).with_hint(
                "memory://root, memory://root/MEMORY.md, memory://root/skills/NAME/SKILL.md, \
                     or memory:// and the id of a memory",
            )
        };
        let name = text.strip_prefix(SCHEME).ok_or_else(known)?;
        let below = name.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/'));
        if let Some(document) = below {
            return match is_document(document) {
                true => Ok(Address::Document(document.to_owned())),
                false => Err(known()),
            };
        }
        match name {
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
        for text in [
            "memory://root",
            "memory://root/MEMORY.md",
            "memory://root/memory_summary.md",
            "memory://root/skills/run-tests/SKILL.md",
            "memory://01890a5d-ac96-774b-bcce-b302099a8057",
        ] {
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
            "memory://root/skills/../SKILL.md".into(),
            "memory://root/skills/a%2Fb/SKILL.md".into(),
            "memory://root/notes.md".into(),
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
