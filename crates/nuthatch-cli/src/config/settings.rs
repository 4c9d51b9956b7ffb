//! The settings that the commands use, with types of their own.
//!
//! A repository may set the limits of its own memory. It must not be able to shrink what
//! the user keeps elsewhere, so the user's own limits are read without the project file.

use std::time::Duration;

use nuthatch::error::{Error, Result};
use nuthatch::limits::{Limits, Overflow, Retention, Rules};
use nuthatch::model::Ceiling;
use nuthatch::recall::Mode;

use super::layers::Entries;
use super::value::Value;

/// How recall searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallMode {
    /// Text and vectors, fused.
    Hybrid,
    /// Words only.
    Text,
    /// The newest first.
    Recent,
    /// Vectors only.
    Vector,
}

impl RecallMode {
    /// The words for them, in the order of [`RecallMode::ALL`].
    pub const NAMES: &[&str] = &["hybrid", "text", "recent", "vector"];
    /// All of them.
    pub const ALL: [RecallMode; 4] =
        [RecallMode::Hybrid, RecallMode::Text, RecallMode::Recent, RecallMode::Vector];

    /// As the library knows it.
    pub fn for_recall(self) -> Mode {
        match self {
            RecallMode::Hybrid => Mode::Hybrid,
            RecallMode::Text => Mode::Text,
            RecallMode::Recent => Mode::Recent,
            RecallMode::Vector => Mode::Vector,
        }
    }
}

/// Store addresses. A relative path in one is taken from the project's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stores {
    /// For every scope that has no store of its own.
    pub default: String,
    pub global: Option<String>,
    pub user: Option<String>,
    pub project: Option<String>,
    pub session: Option<String>,
    pub plan: Option<String>,
}

/// What recall does where the caller says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    pub mode: RecallMode,
    pub limit: usize,
}

/// Who makes vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// The model in the binary.
    Builtin,
    /// An OpenAI-compatible endpoint.
    OpenAi,
    /// Ollama.
    Ollama,
    /// A model from a file.
    File,
    /// Nobody.
    None,
}

impl Provider {
    /// The words for them, in the order of [`Provider::ALL`].
    pub const NAMES: &[&str] = &["builtin", "openai", "ollama", "file", "none"];
    /// All of them.
    pub const ALL: [Provider; 5] =
        [Provider::Builtin, Provider::OpenAi, Provider::Ollama, Provider::File, Provider::None];

    /// The word for it.
    pub fn name(self) -> &'static str {
        let known = Provider::ALL.iter().zip(Provider::NAMES).find(|(one, _)| **one == self);
        known.map_or("none", |(_, name)| name)
    }
}

/// What makes vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embeddings {
    pub provider: Provider,
    pub base_url: Option<String>,
    pub model: Option<String>,
    pub dimensions: Option<usize>,
    pub api_key_env: Option<String>,
}

/// Who answers in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelProvider {
    /// Nobody.
    None,
    /// An OpenAI-compatible endpoint.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Ollama.
    Ollama,
    /// A program.
    Command,
}

impl ModelProvider {
    /// The words for them, in the order of [`ModelProvider::ALL`].
    pub const NAMES: &[&str] = &["none", "openai", "anthropic", "ollama", "command"];
    /// All of them.
    pub const ALL: [ModelProvider; 5] = [
        ModelProvider::None,
        ModelProvider::OpenAi,
        ModelProvider::Anthropic,
        ModelProvider::Ollama,
        ModelProvider::Command,
    ];
}

/// A chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub provider: ModelProvider,
    pub base_url: Option<String>,
    pub model: Option<String>,
    pub api_key_env: Option<String>,
    pub command: Vec<String>,
}

/// Chat models by role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    pub default: Model,
    /// For what is many and small; the default one where it is not set.
    pub smol: Model,
}

/// How context is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Tokens for the memory part.
    pub budget_tokens: usize,
    /// Names of context files.
    pub files: Vec<String>,
    /// Sources that go into every context.
    pub sources: Vec<String>,
    /// Folders that context files may import from.
    pub import_from: Vec<String>,
}

/// What sandboxed commands may do besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    pub network: bool,
    pub read: Vec<String>,
    pub write: Vec<String>,
    pub env: Vec<String>,
}

/// How sources are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    pub private_hosts: Vec<String>,
    pub recent_minutes: u64,
    pub timeout_seconds: u64,
}

/// Autonomous memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memories {
    pub enabled: bool,
    pub max_session_age_days: u64,
    pub min_idle_hours: u64,
    pub max_sessions_per_run: u64,
    pub summary_tokens: u64,
    pub concurrency: u64,
    pub lease_seconds: u64,
    pub agents: Vec<String>,
}

/// How `serve` serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Where it listens.
    pub addr: String,
    /// How often each token may ask, if not as often as it likes.
    pub requests_per_second: Option<u64>,
    /// How long it takes requests after it was told to end.
    pub drain: Duration,
}

/// How long agents wait for their hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hooks {
    pub start: Duration,
    pub prompt: Duration,
    pub end: Duration,
}

/// What the commands need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub stores: Stores,
    /// Limits and retention.
    pub rules: Rules,
    pub embeddings: Embeddings,
    pub recall: Recall,
    pub context: Context,
    pub sandbox: Sandbox,
    pub sources: Sources,
    pub memories: Memories,
    pub models: Models,
    /// What paid models may cost.
    pub budget: Ceiling,
    pub server: Server,
    pub hooks: Hooks,
}

