//! What project identity promises, shown with real repositories in temporary folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::registry::Registry;
use super::remote::{Address, parse};
use super::root::find_root_in;
use super::*;

/// A folder for one test, with its registry.
struct Workshop {
    folder: TempDir,
}

impl Workshop {
    fn new() -> Self {
        Workshop { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn registry(&self) -> PathBuf {
        self.path("data/projects.json")
    }

    /// A repository with one commit that no other repository has.
    fn repository(&self, name: &str) -> PathBuf {
        let top = self.empty_repository(name);
        commit(&top, name);
        top
    }

    fn empty_repository(&self, name: &str) -> PathBuf {
        let top = self.path(name);
        fs::create_dir_all(&top).unwrap();
        git(&top, &["init", "-q", "-b", "main"]);
        top
    }

    fn clone(&self, from: &Path, name: &str, options: &[&str]) -> PathBuf {
        let to = self.path(name);
        let mut arguments = vec!["clone", "-q"];
        arguments.extend(options);
        arguments.extend([from.to_str().unwrap(), to.to_str().unwrap()]);
        git(self.folder.path(), &arguments);
        to
    }

    /// The project at `start`, by the registry.
    fn project(&self, start: &Path) -> Project {
        identified(start, Some(&self.registry()), &Git::default())
    }

    fn id(&self, start: &Path) -> String {
        let project = self.project(start);
        assert_eq!((project.how, project.note), (How::Git, None), "{}", start.display());
        project.id
    }

    /// The project at `start` where git cannot be run.
    fn without_git(&self, start: &Path) -> Project {
        identified(start, Some(&self.registry()), &no_git())
    }
}

fn no_git() -> Git {
    Git::at("/nonexistent/git")
}

fn identified(start: &Path, registry: Option<&Path>, git: &Git) -> Project {
    identify_root(&find_root_in(start, None).unwrap(), None, registry, git)
}

/// The id of a repository on a machine that never saw it.
fn fresh_id(start: &Path) -> String {
    identified(start, None, &Git::default()).id
}

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
        .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
}

fn commit(top: &Path, message: &str) {
    git(top, &["commit", "-q", "--allow-empty", "-m", message]);
}

fn add_remote(top: &Path, name: &str, url: &str) {
    git(top, &["remote", "add", name, url]);
}

#[test]
fn spellings_of_one_address_are_one_remote() {
    for url in [
        "git@host.example:owner/repo.git",
        "git@HOST.example:/owner/repo",
        "host.example:owner/repo",
        "ssh://git@host.example:22/owner/repo",
        "ssh://git@host.example:2222/owner/repo.git/",
        "git+ssh://git@host.example/owner/repo.git",
        "git://host.example/owner/repo.git",
        "http://host.example/owner/repo",
        "https://host.example./owner//repo.git",
        "https://user:tok@Host.Example/owner/repo/",
        "https://oauth2:p%40ss@host.example/owner/repo.git?token=x#y",
        "helper::https://host.example/owner/repo",
    ] {
        let expected = Address::Hosted("host.example/owner/repo".to_owned());
        assert_eq!(parse(url, Path::new("/base")), Some(expected), "{url}");
    }
}

#[test]
fn addresses_of_other_repositories_stay_apart() {
    let of = |url| parse(url, Path::new("/base"));
    assert_ne!(of("git@host:owner/repo"), of("git@host:other/repo"));
    assert_ne!(of("git@host:owner/Repo"), of("git@host:owner/repo"));
    assert_ne!(of("git@host:owner/repo"), of("git@other:owner/repo"));
    assert_eq!(of("git@[::1]:owner/repo"), Some(Address::Hosted("::1/owner/repo".to_owned())));
    assert_eq!(of("ssh://[::1]:22/owner/repo"), of("git@[::1]:owner/repo"));
    for nothing in ["", "https://", "https://host", "ssh://host/", "host:", "x::y://"] {
        assert_eq!(of(nothing), None, "{nothing}");
    }
}

#[test]
fn paths_are_told_from_addresses() {
    for (url, path) in [
        ("/srv/hub.git", "/srv/hub.git"),
        ("../hub", "/base/../hub"),
        ("./with:colon", "/base/./with:colon"),
        ("file:///srv/a%20hub", "/srv/a hub"),
        ("file://localhost/srv/hub", "/srv/hub"),
    ] {
        let expected = Address::Local(path.into());
        assert_eq!(parse(url, Path::new("/base")), Some(expected), "{url}");
    }
}

#[test]
fn no_address_makes_it_panic() {
    use proptest::prelude::*;
    proptest!(|(url in "(?s)[a-z@:/\\[\\]%.é]{0,24}|.{0,24}")| {
        let _ = parse(&url, Path::new("/base"));
    });
}

#[test]
fn explicit_key_is_the_id() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let root = find_root_in(&top, None).unwrap();
    let project = identify_root(&root, Some("my-key"), None, &no_git());
    assert_eq!((project.id.as_str(), project.how), ("my-key", How::Key));
}

