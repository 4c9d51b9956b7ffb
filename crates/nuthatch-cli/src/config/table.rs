//! Every configuration key, as data.
//!
//! This is the only list of keys there is. Order and grouping are those of
//! `nuthatch config show`; keys of one section stand together.

use nuthatch::limits::Overflow;

use super::keys::Key;
use super::keys::ProjectFile::{AloneMaySet, MayNotSet, MaySetInside};
use super::settings::{ModelProvider, Provider, RecallMode};
use super::shape::Shape::{
    self, Address, Choice, Choices, FileNames, Limit, List, Number, ProjectKey, Store, Switch,
    Text, Url, VariableName,
};
use super::stores::BACKENDS;

/// Nothing is assumed where the user says nothing.
const UNSET: Option<&str> = None;

/// TOML's integers are signed: what is accepted can be written back.
const MOST: u64 = i64::MAX as u64;

/// A hundred years: dates further away leave the calendar.
const MOST_DAYS: u64 = 36_500;

/// The agents whose sessions can be read.
const AGENTS: &[&str] =
    &["claude-code", "codex", "gemini-cli", "opencode", "pi", "goose", "aider", "copilot-cli"];

const ANY_NUMBER: Shape = Number { min: 0, max: MOST };
const POSITIVE: Shape = Number { min: 1, max: MOST };
/// Agents give up on a hook after some seconds at the latest; a minute is for slow machines.
const HASTE: Shape = Number { min: 1, max: 60_000 };
const DAYS: Shape = Limit { max: MOST_DAYS };

