//! Conversations and their turns: stored, moved with their project, and removed.
//!
//! A turn is a document on the shelf of its conversation's scope; who speaks and when may change
//! without its words being looked at again.

use std::collections::BTreeMap;

use nuthatch::error::Result;
use nuthatch::id::SessionId;
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};

use super::codec::{self, count, hash, optional_text, text, written};
use super::connect::{Conn, params};
use super::index::{self, Document};

/// The conversation of an id.
pub async fn session(conn: &Conn, id: &SessionId) -> Result<Option<Session>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.sessions AS s WHERE s.tenant = $1 AND s.id = $2",
        codec::SESSION
    );
    conn.one(&sql, &params![id.as_str()]).await?.as_ref().map(codec::session).transpose()
}

/// What one channel and user have in common: an index has less room than their names may need.
fn place_hash(channel: &str, user: &str) -> Vec<u8> {
    hash(&format!("{}:{channel}{user}", channel.len()))
}

/// The last active conversation of a channel and user.
pub async fn session_of(conn: &Conn, channel: &str, user: &str) -> Result<Option<Session>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.sessions AS s WHERE s.tenant = $1 AND s.place_hash = $2 \
         AND s.channel = $3 AND s.\"user\" = $4 ORDER BY s.last_active_at DESC, s.id LIMIT 1",
        codec::SESSION
    );
    let values = params![place_hash(channel, user), channel, user];
    conn.one(&sql, &values).await?.as_ref().map(codec::session).transpose()
}

/// Stores a conversation under its id; its turns go where it belongs.
pub async fn put_session(conn: &Conn, new: &Session) -> Result<()> {
    let old = session(conn, &new.id).await?;
    let sql = "INSERT INTO nuthatch.sessions (tenant, id, channel, \"user\", place_hash, agent, \
               project, title, started_at, last_active_at, metadata) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
               ON CONFLICT (tenant, id) DO UPDATE SET channel = $3, \"user\" = $4, \
               place_hash = $5, agent = $6, project = $7, title = $8, started_at = $9, \
               last_active_at = $10, metadata = $11";
    let place = new.channel.as_deref().zip(new.user.as_deref());
    let metadata = Some(&new.metadata).filter(|metadata| !metadata.is_empty());
    let values = params![
        new.id.as_str(),
        &new.channel,
        &new.user,
        place.map(|(channel, user)| place_hash(channel, user)),
        &new.agent,
        new.project.as_ref().map(|project| project.as_str()),
        &new.title,
        new.started_at,
        new.last_active_at,
        written(metadata)?,
    ];
    conn.execute(sql, &values).await?;
    if old.is_some_and(|old| old.scope() != new.scope()) {
        for turn in
            super::read::turns(conn, &new.id, nuthatch::filter::Page::first(u64::MAX)).await?
        {
            index::move_to(conn, &Document::turn(&turn, new.scope())).await?;
        }
    }
    Ok(())
}

/// Removes a conversation and its turns, their words and their vectors.
pub async fn remove_session(conn: &Conn, id: &SessionId) -> Result<()> {
    let sql = "SELECT seq FROM nuthatch.turns WHERE tenant = $1 AND session = $2";
    for row in conn.rows(sql, &params![id.as_str()]).await? {
        let doc = codec::turn_uuid(id.as_str(), codec::number(&row, 0)?);
        index::remove(conn, doc).await?;
        index::drop_vectors(conn, doc).await?;
    }
    let sql = "WITH said AS (DELETE FROM nuthatch.turns WHERE tenant = $1 AND session = $2) \
               DELETE FROM nuthatch.sessions WHERE tenant = $1 AND id = $2";
    conn.execute(sql, &params![id.as_str()]).await.map(|_| ())
}

/// Stores turns under their sessions and places. Two of one place in one set: the later counts.
pub async fn put_turns(conn: &Conn, turns: &[Turn]) -> Result<()> {
    let mut last: BTreeMap<(&SessionId, u64), &Turn> = BTreeMap::new();
    for turn in turns {
        last.insert((&turn.session, turn.seq), turn);
    }
    let mut scopes: BTreeMap<&SessionId, Scope> = BTreeMap::new();
    for ((id, _), turn) in last {
        let scope = match scopes.get(id) {
            Some(scope) => scope.clone(),
            None => {
                let scope = session(conn, id).await?.map_or(Scope::Global, |known| known.scope());
                scopes.insert(id, scope.clone());
                scope
            }
        };
        put_turn(conn, turn, scope).await?;
    }
    Ok(())
}

async fn put_turn(conn: &Conn, turn: &Turn, scope: Scope) -> Result<()> {
    let place = || params![turn.session.as_str(), turn.seq];
    let sql = "SELECT text, asked FROM nuthatch.turns \
               WHERE tenant = $1 AND session = $2 AND seq = $3";
    let same = match conn.one(sql, &place()).await? {
        Some(row) => text(&row, 0)? == turn.text && optional_text(&row, 1)? == turn.asked,
        None => false,
    };
    let sql = "INSERT INTO nuthatch.turns (tenant, session, seq, at, role, chars, asked, text) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant, session, seq) \
               DO UPDATE SET at = $4, role = $5, chars = $6, asked = $7, text = $8";
    let values = params![
        turn.session.as_str(),
        turn.seq,
        turn.at,
        turn.role.name(),
        count(turn.text.chars().count() as u64),
        &turn.asked,
        &turn.text,
    ];
    conn.execute(sql, &values).await?;
    if same {
        return Ok(());
    }
    index::replace(conn, &Document::turn(turn, scope)).await
}
