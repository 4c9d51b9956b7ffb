//! Reads environment variables into assignments.
//!
//! Every key has a variable of its own; a few have aliases. A variable with our prefix
//! that names no key is an error, because a setting that is silently not applied is
//! worse than one that is refused.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use nuthatch::error::{Error, Result};

use super::keys::Key;
use super::layers::{Assignment, Origin};
use super::table::KEYS;
use super::wording::{did_you_mean, nearest, quoted};

/// What every variable of ours begins with.
const PREFIX: &str = "NUTHATCH_";

/// Ours, but not settings: the first moves the home, the second is read by the logger.
const NOT_SETTINGS: &[&str] = &["NUTHATCH_HOME", "NUTHATCH_LOG"];

/// Test suites need a place to pass things in.
const TEST_PREFIX: &str = "NUTHATCH_TEST_";

/// Variables of others that say where the user's files are.
const PLACES: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];

/// What the environment sets, in two layers.
#[derive(Debug)]
pub struct EnvLayers {
    /// By variables that other tools share with us; the weaker layer.
    pub shared: Vec<Assignment>,
    /// By variables with our own prefix.
    pub own: Vec<Assignment>,
}

/// The assignments that the variables make.
pub fn read(env: &BTreeMap<String, String>) -> Result<EnvLayers> {
    refuse_unknown(env)?;
    let mut layers = EnvLayers { shared: Vec::new(), own: Vec::new() };
    for key in KEYS {
        for variable in variables(key).into_iter().rev() {
            let Some(text) = env.get(&variable) else { continue };
            let place = format!("the environment variable {variable} ({})", key.name);
            let value = key.shape.read_text(text).map_err(|problem| problem.at(&place))?;
            let layer =
                if variable.starts_with(PREFIX) { &mut layers.own } else { &mut layers.shared };
            layer.push(Assignment { key, value, origin: Origin::Variable(variable) });
        }
    }
    Ok(layers)
}

/// The variables that set `key`, strongest first.
pub fn variables(key: &Key) -> Vec<String> {
    std::iter::once(key.variable())
        .chain(key.aliases.iter().map(|alias| (*alias).to_owned()))
        .collect()
}

fn refuse_unknown(env: &BTreeMap<String, String>) -> Result<()> {
    let known: Vec<String> = KEYS.iter().flat_map(variables).collect();
    for name in env.keys().filter(|name| name.starts_with(PREFIX)) {
        let expected = name.starts_with(TEST_PREFIX)
            || NOT_SETTINGS.contains(&name.as_str())
            || known.contains(name);
        if !expected {
            return Err(unknown(name, &known));
        }
    }
    Ok(())
}

fn unknown(name: &str, known: &[String]) -> Error {
    // Without the prefix, which all share and which would make everything look near.
    let bare = |name: &'static str| name.strip_prefix(PREFIX);
    let candidates = known
        .iter()
        .filter_map(|name| name.strip_prefix(PREFIX))
        .chain(NOT_SETTINGS.iter().copied().filter_map(bare));
    let error = Error::invalid(format!("unknown environment variable {}", quoted(name)));
    error.with_hint(match nearest(&name[PREFIX.len()..], candidates) {
        Some(near) => did_you_mean(&format!("{PREFIX}{near}")),
        None => "unset it; `nuthatch config show` lists every key".to_owned(),
    })
}

/// Picks the variables that matter out of a real environment.
///
/// Fails where one of them is not UTF-8, as no setting can be read from that.
pub fn select(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<BTreeMap<String, String>> {
    let mut env = BTreeMap::new();
    for (name, value) in vars {
        if !matters(&name) {
            continue;
        }
        let shown = name.to_string_lossy().into_owned();
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => env.insert(name, value),
            _ => {
                return Err(Error::invalid(format!(
                    "the environment variable {} is not UTF-8 text",
                    quoted(&shown)
                )));
            }
        };
    }
    Ok(env)
}

fn matters(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PREFIX)
        || PLACES.contains(&name.as_ref())
        || KEYS.iter().any(|key| key.aliases.contains(&name.as_ref()))
}
