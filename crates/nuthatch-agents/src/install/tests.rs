//! Machines with nothing, with somebody's files and with broken ones: in, out, and not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::agent::Agent;
use crate::recipe::{Homes, Program, Reach, targets};

struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        Machine { folder }
    }

    fn targets(&self, agent: Agent, reach: Reach) -> Vec<Target> {
        let homes = Homes {
            home: self.folder.path().join("home"),
            project: self.folder.path().join("project"),
            variables: BTreeMap::new(),
        };
        targets(agent, reach, &homes, &Program("/opt/my tools/nuthatch".to_owned()))
    }

    fn installer(&self) -> Installer {
        Installer::at(self.folder.path().join("data/connected"))
    }

    /// Every file and folder outside the data, with bytes and permissions.
    fn snapshot(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        for part in ["home", "project"] {
            walk(&self.folder.path().join(part), &mut found);
        }
        found
    }

    fn install(&self, agent: Agent, reach: Reach) -> Result<Vec<Change>> {
        let changes = self.installer().install(&self.targets(agent, reach))?;
        self.installer().commit(&changes)?;
        Ok(changes)
    }

    fn uninstall(&self, agent: Agent, reach: Reach) -> Result<Vec<Change>> {
        let changes = self.installer().uninstall(&self.targets(agent, reach))?;
        self.installer().commit(&changes)?;
        Ok(changes)
    }

    fn states(&self, agent: Agent, reach: Reach) -> Vec<Verdict> {
        self.installer().check(&self.targets(agent, reach)).iter().map(|c| c.state).collect()
    }
}