impl Settings {
    /// Takes them out of the merged entries; `of_user` is merged without the project file.
    pub fn new(entries: &Entries, of_user: &Entries) -> Result<Settings> {
        Ok(Settings {
            stores: stores(entries)?,
            rules: Rules {
                own: limits(of_user)?,
                project: limits(entries)?,
                retention: retention(of_user)?,
            },
            embeddings: Embeddings {
                provider: chosen(entries, "embeddings.provider", Provider::NAMES, &Provider::ALL)?,
                base_url: entries.optional_text("embeddings.base_url"),
                model: entries.optional_text("embeddings.model"),
                dimensions: size(entries, "embeddings.dimensions").ok(),
                api_key_env: entries.optional_text("embeddings.api_key_env"),
            },
            recall: Recall {
                mode: chosen(entries, "recall.mode", RecallMode::NAMES, &RecallMode::ALL)?,
                limit: size(entries, "recall.limit")?,
            },
            context: Context {
                budget_tokens: size(entries, "context.budget_tokens")?,
                files: entries.list("context.files")?,
                sources: entries.list("context.sources")?,
                import_from: entries.list("context.import_from")?,
            },
            sandbox: Sandbox {
                network: matches!(entries.value("sandbox.network"), Some(Value::Switch(true))),
                read: entries.list("sandbox.read")?,
                write: entries.list("sandbox.write")?,
                env: entries.list("sandbox.env")?,
            },
            sources: Sources {
                private_hosts: entries.list("sources.private_hosts")?,
                recent_minutes: entries.number("sources.recent_minutes")?,
                timeout_seconds: entries.number("sources.timeout_seconds")?,
            },
            memories: memories(entries)?,
            models: models(entries)?,
            budget: Ceiling {
                per_run: entries.number("budget.tokens_per_run")?,
                per_day: entries.number("budget.tokens_per_day")?,
            },
            server: Server {
                addr: entries.text("server.addr")?,
                requests_per_second: entries.limit("server.requests_per_second")?.bound(),
                drain: Duration::from_secs(entries.number("server.drain_seconds")?),
            },
            hooks: Hooks {
                start: Duration::from_millis(entries.number("hooks.start_ms")?),
                prompt: Duration::from_millis(entries.number("hooks.prompt_ms")?),
                end: Duration::from_millis(entries.number("hooks.end_ms")?),
            },
        })
    }
}

fn stores(entries: &Entries) -> Result<Stores> {
    Ok(Stores {
        default: entries.text("stores.default")?,
        global: entries.optional_text("stores.global"),
        user: entries.optional_text("stores.user"),
        project: entries.optional_text("stores.project"),
        session: entries.optional_text("stores.session"),
        plan: entries.optional_text("stores.plan"),
    })
}

fn memories(entries: &Entries) -> Result<Memories> {
    let number = |name: &str| entries.number(&format!("memories.{name}"));
    Ok(Memories {
        enabled: matches!(entries.value("memories.enabled"), Some(Value::Switch(true))),
        max_session_age_days: number("max_session_age_days")?,
        min_idle_hours: number("min_idle_hours")?,
        max_sessions_per_run: number("max_sessions_per_run")?,
        summary_tokens: number("summary_tokens")?,
        concurrency: number("concurrency")?,
        lease_seconds: number("lease_seconds")?,
        agents: entries.list("memories.agents")?,
    })
}

fn models(entries: &Entries) -> Result<Models> {
    let default = model(entries, "default")?;
    let is_set = entries.optional_text("models.smol.provider").is_some();
    let smol = if is_set { model(entries, "smol")? } else { default.clone() };
    Ok(Models { default, smol })
}

fn model(entries: &Entries, role: &str) -> Result<Model> {
    let key = |leaf: &str| format!("models.{role}.{leaf}");
    let provider = chosen(entries, &key("provider"), ModelProvider::NAMES, &ModelProvider::ALL)?;
    Ok(Model {
        provider,
        base_url: entries.optional_text(&key("base_url")),
        model: entries.optional_text(&key("model")),
        api_key_env: entries.optional_text(&key("api_key_env")),
        command: entries.list(&key("command")).unwrap_or_default(),
    })
}

fn limits(entries: &Entries) -> Result<Limits> {
    Ok(Limits {
        facts: entries.limit("limits.facts")?,
        project_chars: entries.limit("limits.project_chars")?,
        user_chars: entries.limit("limits.user_chars")?,
        overflow: chosen(entries, "limits.overflow", &Overflow::NAMES, &Overflow::ALL)?,
    })
}

fn retention(entries: &Entries) -> Result<Retention> {
    let days = |name: &str| -> Result<Option<u32>> {
        Ok(entries.limit(name)?.bound().and_then(|days| u32::try_from(days).ok()))
    };
    Ok(Retention {
        conversation_days: days("retention.conversation_days")?,
        daily_archive_days: days("retention.daily_archive_days")?,
        daily_purge_days: days("retention.daily_purge_days")?,
    })
}

fn size(entries: &Entries, name: &str) -> Result<usize> {
    Ok(usize::try_from(entries.number(name)?).unwrap_or(usize::MAX))
}

/// The value whose name was chosen; `names` and `all` have the same order.
fn chosen<T: Copy>(entries: &Entries, name: &str, names: &[&str], all: &[T]) -> Result<T> {
    let text = entries.text(name)?;
    names
        .iter()
        .zip(all)
        .find(|(known, _)| **known == text)
        .map(|(_, value)| *value)
        .ok_or_else(|| Error::internal(format!("{name} has a choice without a meaning")))
}
