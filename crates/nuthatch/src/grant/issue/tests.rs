//! Tokens given out, replaced and taken back, over grants in RAM.

use std::sync::Mutex;

use async_trait::async_trait;
use jiff::SignedDuration;

use super::*;
use crate::grant::Claim;

#[derive(Default)]
struct InMemory(Mutex<Vec<Kept>>);

#[async_trait]
impl Grants for InMemory {
    async fn keep(&self, kept: &Kept) -> Result<()> {
        self.0.lock().unwrap().push(kept.clone());
        Ok(())
    }

    async fn find(&self, tenant: &str, id: &str) -> Result<Option<Kept>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().find(|k| k.grant.tenant == tenant && k.grant.id == id).cloned())
    }

    async fn all(&self, tenant: &str) -> Result<Vec<Kept>> {
        let all = self.0.lock().unwrap();
        Ok(all.iter().filter(|kept| kept.grant.tenant == tenant).cloned().collect())
    }

    async fn end(&self, tenant: &str, id: &str, at: Timestamp) -> Result<bool> {
        let mut all = self.0.lock().unwrap();
        let found = all.iter_mut().find(|k| k.grant.tenant == tenant && k.grant.id == id);
        Ok(found.map(|kept| kept.grant.revoked_at = Some(at)).is_some())
    }
}

fn at(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
}

fn seed(of: u8) -> Seed {
    Seed { id: u64::from(of), secret: [of; 32] }
}

fn wish(name: &str) -> GrantRequest {
    let tenant = "acme_1.x".to_owned();
    GrantRequest { tenant, name: name.to_owned(), role: Role::Writer, expires_at: Some(at(48)) }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    pollster::block_on(work)
}

#[test]
fn a_token_names_its_tenant_and_grant_and_opens_only_its_own() {
    let grants = InMemory::default();
    let one = run(issue(&grants, wish("ci"), seed(1), at(0))).unwrap();
    let two = run(issue(&grants, wish("bot"), seed(2), at(0))).unwrap();
    let claim = Claim::read(&one.token).unwrap();
    assert_eq!((claim.tenant, claim.id), ("acme_1.x", one.grant.id.as_str()));
    let kept = run(grants.find(claim.tenant, claim.id)).unwrap().unwrap();
    assert!(kept.is_opened_by(&one.token));
    assert!(!kept.is_opened_by(&two.token));
    assert!(!kept.is_opened_by(&one.token.replace("acme", "acne")));
    let told = format!("{kept:?} {one:?} {}", serde_json::to_string(&kept).unwrap());
    assert!(!told.contains(&one.token[20..84]), "what is kept holds no secret: {told}");
}

#[test]
fn what_has_not_the_shape_of_a_token_claims_nothing() {
    let grants = InMemory::default();
    let token = run(issue(&grants, wish("ci"), seed(7), at(0))).unwrap().token;
    let body = &token[4..84];
    for wrong in [
        "",
        "nht_",
        &token[1..],
        &token.to_uppercase(),
        &token.replace("_acme", "__acme"),
        &format!("nht_{body}_"),
        &format!("nht_{body}_-x"),
        &format!("nht_{body}0_acme"),
        &format!("nht_{body}_a/b"),
        &format!("nht_{body}_{}", "x".repeat(65)),
        &format!("nht_{}é_acme", &body[2..]),
    ] {
        assert_eq!(Claim::read(wrong), None, "{wrong}");
    }
}

#[test]
fn a_name_is_given_once_until_it_is_free_again() {
    let grants = InMemory::default();
    run(issue(&grants, wish("ci"), seed(1), at(0))).unwrap();
    let again = run(issue(&grants, wish(" ci "), seed(2), at(1))).unwrap_err();
    assert_eq!(again.kind(), Kind::Conflict);
    run(revoke(&grants, "acme_1.x", "ci", at(2))).unwrap();
    run(issue(&grants, wish("ci"), seed(3), at(3))).unwrap();
    assert!(run(issue(&grants, wish("ci"), seed(4), at(49))).is_err(), "it would be over");
    let later = GrantRequest { expires_at: None, ..wish("ci") };
    run(issue(&grants, later, seed(4), at(49))).unwrap();
    for name in ["", " ", "a\nb", &"x".repeat(65)] {
        assert_eq!(
            run(issue(&grants, wish(name), seed(5), at(0))).unwrap_err().kind(),
            Kind::Invalid
        );
    }
}

#[test]
fn rotating_leaves_the_old_token_its_time_and_keeps_what_it_was_for() {
    let grants = InMemory::default();
    let old = run(issue(&grants, wish("ci"), seed(1), at(0))).unwrap();
    let request = RotateRequest {
        tenant: "acme_1.x".into(),
        which: "ci".into(),
        old_until: at(3),
        expires_at: None,
    };
    let new = run(rotate(&grants, request, seed(2), at(2))).unwrap();
    assert_ne!(old.token, new.token);
    assert_eq!((new.grant.role, new.grant.expires_at), (Role::Writer, Some(at(48))));
    let old = run(grants.find("acme_1.x", &old.grant.id)).unwrap().unwrap().grant;
    let standings = [2, 3, 48].map(|hour| old.standing(at(hour)));
    assert_eq!(standings, [Standing::Valid, Standing::Revoked, Standing::Revoked]);
    let standings = [2, 47, 48].map(|hour| new.grant.standing(at(hour)));
    assert_eq!(standings, [Standing::Valid, Standing::Valid, Standing::Expired]);
    // While both are valid, the name means the newer.
    let gone = run(revoke(&grants, "acme_1.x", "ci", at(2))).unwrap();
    assert_eq!(gone.id, new.grant.id);
}

#[test]
fn a_grant_is_found_in_its_own_tenant_alone() {
    let grants = InMemory::default();
    let one = run(issue(&grants, wish("ci"), seed(1), at(0))).unwrap();
    assert_eq!(run(revoke(&grants, "other", "ci", at(1))).unwrap_err().kind(), Kind::NotFound);
    assert_eq!(
        run(revoke(&grants, "other", &one.grant.id, at(1))).unwrap_err().kind(),
        Kind::NotFound
    );
}
