//! What the configuration refuses, and how it says so.

use nuthatch::error::Kind;
use proptest::prelude::*;

use super::*;

#[test]
fn no_home_at_all_is_an_error_with_a_hint() {
    let (kind, message) = refused(&Inputs::default());
    assert_eq!(kind, Kind::Unavailable);
    assert!(message.contains("HOME") && message.contains("NUTHATCH_HOME"), "{message}");
    let env = BTreeMap::from([("NUTHATCH_HOME".to_owned(), "/nest".to_owned())]);
    loaded(&Inputs { env: env.clone(), ..Inputs::default() });
    let tilde = Inputs {
        env,
        user: file("/nest/config.toml", "[stores]\nuser = \"~/u.db\""),
        ..Inputs::default()
    };
    assert_eq!(refused(&tilde).0, Kind::Invalid);
}

#[test]
fn unknown_key_names_file_line_and_nearest_key() {
    let (kind, message) = refused(&user("[limits]\n\nfact = 3"));
    assert_eq!(kind, Kind::Invalid);
    assert!(message.contains("\"limits.fact\""), "{message}");
    assert!(message.contains("config.toml, line 3"), "{message}");
    assert!(message.contains("did you mean \"limits.facts\"?"), "{message}");
}

#[test]
fn nearest_name_is_found_across_sections_and_not_forced() {
    let hint = |text: &str| refused(&user(text)).1;
    assert!(hint("[limit]\nfacts = 3").contains("\"limits\""));
    assert!(hint("[recall]\nbudget_tokens = 3").contains("\"context.budget_tokens\""));
    assert!(hint("[models.defualt]\nprovider = \"none\"").contains("\"models.default\""));
    assert!(hint("[context]\nbudget-tokens = 3").contains("\"context.budget_tokens\""));
    assert!(hint("[zzzzzz]\nqqq = 3").contains("config show"));
}

#[test]
fn first_mistake_of_a_file_is_the_one_reported() {
    let (_, message) = refused(&user("[recall]\nlimit = 0\n[budget]\nx = 1"));
    assert!(message.contains("recall.limit"), "{message}");
}

#[test]
fn wrong_type_says_what_was_expected_and_found() {
    for (text, expected, found) in [
        ("[limits]\nfacts = \"many\"", "a whole number, or \"none\"", "\"many\""),
        ("[limits]\nfacts = -1", "a whole number", "-1"),
        ("[recall]\nlimit = 0", "a whole number from 1 up", "found 0"),
        ("[recall]\nlimit = 1.5", "a whole number", "a number"),
        (
            "[recall]\nmode = \"fuzzy\"",
            "\"hybrid\", \"text\", \"recent\" or \"vector\"",
            "\"fuzzy\"",
        ),
        ("[memories]\nenabled = \"yes\"", "true or false", "\"yes\""),
        ("[context]\nfiles = \"AGENTS.md\"", "a list of file names", "AGENTS.md"),
        ("[context]\nfiles = [\"../x.md\"]", "without folders", "../x.md"),
        ("[memories]\nagents = [\"claude\"]", "\"claude-code\"", "\"claude\""),
        ("[server]\naddr = \"everywhere\"", "127.0.0.1:7787", "everywhere"),
        ("[models.default]\ncommand = [\"a\", 1]", "a list of texts", "something else"),
        ("limits = 3", "section", "[limits]"),
    ] {
        let (kind, message) = refused(&user(text));
        assert_eq!(kind, Kind::Invalid, "{text}");
        assert!(message.contains(expected) && message.contains(found), "{text}: {message}");
    }
}

#[test]
fn what_may_be_a_secret_is_not_repeated() {
    for text in [
        "[embeddings]\napi_key_env = \"sk-hunter2\"",
        "[models.smol]\nbase_url = \"ftp://a:hunter2@b\"",
        "[stores]\nbackend = \"json\"\npath = \"postgres://a:hunter2@b/c\"",
    ] {
        assert!(!refused(&user(text)).1.contains("hunter2"), "{text}");
    }
    let config = loaded(&user(
        "[stores]\ndefault = \"postgres://a:hunter2@b/c?sslmode=require&password=hunter2\"",
    ));
    let shown = config.to_json(Show::Origins).to_string() + &config.to_text(Show::Values);
    assert!(shown.contains("postgres://a:***@b/c?sslmode=require&password=***"), "{shown}");
    assert!(!shown.contains("hunter2"));
    assert!(config.settings().stores.default.contains("hunter2"));
}

