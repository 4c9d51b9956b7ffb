//! Fills the inputs of the configuration from the real machine.
//!
//! The only part of `config` that touches environment and disk. It reads, and it never
//! writes: a configuration file belongs to a person.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use nuthatch::error::{Error, Kind, Result};

use super::file::ConfigFile;
use super::layers::Origin;
use super::places::Places;
use super::value::Value;
use super::{Config, Flag, Inputs, env, stores};

/// A thousand times a large configuration; what is bigger is some other file.
const MOST_BYTES: u64 = 1024 * 1024;

impl Inputs {
    /// Reads the files that the variables lead to. `project_file` is the one that root
    /// discovery found, and need not exist.
    fn gather(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        project_file: Option<&Path>,
        flags: Vec<Flag>,
    ) -> Result<Inputs> {
        let env = environment(vars)?;
        let user_path = Places::from_env(&env)?.config_file;
        let user = read(&user_path)?;
        let project = match project_file {
            // A home inside a project makes both the same file; then it is the user's.
            Some(path) if same_file(path, &user_path) => None,
            Some(path) => read(path)?,
            None => None,
        };
        Ok(Inputs { env, user, project, flags })
    }
}

impl Places {
    /// Where this machine says they are. Reads no file, so a broken one is no obstacle.
    pub fn from_machine() -> Result<Places> {
        Places::from_env(&environment(std::env::vars_os())?)
    }
}

fn environment(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<BTreeMap<String, String>> {
    let mut env = env::select(vars)?;
    if let Some(own) = env.get_mut("NUTHATCH_HOME").filter(|own| is_relative(own)) {
        // Paths from here end up in other processes, whose working folder differs.
        let absolute = std::path::absolute(&own).map_err(|e| unreadable(Path::new(own), e))?;
        *own = absolute.display().to_string();
    }
    Ok(env)
}

impl Config {
    /// Reads and merges everything that this machine says. `project_file` is the one that
    /// root discovery found.
    pub fn from_machine(project_file: Option<&Path>, flags: Vec<Flag>) -> Result<Config> {
        Config::from_variables(std::env::vars_os(), project_file, flags)
    }

    /// The same for a given environment.
    pub fn from_variables(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        project_file: Option<&Path>,
        flags: Vec<Flag>,
    ) -> Result<Config> {
        let config = Config::load(&Inputs::gather(vars, project_file, flags)?)?;
        refuse_escaping_links(&config)?;
        Ok(config)
    }
}

/// A repository can hold links, so the text of a path proves nothing about its place.
fn refuse_escaping_links(config: &Config) -> Result<()> {
    for entry in config.entries() {
        let (Origin::ProjectFile(file), Some(Value::Text(address))) = (&entry.origin, &entry.value)
        else {
            continue;
        };
        let root = file.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let inside = match stores::relative_path(address) {
            Some(relative) if entry.key.section() == "stores" => {
                stores::stays_inside(root, &relative)
            }
            _ => true,
        };
        if !inside {
            return Err(Error::new(
                Kind::Denied,
                format!(
                    "the store that \"{}\" names leads out of the project through a link ({})",
                    entry.key.name,
                    file.display()
                ),
            )
            .with_hint("remove the link, or name the store in your own configuration file"));
        }
    }
    Ok(())
}

fn is_relative(path: &str) -> bool {
    !path.trim().is_empty() && !path.starts_with('~') && Path::new(path).is_relative()
}

fn same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|o| o == one))
}

/// The file, where there is one.
fn read(path: &Path) -> Result<Option<ConfigFile>> {
    // Asked before opening: opening a pipe waits for somebody to write into it.
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(unreadable(path, io::Error::other("it is not a file"))),
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(unreadable(path, error)),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(path, error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(unreadable(path, io::Error::other("it is larger than 1 MiB")));
    }
    Ok(Some(ConfigFile { path: path.to_owned(), bytes }))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::unavailable(format!("cannot read the configuration file {}: {error}", path.display()))
        .with_hint("make it readable, or move it away to go on with the defaults")
        .with_source(error)
}
