//! What is read from a real disk, and what a repository cannot do there.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use nuthatch::error::Kind;
use tempfile::TempDir;

use super::*;

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn from(home: &Path, project_file: Option<&Path>) -> Result<Config> {
    let vars = [(OsString::from("NUTHATCH_HOME"), home.as_os_str().to_owned())];
    Config::from_variables(vars, project_file, Vec::new())
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn files_are_read_where_they_lie_and_may_be_missing() {
    let home = home();
    let project = home.path().join("repo/.nuthatch/config.toml");
    assert_eq!(from(home.path(), Some(&project)).unwrap().settings().recall.limit, 10);
    write(&home.path().join("config.toml"), "[recall]\nlimit = 3");
    assert_eq!(from(home.path(), None).unwrap().settings().recall.limit, 3);
    write(&project, "[recall]\nlimit = 4");
    assert_eq!(from(home.path(), Some(&project)).unwrap().settings().recall.limit, 4);
}

#[test]
fn file_that_is_both_the_users_and_the_projects_is_the_users() {
    let home = home();
    let file = home.path().join("config.toml");
    write(&file, "[sandbox]\nnetwork = true");
    let config = from(home.path(), Some(&home.path().join("./config.toml"))).unwrap();
    assert_eq!(origin(&config, "sandbox.network"), file.display().to_string());
}

#[test]
fn what_is_no_file_or_far_too_large_is_refused() {
    let home = home();
    let file = home.path().join("config.toml");
    fs::create_dir(&file).unwrap();
    assert_eq!(from(home.path(), None).unwrap_err().kind(), Kind::Unavailable);
    fs::remove_dir(&file).unwrap();
    write(&file, vec![b'#'; 1024 * 1024 + 1]);
    let error = from(home.path(), None).unwrap_err();
    assert!(error.to_string().contains("1 MiB"), "{error}");
}

#[test]
fn relative_home_is_made_absolute() {
    let vars = [(OsString::from("NUTHATCH_HOME"), OsString::from("some/nest"))];
    let config = Config::from_variables(vars, None, Vec::new()).unwrap();
    assert!(config.places().data_dir.is_absolute());
    assert!(config.places().data_dir.ends_with("some/nest"));
}

#[cfg(unix)]
#[test]
fn store_of_a_repository_that_is_a_link_out_of_it_is_denied() {
    let home = home();
    let root = home.path().join("repo");
    let project = root.join(".nuthatch/config.toml");
    write(&project, "[stores]\nproject = \"markdown:.nuthatch/memory\"");
    assert!(from(home.path(), Some(&project)).is_ok());
    std::os::unix::fs::symlink(home.path(), root.join(".nuthatch/memory")).unwrap();
    let error = from(home.path(), Some(&project)).unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert!(error.to_string().contains("through a link"), "{error}");
}

#[test]
fn only_variables_that_matter_are_taken_and_they_must_be_text() {
    let pair = |name: &str, value: OsString| (OsString::from(name), value);
    let taken = env::select([pair("HOME", "/h".into()), pair("PATH", "/bin".into())]).unwrap();
    assert_eq!(taken.into_keys().collect::<Vec<_>>(), ["HOME"]);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let bad = OsString::from_vec(vec![0xff]);
        assert!(env::select([pair("PATH", bad.clone())]).is_ok());
        assert!(env::select([pair("NUTHATCH_STORE", bad)]).is_err());
    }
}

#[cfg(unix)]
#[test]
fn link_in_a_repository_does_not_lead_its_store_out() {
    let folder = tempfile::tempdir().unwrap();
    let (root, outside) = (folder.path().join("repo"), folder.path().join("outside"));
    std::fs::create_dir_all(root.join("real")).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("gone"), root.join("dangling")).unwrap();
    std::os::unix::fs::symlink("real", root.join("within")).unwrap();
    for (path, inside) in
        [("real/new/m.db", true), ("within/m.db", true), ("link/m.db", false), ("dangling", false)]
    {
        assert_eq!(stores::stays_inside(&root, path.as_ref()), inside, "{path}");
    }
}
