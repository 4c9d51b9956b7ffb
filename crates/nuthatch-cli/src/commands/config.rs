//! `nuthatch config`: shows the configuration and where each value comes from.
//!
//! Read only: configuration files belong to people and their editors. Touches no store.

use clap::{Args, Subcommand};
use nuthatch::error::{Error, Result};
use serde_json::{Value, json};

use crate::cli::Globals;
use crate::config::{Config, Places, Show, env, keys, show, table, wording};
use crate::output::Output;
use crate::project::Root;
use crate::wiring::{self, Site};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch config show --origin
  $ nuthatch config get recall.limit
  $ MEMORY_LIMIT=50 nuthatch config get limits.facts --json
  $ nuthatch config path
  $ nuthatch config keys";

/// Arguments of `config`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

/// What can be asked of the configuration.
#[derive(Debug, Subcommand)]
enum Action {
    /// Show every setting, as a file would say it (the default)
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print one setting
    Get {
        /// Its name, for example recall.limit
        key: String,
    },
    /// Say where configuration and data are
    Path,
    /// Describe every key there is
    Keys,
}

/// Answers.
pub fn run(args: &ConfigArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let action = args.action.as_ref().unwrap_or(&Action::Show { origin: false });
    // Whoever asks where the files are may be about to mend one.
    match action {
        Action::Keys => return out.answer(&reference(), |out, _| out.text(&show::reference())),
        Action::Path => return path(&Places::from_machine()?, &wiring::find_root(globals)?, out),
        Action::Show { .. } | Action::Get { .. } => {}
    }
    let config = Site::find(globals)?.config;
    match action {
        Action::Show { origin } => {
            let show = if *origin { Show::Origins } else { Show::Values };
            out.answer(&config.to_json(show), |out, _| out.text(&config.to_text(show)))
        }
        Action::Get { key } => get(&config, key, out),
        Action::Path | Action::Keys => Ok(()),
    }
}

fn get(config: &Config, name: &str, out: &mut Output) -> Result<()> {
    let Some(entry) = config.entries().find(|entry| entry.key.name == name) else {
        let error = Error::not_found(format!("there is no key {}", wording::quoted(name)));
        return Err(error.with_hint(match keys::suggestion(name) {
            Some(near) => wording::did_you_mean(near),
            None => "`nuthatch config keys` describes every key".to_owned(),
        }));
    };
    let value = entry.shown().map_or(Value::Null, |value| value.to_json());
    let answer = json!({"key": name, "value": value, "origin": entry.origin.to_string()});
    out.answer(&answer, |out, _| match &value {
        Value::Null => out.note(format_args!("{name} is not set")),
        Value::String(text) => out.line(text),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).try_for_each(|item| out.line(item))
        }
        other => out.line(other),
    })
}

fn path(places: &Places, root: &Root, out: &mut Output) -> Result<()> {
    let project = root.config_file.as_deref();
    let answer = json!({
        "user_file": places.config_file,
        "project_file": project,
        "data_dir": places.data_dir,
    });
    out.answer(&answer, |out, _| {
        out.line(format_args!("user file     {}", places.config_file.display()))?;
        match project {
            Some(file) => out.line(format_args!("project file  {}", file.display()))?,
            None => out.line("project file  none; `nuthatch init` makes one")?,
        }
        out.line(format_args!("data folder   {}", places.data_dir.display()))
    })
}

fn reference() -> Vec<Value> {
    // Without a home the usual place still says more than nothing.
    let data = Places::from_machine()
        .map_or_else(|_| show::USUAL_DATA.to_owned(), |p| p.data_dir.display().to_string());
    let described = table::KEYS.iter().map(|key| {
        json!({
            "key": key.name,
            "help": key.help,
            "takes": key.shape.expected(),
            "default": key.default.map(|default| default.replace("{data}", &data)),
            "env": env::variables(key),
        })
    });
    described.collect()
}
