//! Grants in a file: kept, ended, refused where the file cannot be trusted.

use nuthatch::grant::{Grant, Role};

use super::*;

fn kept(id: &str) -> Kept {
    let grant = Grant {
        id: id.to_owned(),
        tenant: DEFAULT_TENANT.to_owned(),
        name: "ci".to_owned(),
        role: Role::Reader,
        created_at: Timestamp::UNIX_EPOCH,
        expires_at: None,
        revoked_at: None,
    };
    Kept { grant, hash: "00".repeat(32) }
}

fn place() -> (tempfile::TempDir, FileGrants) {
    let folder = tempfile::tempdir().unwrap();
    let grants = FileGrants::at(folder.path().join("data/tokens.json"));
    (folder, grants)
}

#[test]
fn grants_come_back_as_they_were_kept_and_end_at_the_sooner_of_two_times() {
    let (_folder, grants) = place();
    pollster::block_on(async {
        assert_eq!(grants.all(DEFAULT_TENANT).await.unwrap(), []);
        grants.keep(&kept("a")).await.unwrap();
        assert_eq!(grants.keep(&kept("a")).await.unwrap_err().kind(), Kind::Conflict);
        grants.keep(&kept("b")).await.unwrap();
        assert_eq!(grants.all(DEFAULT_TENANT).await.unwrap(), [kept("a"), kept("b")]);
        assert_eq!(grants.find("other", "a").await.unwrap(), None);
        let at = |second| Timestamp::from_second(second).unwrap();
        for second in [5, 3, 9] {
            assert!(grants.end(DEFAULT_TENANT, "a", at(second)).await.unwrap());
        }
        assert!(!grants.end(DEFAULT_TENANT, "c", at(1)).await.unwrap());
        let found = grants.find(DEFAULT_TENANT, "a").await.unwrap().unwrap();
        assert_eq!(found.grant.revoked_at, Some(at(3)));
    });
}

#[test]
fn a_file_that_cannot_be_trusted_is_refused_and_left_as_it_is() {
    let (_folder, grants) = place();
    pollster::block_on(async {
        grants.keep(&kept("a")).await.unwrap();
        fs::write(&grants.path, "{\"tokens\": [").unwrap();
        assert_eq!(grants.keep(&kept("b")).await.unwrap_err().kind(), Kind::Unavailable);
        assert_eq!(grants.find(DEFAULT_TENANT, "a").await.unwrap_err().kind(), Kind::Unavailable);
        assert_eq!(fs::read_to_string(&grants.path).unwrap(), "{\"tokens\": [");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::write(&grants.path, "{\"tokens\": []}").unwrap();
            fs::set_permissions(&grants.path, fs::Permissions::from_mode(0o640)).unwrap();
            let error = grants.all(DEFAULT_TENANT).await.unwrap_err();
            assert!(error.to_string().contains("others can read"), "{error}");
        }
    });
}

#[test]
fn writers_at_once_lose_nothing() {
    let (_folder, grants) = place();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let grants = grants.clone();
            scope.spawn(move || {
                for n in 0..5 {
                    pollster::block_on(grants.keep(&kept(&format!("{writer}-{n}")))).unwrap();
                }
            });
        }
    });
    assert_eq!(pollster::block_on(grants.all(DEFAULT_TENANT)).unwrap().len(), 20);
}