#[test]
fn folder_without_git_is_known_by_its_path() {
    let shop = Workshop::new();
    fs::create_dir_all(shop.path("plain")).unwrap();
    let project = shop.project(&shop.path("plain"));
    assert_eq!((project.how, project.note), (How::Path, None));
    assert_eq!(project.id.len(), 16);
    assert_eq!(project.id, shop.project(&shop.path("plain")).id);
    assert_ne!(project.id, shop.project(shop.folder.path()).id);
}

#[test]
fn folder_that_does_not_exist_is_an_error() {
    let error = find_root(Path::new("/nonexistent/folder")).unwrap_err();
    assert_eq!(error.kind(), nuthatch::error::Kind::NotFound);
}

#[test]
fn different_repositories_are_different_projects() {
    let shop = Workshop::new();
    assert_ne!(shop.id(&shop.repository("a")), shop.id(&shop.repository("b")));
}

#[test]
fn worktree_is_the_same_project() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let tree = shop.path("tree");
    git(&top, &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    commit(&tree, "on the side");
    assert_eq!(shop.id(&tree), shop.id(&top));
    assert_eq!(fresh_id(&tree), fresh_id(&top));
    assert_eq!(shop.project(&tree).root, tree.canonicalize().unwrap());
    // Both places are remembered, so looking from one to the other costs nothing.
    assert_eq!(shop.without_git(&tree).note, None);
    assert_eq!(shop.without_git(&top).note, None);
}

#[test]
fn local_clone_is_the_same_project() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    add_remote(&top, "origin", "git@host.example:owner/repo.git");
    let clone = shop.clone(&top, "b", &[]);
    let second = shop.clone(&clone, "c", &[]);
    assert_eq!(fresh_id(&clone), fresh_id(&top));
    assert_eq!(fresh_id(&second), fresh_id(&top));
}

#[test]
fn clone_of_a_bare_hub_is_the_same_project() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let hub = shop.clone(&top, "hub.git", &["--bare"]);
    git(&hub, &["remote", "remove", "origin"]);
    add_remote(&top, "origin", "../hub.git");
    let clone = shop.clone(&hub, "b", &[]);
    let by_url = shop.clone(&PathBuf::from(format!("file://{}", hub.display())), "c", &[]);
    let plain = fresh_id(&top);
    assert_eq!(fresh_id(&clone), plain);
    assert_eq!(fresh_id(&by_url), plain);
    fs::remove_dir_all(&hub).unwrap();
    assert_eq!(fresh_id(&clone), plain, "a remote that is gone counts as none");
}

#[test]
fn remotes_that_point_at_each_other_count_as_none() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let alone = fresh_id(&top);
    let clone = shop.clone(&top, "b", &[]);
    add_remote(&top, "origin", clone.to_str().unwrap());
    assert_eq!(fresh_id(&top), alone);
    assert_eq!(fresh_id(&clone), alone);
}

