//! The configuration: defaults, user file, project file, environment, flags, in that order.
//!
//! [`Config::load`] is pure: it is given every input and touches nothing, and it keeps the
//! origin of each value. [`machine`] fills the inputs from the real machine, [`table`]
//! holds every key as data, [`settings`] gives the commands typed values.

pub mod env;
pub mod file;
pub mod keys;
pub mod layers;
pub mod machine;
pub mod places;
pub mod settings;
pub mod shape;
pub mod show;
pub mod stores;
pub mod table;
pub mod value;
pub mod wording;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nuthatch::error::{Error, Result};

pub use file::ConfigFile;
pub use layers::{Entry, Origin};
pub use places::Places;
pub use settings::Settings;
pub use show::Show;
pub use value::Value;

use file::Owner;
use layers::{Assignment, Entries};

/// Everything that decides the configuration.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The environment.
    pub env: BTreeMap<String, String>,
    /// The user's file, where there is one.
    pub user: Option<ConfigFile>,
    /// The project's file, where there is one.
    pub project: Option<ConfigFile>,
    /// What was said on the command line, the last one on top.
    pub flags: Vec<Flag>,
}

/// A setting given on the command line.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The dotted name of the key.
    pub key: String,
    /// The value as it was typed; lists are comma-separated.
    pub value: String,
    /// The flag as the user knows it, for example `--limit`.
    pub name: String,
}

/// The configuration, whole and checked.
#[derive(Clone, Debug)]
pub struct Config {
    entries: Entries,
    settings: Settings,
    places: Places,
}

impl Config {
    /// Lays the inputs over the defaults. The first mistake in any of them is an error.
    pub fn load(inputs: &Inputs) -> Result<Config> {
        let places = Places::from_env(&inputs.env)?;
        let user = read(inputs.user.as_ref(), Owner::User)?;
        let project = read(inputs.project.as_ref(), Owner::Project)?;
        let env = env::read(&inputs.env)?;
        let flags = inputs.flags.iter().map(assignment).collect::<Result<Vec<_>>>()?;
        let entries = Entries::merge(&[&user, &project, &env.shared, &env.own, &flags], &places)?;
        let of_user = Entries::merge(&[&user, &env.shared, &env.own, &flags], &places)?;
        let settings = Settings::new(&entries, &of_user)?;
        Ok(Config { entries, settings, places })
    }

    /// The settings that commands use.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the user's files are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Every key with its value and origin, in the order of the table.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The explicit key of the project, where one is set.
    pub fn project_key(&self) -> Option<String> {
        self.entries.optional_text("project.key")
    }
}

fn read(file: Option<&ConfigFile>, owner: Owner) -> Result<Vec<Assignment>> {
    file.map_or_else(|| Ok(Vec::new()), |file| file::read(file, owner))
}

/// What a flag sets, checked.
pub fn assignment(flag: &Flag) -> Result<Assignment> {
    let Some(key) = keys::find(&flag.key) else {
        let unknown = format!("unknown key {} in {}", wording::quoted(&flag.key), flag.name);
        let hint = match keys::suggestion(&flag.key) {
            Some(near) => wording::did_you_mean(near),
            None => "`nuthatch config show` lists every key".to_owned(),
        };
        return Err(Error::invalid(unknown).with_hint(hint));
    };
    let place = format!("the flag {} ({})", flag.name, key.name);
    let value = key.shape.read_text(&flag.value).map_err(|problem| problem.at(&place))?;
    Ok(Assignment { key, value, origin: Origin::Flag(flag.name.clone()) })
}