#[test]
fn foreign_text_in_errors_is_made_harmless() {
    let (_, message) = refused(&project("\"a\\u001b[31m\" = 1"));
    assert!(!message.contains('\u{1b}'), "{message}");
    let (_, long) = refused(&project(&format!("{} = 1", "x".repeat(100_000))));
    assert!(long.len() < 300);
}

#[test]
fn project_file_may_not_set_what_is_the_users() {
    let denied = KEYS.iter().filter(|k| k.project_file == keys::ProjectFile::MayNotSet);
    let mut sections = Vec::new();
    for key in denied {
        sections.push(key.section());
        let (kind, message) =
            refused(&project(&format!("[{}]\n{} = 1", key.section(), key.leaf())));
        assert_eq!(kind, Kind::Denied, "{}", key.name);
        for part in [key.name, PROJECT_FILE, "your own configuration file"] {
            assert!(message.contains(part), "{message}");
        }
    }
    for section in
        ["models.default", "models.smol", "budget", "sandbox", "server", "embeddings", "retention"]
    {
        let all = KEYS.iter().filter(|key| key.section() == section).count();
        assert_eq!(sections.iter().filter(|found| **found == section).count(), all, "{section}");
    }
}

#[test]
fn project_file_may_not_lead_a_store_elsewhere() {
    for store in [
        "markdown:/etc",
        "/tmp/x.db",
        "~/x.db",
        "json:~/x.json",
        "../x.db",
        "markdown:a/../../b",
        "postgres://evil.example/db",
        "sqlite:file:/etc/x",
        "json:.git/config",
        "json:sub/.GIT/config",
    ] {
        let (kind, message) = refused(&project(&format!("[stores]\nproject = \"{store}\"")));
        assert_eq!(kind, Kind::Denied, "{store}");
        assert!(message.contains("stores.project"), "{message}");
        loaded(&user(&format!("[stores]\nproject = \"{store}\"")));
    }
}

#[test]
fn store_of_an_unknown_kind_is_refused_where_it_is_named() {
    for address in ["foo:bar", "https://me:hunter2@evil.example/db", "memory:x", "sqllite:x.db"] {
        let (kind, message) = refused(&user(&format!("[stores]\ndefault = \"{address}\"")));
        assert_eq!(kind, Kind::Invalid, "{address}");
        for part in ["\"stores.default\" in", "config.toml, line 2", "not a store: "] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("hunter2"), "{message}");
    }
    for address in ["memory:", "a.db", "notes", "./a:b", "C:x.db", "~/a.json", "postgres://h/d"] {
        loaded(&user(&format!("[stores]\ndefault = \"{address}\"")));
    }
}

#[test]
fn two_spellings_of_one_store_are_both_named() {
    let both = [("NUTHATCH_STORES_BACKEND", "json"), ("NUTHATCH_STORE", "b.db")];
    let (kind, message) = refused(&env(&both));
    assert_eq!(kind, Kind::Invalid);
    for part in ["stores.default is set by NUTHATCH_STORE,", "NUTHATCH_STORES_BACKEND"] {
        assert!(message.contains(part), "{message}");
    }
    let (_, message) = refused(&user("[stores]\ndefault = \"a.db\"\nbackend = \"json\""));
    assert!(message.contains("are both set by"), "{message}");
}

