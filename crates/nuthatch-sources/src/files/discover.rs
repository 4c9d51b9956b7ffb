//! Finds the context files of a place, by the rules of a product, from the general to the
//! particular.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::disk::Disk;
use super::{FilesRequest, Product};

/// How far a file's word reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The whole machine.
    Machine,
    /// Everything this user does.
    User,
    /// The project.
    Project,
    /// A folder of the project, and what is below it.
    Folder,
}

/// A file to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) level: Level,
    /// The folder it and what it imports must lie in, where that is not the project's.
    pub(super) bound: Option<PathBuf>,
}

/// Where Claude Code looks for what an administrator says.
const CLAUDE_POLICY: &str = "/etc/claude-code/CLAUDE.md";

/// The files there are, in order. `here` is the folder that is asked about.
pub(super) fn discover(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    let found = match request.product {
        Product::Nuthatch => ours(request, here, disk),
        Product::ClaudeCode => claude(request, here, disk),
        Product::Codex => codex(request, here, disk),
        Product::GeminiCli => gemini(request, here, disk),
        Product::OpenCode => opencode(request, here, disk),
    };
    let mut paths = std::collections::BTreeSet::new();
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // One file that is reached twice, as by a link, is one file.
    let own = request.product == Product::Nuthatch;
    found.into_iter().filter(|file| own || paths.insert(real(&file.path))).collect()
}

fn ours(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(user) = &request.user {
        for path in request.names.iter().map(|name| user.join(name)) {
            push(disk, &mut found, path, Level::User, Some(user));
        }
    }
    for folder in folders(&request.root, here) {
        let level = level(&request.root, &folder);
        for path in request.names.iter().map(|name| folder.join(name)) {
            push(disk, &mut found, path, level, None);
        }
    }
    found
}

fn claude(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    let mut found = Vec::new();
    push(disk, &mut found, CLAUDE_POLICY.into(), Level::Machine, Some(Path::new("/")));
    if let Some(home) = &request.home {
        let own = home.join(".claude");
        push(disk, &mut found, own.join("CLAUDE.md"), Level::User, Some(home));
        for rule in disk.markdown_below(&own.join("rules")) {
            push(disk, &mut found, rule, Level::User, Some(home));
        }
    }
    for folder in folders(Path::new("/"), here) {
        let level = level(&request.root, &folder);
        // Above the project only what stands in the folder itself is read along.
        let bound = (!folder.starts_with(&request.root)).then_some(folder.as_path());
        push(disk, &mut found, folder.join("CLAUDE.md"), level, bound);
        push(disk, &mut found, folder.join(".claude/CLAUDE.md"), level, bound);
        for rule in disk.markdown_below(&folder.join(".claude/rules")) {
            push(disk, &mut found, rule, level, bound);
        }
        push(disk, &mut found, folder.join("CLAUDE.local.md"), level, bound);
    }
    found
}

fn codex(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];
    let mut found = Vec::new();
    if let Some(own) = request.home.as_ref().map(|home| home.join(".codex")) {
        first(disk, &mut found, NAMES.map(|name| own.join(name)), Level::User, Some(&own));
    }
    let root = boundary(here, disk).unwrap_or_else(|| here.to_owned());
    for folder in folders(&root, here) {
        let level = level(&root, &folder);
        first(disk, &mut found, NAMES.map(|name| folder.join(name)), level, Some(&root));
    }
    found
}

fn gemini(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    const NAME: &str = "GEMINI.md";
    let mut found = Vec::new();
    let own = request.home.as_ref().map(|home| home.join(".gemini"));
    if let Some(own) = &own {
        push(disk, &mut found, own.join(NAME), Level::User, Some(own));
    }
    let root = boundary(here, disk).unwrap_or_else(|| here.to_owned());
    for folder in folders(&root, here) {
        if Some(&folder) != own.as_ref() {
            push(disk, &mut found, folder.join(NAME), level(&root, &folder), Some(&root));
        }
    }
    found
}

fn opencode(request: &FilesRequest, here: &Path, disk: &mut Disk) -> Vec<Candidate> {
    let mut found = Vec::new();
    if let Some(home) = &request.home {
        let own = [home.join(".config/opencode/AGENTS.md"), home.join(".claude/CLAUDE.md")];
        first(disk, &mut found, own, Level::User, Some(home));
    }
    let root = boundary(here, disk).unwrap_or_else(|| here.to_owned());
    let upward: Vec<PathBuf> = folders(&root, here).into_iter().rev().collect();
    let named = |name: &'static str| upward.iter().map(move |folder| folder.join(name));
    let nearest: Vec<PathBuf> = named("AGENTS.md").chain(named("CLAUDE.md")).collect();
    let level = Level::Project;
    first(disk, &mut found, nearest, level, Some(&root));
    found
}

fn push(
    disk: &mut Disk,
    found: &mut Vec<Candidate>,
    path: PathBuf,
    level: Level,
    bound: Option<&Path>,
) -> bool {
    let there = disk.is_file(&path);
    if there {
        found.push(Candidate { path, level, bound: bound.map(Path::to_owned) });
    }
    there
}

/// Takes the first of several files.
fn first(
    disk: &mut Disk,
    found: &mut Vec<Candidate>,
    paths: impl IntoIterator<Item = PathBuf>,
    level: Level,
    bound: Option<&Path>,
) {
    for path in paths {
        if push(disk, found, path, level, bound) {
            return;
        }
    }
}

/// The nearest folder upward that a repository begins in.
fn boundary(here: &Path, disk: &mut Disk) -> Option<PathBuf> {
    here.ancestors().find(|folder| disk.exists(&folder.join(".git"))).map(Path::to_owned)
}

/// Every folder from `top` down to `here`.
fn folders(top: &Path, here: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        here.ancestors().take_while(|f| f.starts_with(top)).map(Path::to_owned).collect();
    folders.reverse();
    folders
}

fn level(root: &Path, folder: &Path) -> Level {
    if folder == root {
        Level::Project
    } else if folder.starts_with(root) {
        Level::Folder
    } else {
        Level::Machine
    }
}