fn walk(path: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(path).unwrap().flatten() {
        let name = entry.path().display().to_string();
        if entry.file_type().unwrap().is_dir() {
            found.insert(format!("{name}/"), Vec::new());
            walk(&entry.path(), found);
        } else {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

fn every() -> impl Iterator<Item = (Agent, Reach)> {
    Agent::ALL.into_iter().flat_map(|agent| [(agent, Reach::User), (agent, Reach::Project)])
}

#[test]
fn a_machine_with_nothing_has_nothing_again_afterwards() {
    for (agent, reach) in every() {
        let machine = Machine::new();
        assert!(machine.states(agent, reach).iter().all(|s| *s == Verdict::Missing));
        let made = machine.install(agent, reach).unwrap();
        assert!(made.iter().all(|change| change.verb() == "made"), "{agent}");
        assert!(machine.states(agent, reach).iter().all(|s| *s == Verdict::Installed), "{agent}");
        let again = machine.install(agent, reach).unwrap();
        assert!(again.iter().all(Change::is_nothing), "{agent}");
        machine.uninstall(agent, reach).unwrap();
        assert_eq!(machine.snapshot(), {
            let mut empty = BTreeMap::new();
            walk(&machine.folder.path().join("home"), &mut empty);
            walk(&machine.folder.path().join("project"), &mut empty);
            assert!(empty.is_empty(), "{agent} {reach:?}: {:?}", empty.keys());
            empty
        });
    }
}

/// What each kind of file may hold already, comments and layouts as people leave them.
fn foreign(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()) {
        Some("toml") => "model = \"o3\"   # best\n\n[mcp_servers.docs]\ncommand = \"docs\"",
        Some("yaml") => {
            "GOOSE_PROVIDER: x\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n"
        }
        _ => {
            "{\n\t// mine\n\t\"mcpServers\": {},\n\t\"hooks\": { \"Stop\": [] },\n\t\"servers\": { \"a\": {\"command\": \"b\"}, },\n}"
        }
    }
}

#[test]
fn a_file_of_somebody_gets_its_bytes_and_permissions_back() {
    for (agent, reach) in every() {
        let machine = Machine::new();
        for target in machine.targets(agent, reach) {
            if matches!(target.content, Content::Whole(_)) {
                continue;
            }
            fs::create_dir_all(target.file.parent().unwrap()).unwrap();
            fs::write(&target.file, foreign(&target.file)).unwrap();
            private(&target.file);
        }
        let before = machine.snapshot();
        let changes = machine.install(agent, reach).unwrap();
        for change in &changes {
            if change.verb() == "changed" {
                let backup = fs::read(machine.installer().backup(change)).unwrap();
                assert_eq!(backup, before[&change.file.display().to_string()]);
                assert!(is_private(&change.file), "{agent}");
            }
            assert!(change.diff().contains("\n+"), "{agent}: {}", change.diff());
        }
        assert!(machine.states(agent, reach).iter().all(|s| *s == Verdict::Installed), "{agent}");
        machine.uninstall(agent, reach).unwrap();
        let after = machine.snapshot();
        assert_eq!(after, before, "{agent} {reach:?}");
    }
}

#[cfg(unix)]
fn private(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).unwrap().permissions().mode() & 0o777 == 0o600
}

#[test]
fn one_broken_file_keeps_every_file_as_it_is() {
    for (agent, reach) in every() {
        let machine = Machine::new();
        let targets = machine.targets(agent, reach);
        let last = targets.iter().rfind(|t| matches!(t.content, Content::Entries(..))).unwrap();
        fs::create_dir_all(last.file.parent().unwrap()).unwrap();
        for broken in [&b"{ \"a\": [ }"[..], b"\xff\xfe{}"] {
            fs::write(&last.file, broken).unwrap();
            let before = machine.snapshot();
            let error = machine.install(agent, reach).unwrap_err();
            assert_eq!(error.kind(), nuthatch::error::Kind::Invalid, "{agent}");
            assert!(error.to_string().contains(&last.file.display().to_string()), "{error}");
            assert!(machine.uninstall(agent, reach).is_err());
            assert_eq!(machine.snapshot(), before);
            assert!(machine.states(agent, reach).contains(&Verdict::Broken));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_kept_and_the_file_it_leads_to_is_written() {
    let machine = Machine::new();
    let file = &machine.targets(Agent::Cursor, Reach::User)[0].file;
    let dotfiles = machine.folder.path().join("home/dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(dotfiles.join("mcp.json"), "{}\n").unwrap();
    std::os::unix::fs::symlink("../dotfiles/mcp.json", file).unwrap();
    machine.install(Agent::Cursor, Reach::User).unwrap();
    assert!(fs::symlink_metadata(file).unwrap().file_type().is_symlink());
    assert!(fs::read_to_string(dotfiles.join("mcp.json")).unwrap().contains("nuthatch"));
    machine.uninstall(Agent::Cursor, Reach::User).unwrap();
    assert_eq!(fs::read_to_string(file).unwrap(), "{}\n");
    assert!(fs::symlink_metadata(file).unwrap().file_type().is_symlink());
}

#[test]
fn a_change_in_between_is_noticed_and_the_files_before_it_are_taken_back() {
    let machine = Machine::new();
    let targets = machine.targets(Agent::ClaudeCode, Reach::User);
    let changes = machine.installer().install(&targets).unwrap();
    fs::create_dir_all(targets[1].file.parent().unwrap()).unwrap();
    fs::write(&targets[1].file, "{\"theirs\": true}").unwrap();
    let error = machine.installer().commit(&changes).unwrap_err();
    assert_eq!(error.kind(), nuthatch::error::Kind::Conflict);
    assert_eq!(fs::read_to_string(&targets[1].file).unwrap(), "{\"theirs\": true}");
    assert!(!targets[0].file.exists());
}

#[test]
fn what_was_added_since_stays_and_ours_alone_goes() {
    let machine = Machine::new();
    machine.install(Agent::GeminiCli, Reach::User).unwrap();
    let file = &machine.targets(Agent::GeminiCli, Reach::User)[0].file;
    let with = fs::read_to_string(file).unwrap();
    fs::write(file, with.replacen('{', "{\n  \"theme\": \"dark\",", 1)).unwrap();
    machine.uninstall(Agent::GeminiCli, Reach::User).unwrap();
    assert_eq!(fs::read_to_string(file).unwrap(), "{\n  \"theme\": \"dark\"\n}\n");
}

#[test]
fn a_file_that_somebody_else_made_under_our_name_stays() {
    let machine = Machine::new();
    let plugin = &machine.targets(Agent::OpenCode, Reach::User)[1].file;
    fs::create_dir_all(plugin.parent().unwrap()).unwrap();
    fs::write(plugin, "export const Mine = 1\n").unwrap();
    let error = machine.install(Agent::OpenCode, Reach::User).unwrap_err();
    assert_eq!(error.kind(), nuthatch::error::Kind::Conflict);
    machine.uninstall(Agent::OpenCode, Reach::User).unwrap();
    assert_eq!(fs::read_to_string(plugin).unwrap(), "export const Mine = 1\n");
}

#[test]
fn a_diff_shows_nobodys_secrets() {
    let machine = Machine::new();
    let file = &machine.targets(Agent::Cursor, Reach::User)[0].file;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let key = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for layout in [
        "{\"mcpServers\":{\"a\":{\"env\":{\"T\":\"KEY\"}}}}",
        "{\n \"mcpServers\": {\n  \"a\": {\n   \"env\": {\"T\": \"KEY\"}\n  }\n }\n}\n",
    ] {
        fs::write(file, layout.replace("KEY", &key)).unwrap();
        let changes =
            machine.installer().install(&machine.targets(Agent::Cursor, Reach::User)).unwrap();
        assert!(!changes[0].diff().contains(&key[4..]), "{}", changes[0].diff());
    }
}
