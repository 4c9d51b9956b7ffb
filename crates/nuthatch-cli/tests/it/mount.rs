//! `nuthatch mount`: memory as files, through the kernel's own calls.
//!
//! Needs the feature `mount` and a `/dev/fuse` that may be used; without the feature the
//! tests are ignored by name.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{NUTHATCH, Sandbox};

/// A mounted folder; unmounted with its value.
struct Mount {
    child: Child,
    folder: PathBuf,
}

impl Mount {
    fn at(sandbox: &Sandbox) -> Mount {
        let folder = sandbox.work().join("files");
        fs::create_dir(&folder).unwrap();
        let mut command = sandbox.command(NUTHATCH);
        command.arg("mount").arg(&folder).arg("--json").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).expect("it says where it is mounted");
        assert_eq!(told["mounted"], json!(folder));
        Mount { child, folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// What a shell does with `echo request > device`.
    fn tell(&self, device: &str, request: &Value) -> std::io::Result<()> {
        let path = self.path(&format!("dev/memory/{device}"));
        OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)?
            .write_all(format!("{request}\n").as_bytes())
    }

    fn end(mut self) -> Option<i32> {
        self.signal();
        self.child.wait().unwrap().code()
    }

    fn signal(&self) {
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal();
            let _ = self.child.wait();
        }
    }
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn what_is_echoed_into_a_device_is_remembered_and_read_back() {
    let sandbox = Sandbox::new();
    let mount = Mount::at(&sandbox);
    let folder = mount.folder.display();
    sandbox
        .sh(&format!(
            "echo '{{\"action\":\"add\",\"content\":\"uses tabs\",\"target\":\"global_memory\"}}' \
         > {folder}/dev/memory/commit"
        ))
        .ok();
    let found = sandbox.line("recall tabs --json").ok().json();
    assert_eq!(found["hits"][0]["content"], "uses tabs");
    let document = sandbox.sh(&format!("cat {folder}/root/MEMORY.md")).ok().stdout;
    assert!(document.contains("- [core] uses tabs ("), "{document}");
    let answer: Value = serde_json::from_str(&mount.read("dev/memory/commit")).unwrap();
    assert_eq!(answer["ok"], true);
    let id = found["hits"][0]["id"].as_str().unwrap();
    assert_eq!(mount.read(&format!("memories/{id}")), "uses tabs\n");
    // Held open to the end: who looks into it does not keep it from ending.
    let held: Vec<_> = fs::read_dir(mount.path("memories")).unwrap().collect();
    assert_eq!(held.len(), 1);
    mount.tell("recall", &json!({"query": "tabs"})).unwrap();
    assert!(mount.read("dev/memory/recall").contains("uses tabs"));
    assert_eq!(mount.end(), Some(0));
    assert!(fs::read_dir(sandbox.work().join("files")).unwrap().next().is_none());
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn a_request_in_pieces_is_one_and_several_in_one_are_several() {
    let sandbox = Sandbox::new();
    let mount = Mount::at(&sandbox);
    let mut file =
        File::options().read(true).write(true).open(mount.path("dev/memory/profile")).unwrap();
    for piece in ["{\"action\": \"add\", ", "\"content\": \"likes t", "ea\"}{\"action\":"] {
        file.write_all(piece.as_bytes()).unwrap();
    }
    file.write_all(b"\"snapshot\"}\n").unwrap();
    file.rewind().unwrap();
    let mut answers = String::new();
    file.read_to_string(&mut answers).unwrap();
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!(answers[1]["entries"], json!(["likes tea"]));
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn a_child_that_closes_its_copy_does_not_cut_a_request_off() {
    let sandbox = Sandbox::new();
    let mount = Mount::at(&sandbox);
    let device = format!("{}/dev/memory/profile", mount.folder.display());
    sandbox
        .sh(&format!(
            "{{ printf '{{\"action\": \"add\", '; sh -c :; \
             /usr/bin/printf '\"content\": \"likes tea\"}}'; }} > {device}"
        ))
        .ok();
    let answer: Value = serde_json::from_str(&mount.read("dev/memory/profile")).unwrap();
    assert_eq!(answer["ok"], true, "{answer}");
    // Whoever has the last copy, what is missing is said.
    sandbox.sh(&format!("{{ sh -c 'printf {{' & }} > {device}; wait")).ok();
    assert!(mount.read("dev/memory/profile").contains("cut off"));
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn a_failed_request_fails_the_write_and_says_why() {
    let sandbox = Sandbox::new();
    let mount = Mount::at(&sandbox);
    let secret = format!("{}{}", "gh", "p_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ");
    for (request, kind) in [
        (json!({"action": "add", "content": secret}), ErrorKind::PermissionDenied),
        (json!({"action": "add"}), ErrorKind::InvalidInput),
        (json!({"action": "remove", "old": "nothing"}), ErrorKind::NotFound),
        (json!("nonsense"), ErrorKind::InvalidInput),
    ] {
        let error = mount.tell("commit", &request).unwrap_err();
        assert_eq!(error.kind(), kind, "{request}: {error}");
        let answer = mount.read("dev/memory/commit");
        assert!(answer.contains("\"ok\":false") && !answer.contains(&secret), "{answer}");
    }
    let mut file = File::options().write(true).open(mount.path("dev/memory/commit")).unwrap();
    assert!(file.write_all(b"not json").is_err());
    let half = sandbox.sh("printf '{\"action\"' | dd of=files/dev/memory/commit conv=notrunc");
    assert!(mount.read("dev/memory/commit").contains("cut off"), "{half:#?}");
    let large = vec![b' '; 2 * 1024 * 1024];
    let mut file = File::options().write(true).open(mount.path("dev/memory/commit")).unwrap();
    assert!(file.write_all(&large).is_err());
    assert_eq!(sandbox.line("list --all-projects --json").ok().json()["total"], 0);
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn nothing_else_can_be_written_made_or_removed() {
    let sandbox = Sandbox::new();
    sandbox.line("remember --scope global uses tabs").ok();
    let mount = Mount::at(&sandbox);
    let read_only = |tried: std::io::Result<()>, what: &str| {
        assert_eq!(tried.unwrap_err().kind(), ErrorKind::ReadOnlyFilesystem, "{what}");
    };
    read_only(fs::write(mount.path("root/MEMORY.md"), "x"), "a document");
    read_only(fs::write(mount.path("root/NEW.md"), "x"), "a new file");
    read_only(fs::create_dir(mount.path("more")), "a folder");
    read_only(fs::remove_file(mount.path("dev/memory/commit")), "a device");
    read_only(fs::remove_dir(mount.path("memories")), "a folder");
    let moved = fs::rename(mount.path("root/MEMORY.md"), mount.path("root/OLD.md"));
    read_only(moved, "a name");
    #[cfg(unix)]
    read_only(std::os::unix::fs::symlink("/etc/passwd", mount.path("link")), "a link");
    for path in ["root/../../etc/passwd", "memories/..%2f", "memories/editor", "root/memory.md"] {
        let error = File::open(mount.path(path)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{path}");
    }
    assert!(mount.read("root/MEMORY.md").contains("uses tabs"));
}

#[test]
#[cfg_attr(not(feature = "mount"), ignore = "needs the feature mount and /dev/fuse")]
fn a_folder_that_cannot_be_used_is_an_error_and_an_unmount_ends_it_well() {
    let sandbox = Sandbox::new();
    sandbox.line("mount nowhere").fails(2, "empty folder");
    sandbox.write("full/file.txt", "x");
    sandbox.line("mount full").fails(2, "not empty");
    sandbox.line("mount nowhere --json").fails_in_json(2, "invalid", "nowhere");
    let mut mount = Mount::at(&sandbox);
    sandbox.sh("umount files || fusermount3 -u files").ok();
    assert_eq!(mount.child.wait().unwrap().code(), Some(0));
}
