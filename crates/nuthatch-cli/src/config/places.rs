//! Where the user's configuration and data live, worked out from the environment.
//!
//! `NUTHATCH_HOME` moves both; otherwise the XDG variables and `HOME` decide. Pure: looks
//! only at the variables it is given and never at the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};

/// The folders and files of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's configuration file, whether or not it exists.
    pub config_file: PathBuf,
    /// The folder of everything that is kept.
    pub data_dir: PathBuf,
    /// The home folder, which `~/` stands for.
    pub home: Option<PathBuf>,
}

impl Places {
    /// Works them out; fails where no variable says where anything could be.
    pub fn from_env(env: &BTreeMap<String, String>) -> Result<Places> {
        let home = absolute(env, "HOME");
        if let Some(own) = env.get("NUTHATCH_HOME") {
            if own.trim().is_empty() {
                return Err(Error::invalid("the environment variable NUTHATCH_HOME is empty")
                    .with_hint("unset it, or name a folder"));
            }
            let base = PathBuf::from(expand(own, home.as_deref())?);
            return Ok(Places { config_file: base.join("config.toml"), data_dir: base, home });
        }
        let below = |variable: &str, usual: &str| {
            absolute(env, variable)
                .or_else(|| home.as_ref().map(|home| home.join(usual)))
                .map(|base| base.join("nuthatch"))
                .ok_or_else(|| homeless(variable))
        };
        Ok(Places {
            config_file: below("XDG_CONFIG_HOME", ".config")?.join("config.toml"),
            data_dir: below("XDG_DATA_HOME", ".local/share")?,
            home,
        })
    }

    /// Replaces a leading `~` by the home folder.
    pub fn expand(&self, path: &str) -> Result<String> {
        expand(path, self.home.as_deref())
    }
}

fn expand(path: &str, home: Option<&Path>) -> Result<String> {
    let rest = match path.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with('/') => rest,
        _ => return Ok(path.to_owned()),
    };
    let home = home.ok_or_else(|| {
        Error::invalid("a path begins with ~, but there is no home folder")
            .with_hint("set HOME, or write the whole path")
    })?;
    Ok(format!("{}{rest}", home.display()))
}

/// The XDG specification says to ignore empty and relative values.
fn absolute(env: &BTreeMap<String, String>, variable: &str) -> Option<PathBuf> {
    env.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn homeless(variable: &str) -> Error {
    Error::unavailable(format!("no home folder: neither {variable} nor HOME is an absolute path"))
        .with_hint("set HOME, or set NUTHATCH_HOME to the folder Nuthatch shall use")
}
