//! The token of the server: made on its first start, kept where only its owner can read it.
//!
//! It is never an argument, an environment variable or part of an error.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use nuthatch::error::{Error, Result};
use nuthatch_server::http::access::Token;
use tempfile::NamedTempFile;
use uuid::Uuid;

use crate::wiring::make_private;

/// Its file in the data folder.
const FILE: &str = "token";
/// Fewer characters than this were never made by us.
const FEWEST: usize = 32;

/// The token of this user, made if there is none.
pub fn kept(folder: &Path) -> Result<Token> {
    let path = folder.join(FILE);
    match fs::read_to_string(&path) {
        Ok(text) => checked(&path, text.trim()),
        Err(error) if error.kind() == ErrorKind::NotFound => made(folder),
        Err(error) => Err(trouble(&path, "read", &error)),
    }
}

fn checked(path: &Path, token: &str) -> Result<Token> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(path).map_err(|error| trouble(path, "read", &error))?;
        if mode.permissions().mode() & 0o077 != 0 {
            return Err(Error::unavailable(format!("others can read {}", path.display()))
                .with_hint("chmod 600 it, or remove it: a new token is made"));
        }
    }
    if token.len() < FEWEST || !token.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(Error::unavailable(format!("there is no token in {}", path.display()))
            .with_hint("remove the file: a new token is made"));
    }
    Ok(Token::new(token.to_owned()))
}

fn made(folder: &Path) -> Result<Token> {
    make_private(folder)?;
    let path = folder.join(FILE);
    // Two random ids: 244 bits of the system's own randomness.
    let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    // Written whole under another name first: a server that starts beside this one must never
    // find half a token, and both must use the same.
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(token.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file.persist_noclobber(&path)?)
    });
    match written {
        Ok(_) => Ok(Token::new(token)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let text = fs::read_to_string(&path).map_err(|error| trouble(&path, "read", &error))?;
            checked(&path, text.trim())
        }
        Err(error) => Err(trouble(&path, "write", &error)),
    }
}

fn trouble(path: &Path, what: &str, error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot {what} the token in {}: {error}", path.display()))
}