/// Every key there is.
pub const KEYS: &[Key] = &[
    Key::new("stores.default", Store, Some("sqlite:{data}/memory.db"), "where memories are kept")
        .project_file(MayNotSet)
        .aliases(&["NUTHATCH_STORE", "MEMORY_PATH"]),
    Key::new("stores.backend", Choice(BACKENDS), UNSET, "with path: another spelling of default")
        .project_file(MayNotSet),
    Key::new("stores.path", Store, UNSET, "with backend: another spelling of default")
        .project_file(MayNotSet),
    Key::new("stores.global", Store, UNSET, "a store of its own for the scope global")
        .project_file(MayNotSet),
    Key::new("stores.user", Store, UNSET, "a store of its own for the scope user")
        .project_file(MayNotSet),
    Key::new("stores.project", Store, UNSET, "a store of its own for the scope project")
        .project_file(MaySetInside),
    Key::new("stores.session", Store, UNSET, "a store of its own for the scope session")
        .project_file(MayNotSet),
    Key::new("stores.plan", Store, UNSET, "a store of its own for the scope plan")
        .project_file(MaySetInside),
    Key::new("limits.facts", Limit { max: MOST }, Some("200"), "how many facts are kept")
        .aliases(&["MEMORY_LIMIT"]),
    Key::new(
        "limits.project_chars",
        Limit { max: MOST },
        Some("50000"),
        "characters of project notes",
    ),
    Key::new(
        "limits.user_chars",
        Limit { max: MOST },
        Some("10000"),
        "characters of the user profile",
    ),
    Key::new(
        "limits.overflow",
        Choice(&Overflow::NAMES),
        Some("refuse"),
        "what happens when notes are full",
    ),
    Key::new("embeddings.provider", Choice(Provider::NAMES), Some("builtin"), "who makes vectors")
        .project_file(MayNotSet),
    Key::new("embeddings.base_url", Url, UNSET, "address of the embeddings endpoint")
        .project_file(MayNotSet),
    // A changed model invalidates every vector of the user's store, so it is the user's.
    Key::new("embeddings.model", Text, UNSET, "embedding model, as its provider names it")
        .project_file(MayNotSet),
    Key::new("embeddings.dimensions", POSITIVE, UNSET, "length of a vector")
        .project_file(MayNotSet),
    Key::new("embeddings.api_key_env", VariableName, UNSET, "variable that holds the API key")
        .project_file(MayNotSet),
    Key::new("recall.mode", Choice(RecallMode::NAMES), Some("hybrid"), "how recall searches"),
    Key::new("recall.limit", POSITIVE, Some("10"), "how many hits recall returns"),
    Key::new("context.budget_tokens", ANY_NUMBER, Some("5000"), "tokens for the memory part"),
    Key::new(
        "context.files",
        FileNames,
        Some("AGENTS.md,CLAUDE.md,GEMINI.md"),
        "names of context files",
    ),
    Key::new("context.sources", List, Some(""), "sources that go into every context"),
    Key::new("context.import_from", List, Some(""), "folders that context files may import from")
        .project_file(MayNotSet),
    Key::new("memories.enabled", Switch, Some("false"), "learn from sessions by itself"),
    Key::new(
        "memories.max_session_age_days",
        Number { min: 0, max: MOST_DAYS },
        Some("30"),
        "sessions older than this are skipped",
    ),
    Key::new(
        "memories.min_idle_hours",
        Number { min: 0, max: MOST_DAYS * 24 },
        Some("12"),
        "sessions active more recently are skipped",
    ),
    Key::new("memories.max_sessions_per_run", ANY_NUMBER, Some("64"), "sessions read per start"),
    Key::new("memories.summary_tokens", ANY_NUMBER, Some("5000"), "tokens of memory_summary.md"),
    Key::new(
        "memories.concurrency",
        Number { min: 1, max: 64 },
        Some("4"),
        "sessions extracted at once",
    ),
    Key::new(
        "memories.lease_seconds",
        Number { min: 1, max: 86_400 },
        Some("120"),
        "how long a job belongs to its worker",
    ),
    Key::new(
        "memories.agents",
        Choices(AGENTS),
        Some("claude-code,codex,gemini-cli,opencode,pi,goose,aider,copilot-cli"),
        "agents whose sessions are read",
    ),
    Key::new(
        "models.default.provider",
        Choice(ModelProvider::NAMES),
        Some("none"),
        "who extracts memories from sessions",
    )
    .project_file(MayNotSet),
    Key::new("models.default.base_url", Url, UNSET, "address of the model's endpoint")
        .project_file(MayNotSet),
    Key::new("models.default.model", Text, UNSET, "model, as its provider names it")
        .project_file(MayNotSet),
    Key::new("models.default.api_key_env", VariableName, UNSET, "variable that holds the API key")
        .project_file(MayNotSet),
    Key::new("models.default.command", List, UNSET, "command of the provider command")
        .project_file(MayNotSet),
    Key::new(
        "models.smol.provider",
        Choice(ModelProvider::NAMES),
        UNSET,
        "who consolidates; where not set, models.default does",
    )
    .project_file(MayNotSet),
    Key::new("models.smol.base_url", Url, UNSET, "address of the model's endpoint")
        .project_file(MayNotSet),
    Key::new("models.smol.model", Text, UNSET, "model, as its provider names it")
        .project_file(MayNotSet),
    Key::new("models.smol.api_key_env", VariableName, UNSET, "variable that holds the API key")
        .project_file(MayNotSet),
    Key::new("models.smol.command", List, UNSET, "command of the provider command")
        .project_file(MayNotSet),
    Key::new("budget.tokens_per_run", ANY_NUMBER, Some("0"), "tokens a paid model may cost a run")
        .project_file(MayNotSet),
    Key::new("budget.tokens_per_day", ANY_NUMBER, Some("0"), "tokens a paid model may cost a day")
        .project_file(MayNotSet),
    Key::new(
        "retention.conversation_days",
        DAYS,
        Some("30"),
        "days until conversation memories are purged",
    )
    .project_file(MayNotSet),
    Key::new(
        "retention.daily_archive_days",
        DAYS,
        Some("7"),
        "days until daily memories are archived",
    )
    .project_file(MayNotSet),
    Key::new(
        "retention.daily_purge_days",
        DAYS,
        Some("30"),
        "days until daily memories are purged",
    )
    .project_file(MayNotSet),
    Key::new("server.addr", Address, Some("127.0.0.1:7787"), "where nuthatch serve listens")
        .project_file(MayNotSet),
    Key::new(
        "server.requests_per_second",
        Limit { max: 1_000_000 },
        Some("500"),
        "requests a second that one token may make of one process",
    )
    .project_file(MayNotSet),
    Key::new(
        "server.drain_seconds",
        Number { min: 0, max: 300 },
        Some("0"),
        "how long nuthatch serve takes requests, not ready, once it is told to end",
    )
    .project_file(MayNotSet),
    Key::new("hooks.start_ms", HASTE, Some("500"), "how long a session that begins may wait")
        .project_file(MayNotSet),
    Key::new("hooks.prompt_ms", HASTE, Some("150"), "how long a prompt may wait")
        .project_file(MayNotSet),
    Key::new("hooks.end_ms", HASTE, Some("1000"), "how long the end of a session may wait")
        .project_file(MayNotSet),
    Key::new("sandbox.network", Switch, Some("false"), "whether sandboxed commands have network")
        .project_file(MayNotSet),
    Key::new("sandbox.read", List, Some(""), "what sandboxed commands may read besides")
        .project_file(MayNotSet),
    Key::new("sandbox.write", List, Some(""), "what sandboxed commands may write besides")
        .project_file(MayNotSet),
    Key::new("sandbox.env", List, Some(""), "variables that sandboxed commands get besides")
        .project_file(MayNotSet),
    Key::new(
        "sources.private_hosts",
        List,
        Some(""),
        "servers of a private network that are asked",
    )
    .project_file(MayNotSet),
    Key::new(
        "sources.recent_minutes",
        Number { min: 0, max: 525_600 },
        Some("15"),
        "how long an answer is given again",
    )
    .project_file(MayNotSet),
    Key::new(
        "sources.timeout_seconds",
        Number { min: 1, max: 300 },
        Some("10"),
        "how long a source may take",
    )
    .project_file(MayNotSet),
    Key::new("project.key", ProjectKey, UNSET, "the project's name, instead of its git identity")
        .project_file(AloneMaySet),
];