#[test]
fn spelling_of_the_remote_does_not_matter_but_the_remote_does() {
    let shop = Workshop::new();
    let (a, b, c) = (shop.repository("a"), shop.path("b"), shop.path("c"));
    for copy in [&b, &c] {
        shop.clone(&a, copy.file_name().unwrap().to_str().unwrap(), &[]);
        git(copy, &["remote", "remove", "origin"]);
    }
    add_remote(&a, "origin", "git@host.example:owner/repo.git");
    add_remote(&b, "upstream", "https://ada:secret@host.example/owner/repo");
    add_remote(&b, "work", "https://host.example/elsewhere/repo");
    add_remote(&c, "origin", "https://host.example/fork/repo");
    assert_eq!(fresh_id(&a), fresh_id(&b));
    assert_ne!(fresh_id(&a), fresh_id(&c));
    shop.id(&b);
    assert!(!fs::read_to_string(shop.registry()).unwrap().contains("secret"));
}

#[test]
fn moved_folder_and_copy_are_the_same_project() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    fs::rename(&top, shop.path("moved")).unwrap();
    assert_eq!(shop.id(&shop.path("moved")), id);
    let copied =
        Command::new("cp").arg("-R").args([shop.path("moved"), shop.path("copy")]).status();
    assert!(copied.unwrap().success());
    assert_eq!(shop.id(&shop.path("copy")), id);
}

#[test]
fn what_began_before_the_first_commit_keeps_its_id() {
    let shop = Workshop::new();
    let top = shop.empty_repository("new");
    let before = shop.project(&top).id;
    commit(&top, "first");
    assert_eq!(shop.id(&top), before);
    assert_eq!(shop.id(&shop.clone(&top, "clone", &[])), before);
}

#[test]
fn a_clone_in_place_of_what_began_there_is_a_project_of_its_own() {
    let shop = Workshop::new();
    let top = shop.empty_repository("here");
    let before = shop.project(&top).id;
    fs::remove_dir_all(&top).unwrap();
    let other = shop.repository("other");
    add_remote(&other, "origin", "https://example.com/team/other");
    fs::rename(&other, &top).unwrap();
    assert_ne!(shop.id(&top), before);
}

#[test]
fn repository_without_commits_is_known_by_its_path() {
    let shop = Workshop::new();
    let top = shop.empty_repository("a");
    let project = shop.without_git(&top);
    assert_eq!(project.how, How::Path);
    assert!(project.note.unwrap().contains("no commits yet"));
    commit(&top, "first");
    assert_eq!(shop.project(&top).how, How::Git);
}

#[test]
fn submodule_is_a_project_of_its_own() {
    let shop = Workshop::new();
    let (outer, inner) = (shop.repository("outer"), shop.repository("inner"));
    git(&outer, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "sub"]);
    commit(&outer, "with submodule");
    assert_eq!(shop.id(&outer.join("sub")), shop.id(&inner));
    assert_ne!(shop.id(&outer.join("sub")), shop.id(&outer));
}

#[test]
fn second_beginning_of_a_history_changes_nothing() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    git(&top, &["checkout", "-q", "--orphan", "other"]);
    assert_eq!(shop.id(&top), id, "a branch without commits");
    commit(&top, "other beginning");
    assert_eq!(shop.id(&top), id, "a branch of its own");
    git(&top, &["checkout", "-q", "main"]);
    git(&top, &["merge", "-q", "--allow-unrelated-histories", "-m", "merge", "other"]);
    assert_eq!(shop.id(&top), id, "both");
    let clone = shop.clone(&top, "b", &[]);
    assert_eq!(fresh_id(&clone), fresh_id(&top), "the smallest first commit decides");
}

#[test]
fn other_history_at_the_same_place_is_another_project() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    fs::remove_dir_all(top.join(".git")).unwrap();
    shop.empty_repository("a");
    assert_eq!(shop.project(&top).how, How::Path);
    commit(&top, "another beginning");
    assert_ne!(shop.id(&top), id);
}

#[test]
fn repository_keeps_its_id_when_its_remote_changes() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    for (change, url) in [("add", "git@host.example:o/r.git"), ("set-url", "git@host.example:o/s")]
    {
        git(&top, &["remote", change, "origin", url]);
        assert_ne!(fresh_id(&top), id);
        assert_eq!(shop.id(&top), id);
        let clone = shop.clone(&top, change, &[]);
        assert_eq!(shop.id(&clone), id, "a fresh clone follows");
    }
    git(&top, &["remote", "remove", "origin"]);
    assert_eq!(shop.id(&top), id);
}

