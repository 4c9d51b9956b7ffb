//! What the configuration promises, told through [`Config::load`] and given inputs.

mod machine;
mod refusals;

use nuthatch::error::Kind;
use serde_json::json;

use nuthatch::limits::Overflow;

use super::settings::RecallMode;
use super::shape::Shape;
use super::table::KEYS;
use super::value::Limit;
use super::*;

const USER_FILE: &str = "/home/alice/.config/nuthatch/config.toml";
const PROJECT_FILE: &str = "/home/alice/code/.nuthatch/config.toml";

/// The sample of the product page, whose values are the defaults.
const SAMPLE: &str = r#"
[stores]
default = "sqlite:~/.local/share/nuthatch/memory.db"   # or backend = "sqlite" and path = "…"
# project = "markdown:.nuthatch/memory"

[limits]
facts = 200            # MEMORY_LIMIT; "none" for no limit
project_chars = 50000
user_chars = 10000
overflow = "refuse"    # or "evict"

[embeddings]
provider = "builtin"   # builtin | openai | ollama | file | none
# base_url, model, dimensions, api_key_env

[recall]
mode = "hybrid"
limit = 10

[context]
budget_tokens = 5000
files = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
sources = []
import_from = []

[memories]             # autonomous memory, §7
enabled = false
max_session_age_days = 30
min_idle_hours = 12
max_sessions_per_run = 64
summary_tokens = 5000
concurrency = 4
lease_seconds = 120
agents = ["claude-code", "codex", "gemini-cli", "opencode", "pi", "goose", "aider", "copilot-cli"]

[models.default]       # extraction; [models.smol] for consolidation
provider = "none"      # none | openai | anthropic | ollama | command
# base_url, model, api_key_env, command = ["claude", "-p"]

[budget]
tokens_per_run = 0     # for paid providers; 0 = nothing is sent
tokens_per_day = 0

[retention]
conversation_days = 30
daily_archive_days = 7
daily_purge_days = 30

[server]
addr = "127.0.0.1:7787"
requests_per_second = 500
drain_seconds = 0

[hooks]
start_ms = 500
prompt_ms = 150
end_ms = 1000

[sandbox]
network = false
read = []
write = []
env = []

[sources]
private_hosts = []
recent_minutes = 15
timeout_seconds = 10
"#;

fn nothing() -> Inputs {
    Inputs { env: BTreeMap::from([("HOME".into(), "/home/alice".into())]), ..Inputs::default() }
}

fn file(path: &str, text: impl AsRef<[u8]>) -> Option<ConfigFile> {
    Some(ConfigFile { path: path.into(), bytes: text.as_ref().to_vec() })
}

fn user(text: &str) -> Inputs {
    Inputs { user: file(USER_FILE, text), ..nothing() }
}

fn project(text: &str) -> Inputs {
    Inputs { project: file(PROJECT_FILE, text), ..nothing() }
}

fn env(variables: &[(&str, &str)]) -> Inputs {
    let mut inputs = nothing();
    inputs.env.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    inputs
}

fn flag(key: &str, value: &str) -> Flag {
    Flag { key: key.into(), value: value.into(), name: "--flag".into() }
}

fn loaded(inputs: &Inputs) -> Config {
    Config::load(inputs).unwrap()
}

/// Kind, message and hint of the error that `inputs` give.
fn refused(inputs: &Inputs) -> (Kind, String) {
    let error = Config::load(inputs).unwrap_err();
    (error.kind(), format!("{error} | {}", error.hint().unwrap_or("")))
}

fn origin(config: &Config, name: &str) -> String {
    config.entries().find(|entry| entry.key.name == name).unwrap().origin.to_string()
}

fn values(config: &Config) -> Vec<(&'static str, Option<Value>)> {
    config.entries().map(|entry| (entry.key.name, entry.value.clone())).collect()
}

