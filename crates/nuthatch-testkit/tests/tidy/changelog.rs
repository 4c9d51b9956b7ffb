//! The changelog begins with what is being built: `Unreleased`, or the workspace's version.
//!
//! Says nothing about the wording of entries.

use toml::{Table, Value};

use crate::report::{Violation, assert_caught, assert_clean};
use crate::workspace::read;

const PATH: &str = "CHANGELOG.md";

fn check(changelog: &str, manifest: &str) -> Vec<Violation> {
    let Some(version) = workspace_version(manifest) else {
        return vec![Violation::of_file("Cargo.toml", "`workspace.package.version` is missing")];
    };
    let mut lines = (1..).zip(changelog.lines());
    let Some((line, heading)) = lines.find(|(_, line)| line.starts_with("## ")) else {
        return vec![Violation::of_file(PATH, "has no heading of a version")];
    };
    // Both `## 0.1.0` and `## [0.1.0] - 2026-11-15` are usual.
    let first = heading.split_whitespace().nth(1).unwrap_or_default();
    let named = first.trim_matches(['[', ']']);
    if named == "Unreleased" || named == version {
        return Vec::new();
    }
    let message = format!("begins with `{named}`; the workspace is at {version}");
    vec![Violation::at_line(PATH, line, message)]
}

fn workspace_version(manifest: &str) -> Option<String> {
    let manifest: Table = manifest.parse().ok()?;
    let version = manifest.get("workspace")?.get("package")?.get("version");
    version.and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn the_changelog_begins_with_this_version() {
    let manifest = read("Cargo.toml").expect("the workspace has a manifest");
    assert_clean(match read(PATH) {
        Some(changelog) => check(&changelog, &manifest),
        None => vec![Violation::of_file(PATH, "missing")],
    });
}

#[test]
fn an_older_version_and_no_version_are_caught() {
    let manifest = "[workspace.package]\nversion = \"0.2.0\"\n";
    assert_caught(&check("# Changelog\n\n## [0.1.0] - 2026\n", manifest), &["md:3: begins with"]);
    assert_caught(&check("# Changelog\n", manifest), &["no heading"]);
    assert_caught(&check("## 0.1.0\n", ""), &["Cargo.toml: "]);
}

#[test]
fn the_present_version_and_unreleased_pass() {
    let manifest = "[workspace.package]\nversion = \"0.2.0\"\n";
    for heading in ["## 0.2.0", "## [0.2.0] - 2026-11-15", "## Unreleased", "## [Unreleased]"] {
        assert_clean(check(&format!("# Changelog\n\n{heading}\n\n## 0.1.0\n"), manifest));
    }
}