#[test]
fn id_in_use_is_not_taken_over_by_another_repository() {
    let shop = Workshop::new();
    let (top, url) = (shop.repository("a"), "git@host.example:o/r.git");
    let clone = shop.clone(&top, "b", &[]);
    git(&clone, &["remote", "set-url", "origin", url]);
    let (here, there) = (shop.id(&top), shop.id(&clone));
    assert_ne!(here, there);
    add_remote(&top, "origin", url);
    assert_eq!(shop.id(&top), here);
    assert_eq!(shop.id(&shop.clone(&clone, "c", &[])), there);
}

#[test]
fn known_repository_needs_no_git() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    let again = shop.without_git(&top);
    assert_eq!((again.id.as_str(), again.note), (id.as_str(), None));
}

#[test]
fn commit_later_the_id_is_the_same_and_remembered_again() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    commit(&top, "second");
    let unchecked = shop.without_git(&top);
    assert_eq!(unchecked.id, id);
    assert!(unchecked.note.unwrap().contains("git could not be run"));
    assert_eq!(shop.id(&top), id);
    assert_eq!(shop.without_git(&top).note, None);
}

#[test]
fn packed_refs_and_detached_heads_are_read_without_git() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    git(&top, &["pack-refs", "--all"]);
    assert!(!top.join(".git/refs/heads/main").exists());
    assert_eq!(shop.without_git(&top).note, None);
    git(&top, &["checkout", "-q", "--detach"]);
    assert_eq!(shop.without_git(&top).note, None);
    commit(&top, "on no branch");
    assert_eq!(shop.id(&top), id);
}

#[test]
fn repository_never_seen_is_known_by_its_path_where_git_is_missing() {
    let shop = Workshop::new();
    let project = shop.without_git(&shop.repository("a"));
    assert_eq!(project.how, How::Path);
    assert!(project.note.unwrap().contains("git could not be run"));
}

#[test]
fn broken_and_bare_repositories_are_known_by_their_path() {
    let shop = Workshop::new();
    fs::create_dir_all(shop.path("empty/.git")).unwrap();
    fs::create_dir_all(shop.path("stray")).unwrap();
    fs::write(shop.path("stray/.git"), "gitdir: ../nowhere\n").unwrap();
    let bare = shop.clone(&shop.repository("a"), "hub.git", &["--bare"]);
    for folder in [shop.path("empty"), shop.path("stray"), bare] {
        let project = shop.project(&folder);
        assert_eq!(project.how, How::Path, "{}", folder.display());
        assert!(project.note.is_some(), "{}", folder.display());
    }
}

#[test]
fn shallow_clone_is_known_by_its_remote() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    commit(&top, "second");
    let url = "git@host.example:o/r.git";
    add_remote(&top, "origin", url);
    let id = shop.id(&top);
    let from = PathBuf::from(format!("file://{}", top.display()));
    let clone = shop.clone(&from, "b", &["--depth=1"]);
    let shallow = shop.project(&clone);
    assert_eq!(shallow.id, id, "a known repository is recognised");
    assert!(shallow.note.unwrap().contains("shallow"));
    assert_ne!(fresh_id(&clone), id);
    git(&clone, &["fetch", "-q", "--unshallow"]);
    assert_eq!(shop.id(&clone), id);
}

#[test]
fn shallow_clone_of_a_folder_is_known_by_its_path_and_says_why() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    commit(&top, "second");
    let from = PathBuf::from(format!("file://{}", top.display()));
    let project = shop.project(&shop.clone(&from, "b", &["--depth=1"]));
    assert_eq!(project.how, How::Path);
    let note = project.note.unwrap();
    assert!(note.contains("a shallow clone without a remote on another machine"), "{note}");
}