/// A value other than the default that the shape accepts as text.
fn other_value(shape: Shape) -> &'static str {
    match shape {
        Shape::Store => "json:/tmp/other.json",
        Shape::Url => "https://models.example/v1",
        Shape::VariableName => "SOME_KEY",
        Shape::Address => "[::1]:8080",
        Shape::Choice(names) => names[1],
        Shape::Choices(names) => names[0],
        Shape::Number { .. } | Shape::Limit { .. } => "3",
        Shape::Switch => "true",
        Shape::Text | Shape::ProjectKey | Shape::List => "other",
        Shape::FileNames => "A.md, B.md",
    }
}

#[test]
fn sample_of_the_product_page_is_the_default() {
    assert_eq!(values(&loaded(&user(SAMPLE))), values(&loaded(&nothing())));
}

#[test]
fn sample_names_every_key_that_has_a_default() {
    let sample = loaded(&user(SAMPLE));
    for entry in sample.entries().filter(|entry| entry.key.default.is_some()) {
        assert_eq!(entry.origin.to_string(), USER_FILE, "{}", entry.key.name);
    }
}

#[test]
fn each_layer_wins_over_the_one_before() {
    let mut inputs = nothing();
    let limit = |inputs: &Inputs| {
        let config = loaded(inputs);
        (config.settings().recall.limit, origin(&config, "recall.limit"))
    };
    assert_eq!(limit(&inputs), (10, "default".into()));
    inputs.user = file(USER_FILE, "[recall]\nlimit = 11");
    assert_eq!(limit(&inputs), (11, USER_FILE.into()));
    inputs.project = file(PROJECT_FILE, "[recall]\nlimit = 12");
    assert_eq!(limit(&inputs), (12, PROJECT_FILE.into()));
    inputs.env.insert("NUTHATCH_RECALL_LIMIT".into(), "13".into());
    assert_eq!(limit(&inputs), (13, "NUTHATCH_RECALL_LIMIT".into()));
    inputs.flags.push(flag("recall.limit", "14"));
    assert_eq!(limit(&inputs), (14, "--flag".into()));
}

#[test]
fn every_key_can_be_set_from_its_environment_variable() {
    let default = loaded(&nothing());
    for key in KEYS {
        let text = other_value(key.shape);
        let config = loaded(&env(&[(&key.variable(), text)]));
        // The other spelling of the default store shows where it counts.
        let shown = match key.name {
            "stores.backend" | "stores.path" => "stores.default",
            name => name,
        };
        assert_eq!(origin(&config, shown), key.variable(), "{}", key.name);
        assert_ne!(config.entries.value(shown), default.entries.value(shown), "{}", key.name);
    }
}

#[test]
fn every_key_can_be_set_by_a_flag() {
    for key in KEYS.iter().filter(|key| !["backend", "path"].contains(&key.leaf())) {
        let flags = vec![flag(key.name, other_value(key.shape))];
        let config = loaded(&Inputs { flags, ..nothing() });
        assert_eq!(origin(&config, key.name), "--flag");
    }
}