#[test]
fn project_key_belongs_into_the_project_file() {
    let config = loaded(&project("[project]\nkey = \"nut-hatch_1.0\""));
    assert_eq!(config.project_key().as_deref(), Some("nut-hatch_1.0"));
    assert_eq!(refused(&user("[project]\nkey = \"mine\"")).0, Kind::Invalid);
    for bad in ["", "-x", ".x", "a/b", "ä", &"x".repeat(65)] {
        assert_eq!(refused(&project(&format!("[project]\nkey = \"{bad}\""))).0, Kind::Invalid);
    }
}

#[test]
fn variable_that_cannot_be_read_is_an_error() {
    for (variable, value) in [
        ("NUTHATCH_RECALL_LIMIT", "ten"),
        ("NUTHATCH_RECALL_LIMIT", ""),
        ("NUTHATCH_LIMITS_OVERFLOW", "evit"),
        ("NUTHATCH_MEMORIES_ENABLED", "maybe"),
        ("MEMORY_LIMIT", "-1"),
        ("MEMORY_PATH", ""),
        ("NUTHATCH_HOME", ""),
    ] {
        let (kind, message) = refused(&env(&[(variable, value)]));
        assert_eq!(kind, Kind::Invalid);
        assert!(message.contains(variable), "{message}");
    }
}

#[test]
fn unknown_variable_is_an_error_that_names_the_nearest() {
    let (kind, message) = refused(&env(&[("NUTHATCH_RECAL_LIMIT", "3")]));
    assert_eq!(kind, Kind::Invalid);
    assert!(message.contains("did you mean \"NUTHATCH_RECALL_LIMIT\"?"), "{message}");
    assert!(!refused(&env(&[("NUTHATCH_XYZZY", "3")])).1.contains("did you mean"));
    loaded(&env(&[("NUTHATCH_LOG", "debug"), ("NUTHATCH_TEST_X", "1"), ("OTHER", "1")]));
}

#[test]
fn file_that_is_not_text_or_not_toml_is_described() {
    let bytes = b"[recall]\nlimit = 1 # \xff";
    let (kind, message) = refused(&Inputs { user: file(USER_FILE, bytes), ..nothing() });
    assert_eq!(kind, Kind::Invalid);
    assert!(message.contains("line 2, column 13") && message.contains("UTF-8"), "{message}");
    let (_, message) = refused(&user("[recall]\nlimit = = 1"));
    assert!(message.contains(USER_FILE) && message.contains("line 2, column 9"), "{message}");
    assert!(message.contains("it was not changed"), "{message}");
    assert!(!message.contains('\n'));
    loaded(&user("\u{feff}[recall]\r\nlimit = 1\r\n"));
}

#[test]
fn flag_with_an_unknown_key_is_an_error() {
    let flags = vec![flag("recall.limits", "3")];
    let (kind, message) = refused(&Inputs { flags, ..nothing() });
    assert_eq!(kind, Kind::Invalid);
    assert!(message.contains("\"recall.limit\""), "{message}");
}

fn near_toml() -> impl Strategy<Value = String> {
    let names = KEYS.iter().flat_map(|key| [key.leaf(), key.section()]).collect::<Vec<_>>();
    let name = prop_oneof![proptest::sample::select(names).prop_map(String::from), "[a-z.\"]{1,8}"];
    let value =
        prop_oneof!["-?[0-9]{1,22}", "\"[^\"\\\\]{0,12}\"", "true", "\\[.{0,8}\\]", "\\PC{0,8}"];
    let line = prop_oneof![
        name.clone().prop_map(|name| format!("[{name}]")),
        (name, value).prop_map(|(name, value)| format!("{name} = {value}")),
    ];
    proptest::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in prop_oneof![near_toml(), "(?s).{0,80}"]) {
        let _ = Config::load(&user(&text));
        let _ = Config::load(&project(&text));
    }

    #[test]
    fn no_variable_makes_it_panic(index in 0..KEYS.len(), value in "(?s).{0,40}") {
        let _ = Config::load(&env(&[(&KEYS[index].variable(), &value)]));
    }

    #[test]
    fn store_that_a_project_names_never_climbs_out(path in "[a./~:]{0,12}") {
        if let Some(inside) = stores::relative_path(&path) {
            let plain = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(inside.components().all(plain));
        }
    }
}
