//! Every command has a recording of its whole output, a test of its errors and examples.
//!
//! The table names test functions, so a test that is removed does not compile, and a
//! command that is added fails until it stands here.

use crate::sandbox::Sandbox;

/// A command, the test with its recording, the test with its errors.
type Covered = (&'static str, fn(), fn());

const COMMANDS: &[Covered] = &[
    ("tour", crate::tour::output_is_as_recorded, crate::tour::errors_have_a_code_and_a_shape),
    (
        "remember",
        crate::remember::output_is_as_recorded,
        crate::remember::errors_have_a_code_and_a_shape,
    ),
    ("recall", crate::recall::output_is_as_recorded, crate::recall::errors_have_a_code_and_a_shape),
    ("record", crate::record::output_is_as_recorded, crate::record::errors_have_a_code_and_a_shape),
    ("list", crate::list::output_is_as_recorded, crate::list::errors_have_a_code_and_a_shape),
    ("show", crate::show::output_is_as_recorded, crate::show::errors_have_a_code_and_a_shape),
    ("edit", crate::edit::output_is_as_recorded, crate::edit::errors_have_a_code_and_a_shape),
    ("forget", crate::forget::output_is_as_recorded, crate::forget::errors_have_a_code_and_a_shape),
    ("review", crate::review::output_is_as_recorded, crate::review::errors_have_a_code_and_a_shape),
    (
        "profile",
        crate::profile::output_is_as_recorded,
        crate::profile::errors_have_a_code_and_a_shape,
    ),
    (
        "preamble",
        crate::preamble::output_is_as_recorded,
        crate::preamble::errors_have_a_code_and_a_shape,
    ),
    ("learn", crate::learn::output_is_as_recorded, crate::learn::errors_have_a_code_and_a_shape),
    ("memory", crate::memory::output_is_as_recorded, crate::memory::errors_have_a_code_and_a_shape),
    ("read", crate::read::output_is_as_recorded, crate::read::errors_have_a_code_and_a_shape),
    ("dev", crate::dev::output_is_as_recorded, crate::dev::errors_have_a_code_and_a_shape),
    ("export", crate::export::output_is_as_recorded, crate::export::errors_have_a_code_and_a_shape),
    ("import", crate::import::output_is_as_recorded, crate::import::errors_have_a_code_and_a_shape),
    ("stats", crate::stats::output_is_as_recorded, crate::stats::errors_have_a_code_and_a_shape),
    (
        "reindex",
        crate::reindex::output_is_as_recorded,
        crate::reindex::errors_have_a_code_and_a_shape,
    ),
    (
        "context",
        crate::context::output_is_as_recorded,
        crate::context::errors_have_a_code_and_a_shape,
    ),
    ("step", crate::step::output_is_as_recorded, crate::step::errors_have_a_code_and_a_shape),
    ("craft", crate::craft::output_is_as_recorded, crate::craft::errors_have_a_code_and_a_shape),
    ("chat", crate::chat::output_is_as_recorded, crate::chat::errors_have_a_code_and_a_shape),
    ("run", crate::run::output_is_as_recorded, crate::run::errors_have_a_code_and_a_shape),
    ("plan", crate::plan::output_is_as_recorded, crate::plan::errors_have_a_code_and_a_shape),
    (
        "history",
        crate::history::output_is_as_recorded,
        crate::history::errors_have_a_code_and_a_shape,
    ),
    (
        "sessions",
        crate::sessions::output_is_as_recorded,
        crate::sessions::errors_have_a_code_and_a_shape,
    ),
    ("mcp", crate::mcp::output_is_as_recorded, crate::mcp::errors_have_a_code_and_a_shape),
    ("serve", crate::serve::output_is_as_recorded, crate::serve::errors_have_a_code_and_a_shape),
    ("token", crate::token::output_is_as_recorded, crate::token::errors_have_a_code_and_a_shape),
    ("ui", crate::ui::output_is_as_recorded, crate::ui::errors_have_a_code_and_a_shape),
    ("hook", crate::hook::output_is_as_recorded, crate::hook::errors_have_a_code_and_a_shape),
    (
        "install",
        crate::install::output_is_as_recorded,
        crate::install::errors_have_a_code_and_a_shape,
    ),
    (
        "uninstall",
        crate::uninstall::output_is_as_recorded,
        crate::uninstall::errors_have_a_code_and_a_shape,
    ),
    ("doctor", crate::doctor::output_is_as_recorded, crate::doctor::errors_have_a_code_and_a_shape),
    (
        "migrate",
        crate::migrate::output_is_as_recorded,
        crate::migrate::errors_have_a_code_and_a_shape,
    ),
    ("sync", crate::sync::output_is_as_recorded, crate::sync::errors_have_a_code_and_a_shape),
    ("model", crate::model::output_is_as_recorded, crate::model::errors_have_a_code_and_a_shape),
    ("config", crate::config::output_is_as_recorded, crate::config::errors_have_a_code_and_a_shape),
    ("init", crate::init::output_is_as_recorded, crate::init::errors_have_a_code_and_a_shape),
    ("scan", crate::scan::output_is_as_recorded, crate::scan::errors_have_a_code_and_a_shape),
    ("audit", crate::audit::output_is_as_recorded, crate::audit::errors_have_a_code_and_a_shape),
    (
        "completions",
        crate::completions::output_is_as_recorded,
        crate::completions::errors_have_a_code_and_a_shape,
    ),
    ("man", crate::man::output_is_as_recorded, crate::man::errors_have_a_code_and_a_shape),
];

/// The commands that the binary itself lists.
pub(crate) fn commands() -> Vec<String> {
    let help = Sandbox::new().line("--help").ok().stdout;
    let listed = help.split("Commands:\n").nth(1).expect("help lists commands");
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_is_covered_and_nothing_else() {
    let covered: Vec<&str> = COMMANDS.iter().map(|(name, _, _)| *name).collect();
    assert_eq!(commands(), covered);
}