#[test]
fn no_two_keys_share_a_name_or_a_variable() {
    let mut names: Vec<String> =
        KEYS.iter().flat_map(env::variables).chain(KEYS.iter().map(|k| k.name.into())).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn sections_of_the_table_stand_together() {
    let mut sections: Vec<&str> = KEYS.iter().map(keys::Key::section).collect();
    sections.dedup();
    let together = sections.len();
    sections.sort_unstable();
    sections.dedup();
    assert_eq!(sections.len(), together);
}

#[test]
fn own_variable_is_stronger_than_the_shared_one() {
    let config = loaded(&env(&[("MEMORY_LIMIT", "5")]));
    assert_eq!(config.settings().rules.project.facts, Limit::At(5));
    assert_eq!(origin(&config, "limits.facts"), "MEMORY_LIMIT");
    let both = loaded(&env(&[("MEMORY_LIMIT", "5"), ("NUTHATCH_LIMITS_FACTS", "6")]));
    assert_eq!(both.settings().rules.project.facts, Limit::At(6));

    let store = |variables: &[(&str, &str)]| loaded(&env(variables)).settings().stores.clone();
    let (path, alias, full) = (
        ("MEMORY_PATH", "a.json"),
        ("NUTHATCH_STORE", "b.db"),
        ("NUTHATCH_STORES_DEFAULT", "c.db"),
    );
    assert_eq!(store(&[path]).default, "a.json");
    assert_eq!(store(&[path, alias]).default, "b.db");
    assert_eq!(store(&[path, alias, full]).default, "c.db");
}

#[test]
fn no_limit_is_the_word_none() {
    let config = loaded(&user("[limits]\nfacts = \"none\"\nproject_chars = 0"));
    assert_eq!(config.settings().rules.project.facts, Limit::None);
    assert_eq!(config.settings().rules.project.project_chars, Limit::At(0));
    assert_eq!(
        loaded(&env(&[("MEMORY_LIMIT", "none")])).settings().rules.project.facts,
        Limit::None
    );
}

#[test]
fn settings_have_types() {
    let config = loaded(&user("[limits]\noverflow = \"evict\"\n[recall]\nmode = \"recent\""));
    assert_eq!(config.settings().rules.project.overflow, Overflow::Evict);
    assert_eq!(config.settings().recall.mode, RecallMode::Recent);
    assert_eq!(config.settings().context.files, ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
    assert_eq!(config.settings().rules.retention.daily_archive_days, Some(7));
}

#[test]
fn project_file_does_not_shrink_what_the_user_keeps_elsewhere() {
    let config = loaded(&project("[limits]\nfacts = 0"));
    let settings = config.settings();
    assert_eq!(settings.rules.project.facts, Limit::At(0));
    assert_eq!(settings.rules.own.facts, Limit::At(200));
    assert_eq!(refused(&project("[retention]\nconversation_days = 0")).0, Kind::Denied);
}

#[test]
fn places_follow_home_and_xdg_and_nuthatch_home() {
    let places = |variables: &[(&str, &str)]| {
        let places = loaded(&env(variables)).places().clone();
        (places.config_file.display().to_string(), places.data_dir.display().to_string())
    };
    let usual = (USER_FILE.to_owned(), "/home/alice/.local/share/nuthatch".to_owned());
    assert_eq!(places(&[]), usual);
    assert_eq!(places(&[("XDG_CONFIG_HOME", ""), ("XDG_DATA_HOME", "not/absolute")]), usual);
    let moved = places(&[("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d")]);
    assert_eq!(moved, ("/c/nuthatch/config.toml".into(), "/d/nuthatch".into()));
    let own = places(&[("XDG_DATA_HOME", "/d"), ("NUTHATCH_HOME", "~/nest")]);
    assert_eq!(own, ("/home/alice/nest/config.toml".into(), "/home/alice/nest".into()));
}

#[test]
fn default_store_lies_in_the_data_folder() {
    let store = |inputs: &Inputs| loaded(inputs).settings().stores.default.clone();
    assert_eq!(store(&nothing()), "sqlite:/home/alice/.local/share/nuthatch/memory.db");
    assert_eq!(store(&env(&[("NUTHATCH_HOME", "/nest")])), "sqlite:/nest/memory.db");
}

#[test]
fn tilde_in_store_paths_is_the_home_folder() {
    let stores = loaded(&user(
        "[stores]\ndefault = \"~/m.db\"\nglobal = \"markdown:~/notes\"\nuser = \"json:a~/b.json\"",
    ));
    assert_eq!(stores.settings().stores.default, "/home/alice/m.db");
    assert_eq!(stores.settings().stores.global.as_deref(), Some("markdown:/home/alice/notes"));
    assert_eq!(stores.settings().stores.user.as_deref(), Some("json:a~/b.json"));
    assert_eq!(refused(&user("[stores]\nuser = \"~bob/m.db\"")).0, Kind::Invalid);
}

#[test]
fn backend_and_path_spell_the_default_store() {
    let store = |text: &str| loaded(&user(text)).settings().stores.default.clone();
    assert_eq!(store("[stores]\nbackend = \"json\"\npath = \"~/m\""), "json:/home/alice/m");
    assert_eq!(store("[stores]\npath = \"m.db\""), "m.db");
    let data = "/home/alice/.local/share/nuthatch";
    assert_eq!(store("[stores]\nbackend = \"sqlite\""), format!("sqlite:{data}/memory.db"));
    assert_eq!(store("[stores]\nbackend = \"markdown\""), format!("markdown:{data}/memory"));
    let url = "postgres://db.example/memory";
    assert_eq!(store(&format!("[stores]\nbackend = \"postgres\"\npath = \"{url}\"")), url);
    assert_eq!(refused(&user("[stores]\nbackend = \"postgres\"")).0, Kind::Invalid);
    let (_, message) = refused(&user("[stores]\nbackend = \"json\"\ndefault = \"m.db\""));
    assert!(message.contains("two spellings"), "{message}");
}

#[test]
fn later_layer_wins_over_either_spelling_of_the_default_store() {
    let spelled = "[stores]\nbackend = \"json\"\npath = \"/m\"";
    let mut inputs = env(&[("NUTHATCH_STORE", "x.db")]);
    inputs.user = file(USER_FILE, spelled);
    assert_eq!(loaded(&inputs).settings().stores.default, "x.db");
    let mut inputs = env(&[("NUTHATCH_STORES_BACKEND", "markdown")]);
    inputs.user = file(USER_FILE, "[stores]\ndefault = \"m.db\"");
    let config = loaded(&inputs);
    assert_eq!(origin(&config, "stores.default"), "NUTHATCH_STORES_BACKEND");
}

#[test]
fn project_file_may_keep_its_store_inside_the_project() {
    for store in ["markdown:.nuthatch/memory", "sub/../notes.json", "sqlite:./m.db"] {
        let config =
            loaded(&project(&format!("[stores]\nproject = \"{store}\"\nplan = \"{store}\"")));
        assert_eq!(config.settings().stores.project.as_deref(), Some(store));
    }
}

#[test]
fn lists_in_variables_are_separated_by_commas() {
    let files =
        |text| loaded(&env(&[("NUTHATCH_CONTEXT_FILES", text)])).settings().context.files.clone();
    assert_eq!(files("A.md, B.md,"), ["A.md", "B.md"]);
    assert_eq!(files(""), [""; 0]);
}

#[test]
fn json_is_nested_or_flat_with_origins() {
    let config = loaded(&user("[limits]\nfacts = \"none\""));
    let nested = config.to_json(Show::Values);
    assert_eq!(nested["limits"]["facts"], json!("none"));
    assert_eq!(nested["models"]["default"]["provider"], json!("none"));
    assert_eq!(nested["embeddings"]["model"], json!(null));
    let flat = config.to_json(Show::Origins);
    assert_eq!(flat["limits.facts"], json!({ "value": "none", "origin": USER_FILE }));
    assert_eq!(flat["recall.limit"], json!({ "value": 10, "origin": "default" }));
}

#[test]
fn text_can_be_read_back_as_a_file() {
    let config = loaded(&user("[models.smol]\ncommand = [\"a \\\"b\", \"c\"]"));
    for show in [Show::Values, Show::Origins] {
        assert_eq!(values(&loaded(&user(&config.to_text(show)))), values(&config));
    }
    let text = config.to_text(Show::Origins);
    assert!(text.contains("\nfacts = 200  # default\n"), "{text}");
    assert!(text.contains(&format!("# from {USER_FILE}\n")), "{text}");
    assert!(text.contains("\n# base_url is not set\n"), "{text}");
}

#[test]
fn reference_tells_of_every_key() {
    let text = show::reference();
    for key in KEYS {
        let row = format!("| `{}` | {} |", key.leaf(), key.help);
        assert!(text.contains(&row) && text.contains(&key.variable()), "{}", key.name);
    }
}
