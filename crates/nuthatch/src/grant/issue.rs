//! Giving tokens out, replacing them and taking them back.
//!
//! Chance comes in from outside, like time. Names are for people: no two valid grants of a tenant
//! have the same one, so that a name is as good as an id.

use jiff::Timestamp;

use super::{Grant, Grants, ID, Kept, PREFIX, Role, Standing, check_tenant};
use crate::error::{Error, Kind, Result};

/// The longest name of a grant: a line, not a letter.
const NAME: usize = 64;

/// Chance, from a source that nobody can guess.
#[derive(Clone, Copy)]
pub struct Seed {
    /// For the id.
    pub id: u64,
    /// For the secret.
    pub secret: [u8; 32],
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantRequest {
    /// Whose memory it shall open.
    pub tenant: String,
    /// Who or what will have it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
}

/// How a token is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotateRequest {
    /// Whose it is.
    pub tenant: String,
    /// The id or the name of the grant.
    pub which: String,
    /// Until when the old token still opens.
    pub old_until: Timestamp,
    /// Until when the new one does; as the old one, where nothing is said.
    pub expires_at: Option<Timestamp>,
}

/// A grant with its token, which is shown now and never again.
#[derive(Clone, PartialEq, Eq)]
pub struct Issued {
    /// What it was given for.
    pub grant: Grant,
    /// The token.
    pub token: String,
}

impl std::fmt::Debug for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Issued({:?}, …)", self.grant)
    }
}

/// Gives a token out.
///
/// # Errors
/// `invalid` for a name that is none or a time that is over; `conflict` where a valid grant has
/// the name already.
pub async fn issue(
    grants: &dyn Grants,
    request: GrantRequest,
    seed: Seed,
    now: Timestamp,
) -> Result<Issued> {
    let GrantRequest { tenant, name, role, expires_at } = request;
    let name = checked(&name)?;
    let taken = |kept: &&Kept| kept.grant.name == name && is_valid(kept, now);
    if grants.all(&tenant).await?.iter().any(|kept| taken(&kept)) {
        return Err(Error::new(Kind::Conflict, format!("there is a token named {name:?} already"))
            .with_hint("choose another name, or `nuthatch token rotate` it"));
    }
    let grant = Grant {
        id: String::new(),
        tenant,
        name,
        role,
        created_at: now,
        expires_at,
        revoked_at: None,
    };
    made(grants, grant, seed).await
}

/// Gives out another token for the same, and ends the old one.
///
/// # Errors
/// `not_found` where there is no such valid grant.
pub async fn rotate(
    grants: &dyn Grants,
    request: RotateRequest,
    seed: Seed,
    now: Timestamp,
) -> Result<Issued> {
    let RotateRequest { tenant, which, old_until, expires_at } = request;
    let old = found(grants, &tenant, &which, now).await?;
    let expires_at = expires_at.or(old.expires_at);
    let grant = Grant { created_at: now, expires_at, revoked_at: None, ..old.clone() };
    // The new one first: whoever is interrupted here has two tokens, and never none.
    let issued = made(grants, grant, seed).await?;
    grants.end(&tenant, &old.id, old_until).await?;
    Ok(issued)
}

/// Takes a token back, now.
///
/// # Errors
/// `not_found` where there is no such valid grant.
pub async fn revoke(
    grants: &dyn Grants,
    tenant: &str,
    which: &str,
    now: Timestamp,
) -> Result<Grant> {
    let grant = found(grants, tenant, which, now).await?;
    grants.end(tenant, &grant.id, now).await?;
    Ok(Grant { revoked_at: Some(now), ..grant })
}

async fn made(grants: &dyn Grants, grant: Grant, seed: Seed) -> Result<Issued> {
    check_tenant(&grant.tenant)?;
    if grant.expires_at.is_some_and(|at| at <= grant.created_at) {
        return Err(Error::invalid("a token that is over already opens nothing")
            .with_hint("name a time to come, such as 30d"));
    }
    let id = format!("{:0width$x}", seed.id, width = ID);
    let secret: String = seed.secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let token = format!("{PREFIX}{id}{secret}_{}", grant.tenant);
    let grant = Grant { id, ..grant };
    let hash = blake3::hash(token.as_bytes()).to_hex().to_string();
    grants.keep(&Kept { grant: grant.clone(), hash }).await?;
    Ok(Issued { grant, token })
}

fn is_valid(kept: &Kept, now: Timestamp) -> bool {
    kept.grant.standing(now) == Standing::Valid
}

/// The valid grant of an id or a name. Of two with one name, such as while one replaces the other,
/// the newer is meant.
async fn found(grants: &dyn Grants, tenant: &str, which: &str, now: Timestamp) -> Result<Grant> {
    let mut all = grants.all(tenant).await?;
    all.retain(|kept| is_valid(kept, now) && (kept.grant.id == which || kept.grant.name == which));
    let newest = all.into_iter().max_by_key(|kept| kept.grant.created_at);
    newest.map(|kept| kept.grant).ok_or_else(|| {
        Error::not_found("there is no valid token of this id or name")
            .with_hint("`nuthatch token list` shows those there are")
    })
}

fn checked(name: &str) -> Result<String> {
    let name = name.trim();
    let is_plain = !name.chars().any(char::is_control);
    if is_plain && !name.is_empty() && name.chars().count() <= NAME {
        return Ok(name.to_owned());
    }
    Err(Error::invalid(format!("a token's name has 1 to {NAME} characters on one line"))
        .with_hint("say who or what will have it, for example `ci`"))
}

#[cfg(test)]
mod tests;