#[cfg(unix)]
#[test]
fn repository_that_git_does_not_trust_is_known_by_its_path() {
    use std::os::unix::fs::PermissionsExt as _;
    let shop = Workshop::new();
    let program = shop.path("suspicious-git");
    let script =
        "#!/bin/sh\necho \"fatal: detected dubious ownership in repository\" >&2\nexit 128\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let project = identified(&shop.repository("a"), None, &Git::at(&program));
    assert_eq!(project.how, How::Path);
    assert!(project.note.unwrap().contains("safe.directory"));
}

#[test]
fn damaged_registry_is_ignored_and_replaced() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    let id = shop.id(&top);
    for damage in ["", "{", "[]", "{\"version\": 99}", "\u{0}"] {
        fs::write(shop.registry(), damage).unwrap();
        assert_eq!(shop.id(&top), id, "{damage:?}");
        assert_eq!(shop.without_git(&top).note, None, "{damage:?}");
    }
    fs::remove_file(shop.registry()).unwrap();
    fs::create_dir(shop.registry()).unwrap();
    let project = shop.project(&top);
    assert_eq!(project.id, id);
    assert!(project.note.unwrap().contains("cannot write"));
}

#[cfg(unix)]
#[test]
fn registry_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let shop = Workshop::new();
    shop.id(&shop.repository("a"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&shop.registry()), 0o600);
    assert_eq!(mode(&shop.path("data")), 0o700);
}

#[test]
fn many_starts_at_once_leave_a_whole_registry() {
    let shop = Workshop::new();
    let tops: Vec<PathBuf> = (0..4).map(|n| shop.repository(&format!("r{n}"))).collect();
    let registry = shop.registry();
    std::thread::scope(|scope| {
        for top in &tops {
            scope.spawn(|| identified(top, Some(&registry), &Git::default()));
        }
    });
    let text = fs::read_to_string(&registry).unwrap();
    serde_json::from_str::<Registry>(&text).unwrap();
    // A start that found the registry busy is remembered the next time.
    for top in &tops {
        shop.id(top);
        assert_eq!(shop.without_git(top).note, None);
    }
}

#[test]
fn subdirectory_and_linked_path_lead_to_the_same_root() {
    let shop = Workshop::new();
    let top = shop.repository("a");
    fs::create_dir_all(top.join("src/deep")).unwrap();
    fs::write(top.join("src/file.rs"), "").unwrap();
    let project = shop.project(&top);
    assert_eq!(shop.project(&top.join("src/deep")), project);
    assert_eq!(shop.project(&top.join("src/file.rs")), project);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(top.join("src"), shop.path("link")).unwrap();
        assert_eq!(shop.project(&shop.path("link")), project);
    }
}

#[test]
fn nearest_configuration_or_repository_is_the_root() {
    let shop = Workshop::new();
    let top = shop.repository("a").canonicalize().unwrap();
    let package = top.join("package");
    fs::create_dir_all(package.join(".nuthatch")).unwrap();
    fs::create_dir_all(package.join("src")).unwrap();
    let root = |start: &Path| find_root_in(start, None).unwrap();
    assert_eq!(root(&package.join("src")).folder, top, "the folder alone does not count");
    let config = package.join(".nuthatch/config.toml");
    fs::write(&config, "").unwrap();
    let found = root(&package.join("src"));
    assert_eq!((found.folder, found.config_file), (package.clone(), Some(config)));
    assert_eq!(found.repository, Some(top.clone()));
    assert_eq!(shop.id(&package), shop.id(&top), "it is still that repository");
}

#[test]
fn configuration_in_the_home_folder_or_above_is_nobodys_project() {
    let shop = Workshop::new();
    let home = shop.folder.path().canonicalize().unwrap().join("home");
    for folder in [home.parent().unwrap(), &home] {
        fs::create_dir_all(folder.join(".nuthatch")).unwrap();
        fs::write(folder.join(".nuthatch/config.toml"), "").unwrap();
    }
    let notes = home.join("notes");
    fs::create_dir_all(&notes).unwrap();
    let root = |start: &Path| find_root_in(start, Some(&home)).unwrap();
    assert_eq!(root(&notes), Root { folder: notes, config_file: None, repository: None });
    assert_eq!(root(&home).config_file, None);
    assert_eq!(find_root_in(&home, None).unwrap().folder, home);
}
