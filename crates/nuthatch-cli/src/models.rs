//! The chat models of the configuration, by role, with guard and budget in front.
//!
//! Nothing is connected to before the first question; what was spent is in `spend`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nuthatch::error::{Error, Result};
use nuthatch::model::{ChatModel, Guarded};
use nuthatch_models::{ApiKey, ChatEndpoint, ChatWire, CommandModel, RemoteModel, Variables};

use crate::config::Config;
use crate::config::settings::{Model, ModelProvider};
use crate::spend::SpendLog;

/// How long a program may take: coding agents think for minutes.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(900);

/// Opens the model of a role: `default` or `smol`.
///
/// # Errors
/// `invalid` for a role there is not, and where none is configured for it.
pub fn of_role(config: &Config, role: &str) -> Result<Arc<Guarded>> {
    let settings = config.settings();
    let model = match role {
        "default" => &settings.models.default,
        "smol" => &settings.models.smol,
        other => {
            let shown: String = other.chars().take(40).collect();
            return Err(Error::invalid(format!("there is no model role {shown:?}"))
                .with_hint("the roles are default and smol"));
        }
    };
    let opened = open(model)?.ok_or_else(|| {
        Error::invalid("no model is configured").with_hint(
            "set `provider` and `model` in [models.default] of your own configuration file",
        )
    })?;
    Ok(Arc::new(guarded(config, opened)))
}

/// A model with the guard, the budget and the log of what it costs in front of it.
pub fn guarded(config: &Config, model: Arc<dyn ChatModel>) -> Guarded {
    let log = SpendLog::at(&config.places().data_dir);
    Guarded::new(model, config.settings().budget, Arc::new(log))
}

/// The model that is configured, or none where none is wanted.
///
/// # Errors
/// `invalid`, when something about it is missing.
pub fn open(settings: &Model) -> Result<Option<Arc<dyn ChatModel>>> {
    let wire = match settings.provider {
        ModelProvider::None => return Ok(None),
        ModelProvider::Command => {
            let argv = settings.command.clone();
            return Ok(Some(Arc::new(CommandModel::new(argv, Variables::All, PROGRAM_TIMEOUT)?)));
        }
        ModelProvider::OpenAi => ChatWire::OpenAi,
        ModelProvider::Anthropic => ChatWire::Anthropic,
        ModelProvider::Ollama => ChatWire::Ollama,
    };
    let name = settings.model.as_deref().ok_or_else(|| {
        Error::invalid("the chat model has no name").with_hint("name it in `model` of [models.…]")
    })?;
    let mut endpoint = ChatEndpoint::new(wire, name);
    if let Some(url) = &settings.base_url {
        endpoint.base_url.clone_from(url);
    }
    endpoint.api_key = settings.api_key_env.as_deref().map(ApiKey::from_env).transpose()?;
    Ok(Some(Arc::new(RemoteModel::new(endpoint)?)))
}

/// A program that a workspace names as an agent: it sees only the variables it may.
///
/// # Errors
/// `invalid`, when no program is named.
pub fn program(
    argv: Vec<String>,
    variables: Vec<String>,
    timeout: Duration,
    folder: &Path,
) -> Result<Arc<dyn ChatModel>> {
    let model = CommandModel::new(argv, Variables::Only(variables), timeout)?;
    Ok(Arc::new(model.in_folder(PathBuf::from(folder))))
}
