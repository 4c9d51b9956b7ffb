//! Conversations and their turns: stored, moved with their project, and removed.
//!
//! A turn is a document on the shelf of its conversation's scope; who speaks and when may change
//! without its words being looked at again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nuthatch::error::Result;
use nuthatch::filter::Page;
use nuthatch::id::SessionId;
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use uuid::Uuid;

use super::codec::{self, count, hash, optional_text, text, written};
use super::connect::{Conn, params};
use super::index::{self, Document};

/// Turns of one statement.
const AT_ONCE: usize = 1000;

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
        let said = super::read::turns(conn, &new.id, Page::first(u64::MAX)).await?;
        let moved: Vec<Document> =
            said.iter().map(|turn| Document::turn(turn, new.scope())).collect();
        index::move_to(conn, &moved).await?;
    }
    Ok(())
}

/// Removes a conversation and its turns, their words and their vectors.
pub async fn remove_session(conn: &Conn, id: &SessionId) -> Result<()> {
    let sql = "SELECT seq FROM nuthatch.turns WHERE tenant = $1 AND session = $2";
    let rows = conn.rows(sql, &params![id.as_str()]).await?;
    let docs = rows.iter().map(|row| Ok(codec::turn_uuid(id.as_str(), codec::number(row, 0)?)));
    let docs: Vec<Uuid> = docs.collect::<Result<_>>()?;
    index::remove(conn, &docs).await?;
    index::drop_vectors(conn, &docs).await?;
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
    let turns: Vec<&Turn> = last.into_values().collect();
    for some in turns.chunks(AT_ONCE) {
        put_some(conn, some).await?;
    }
    Ok(())
}

/// Stores turns, each of a place of its own.
async fn put_some(conn: &Conn, turns: &[&Turn]) -> Result<()> {
    let sessions: Vec<String> = turns.iter().map(|turn| turn.session.as_str().to_owned()).collect();
    let seqs: Vec<i64> = turns.iter().map(|turn| count(turn.seq)).collect();
    let known = known(conn, &sessions, &seqs).await?;
    let scopes = scopes(conn, &sessions).await?;
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for turn in turns {
        let scope = scopes.get(turn.session.as_str()).cloned().unwrap_or(Scope::Global);
        match known.get(&(turn.session.as_str().to_owned(), count(turn.seq))) {
            None => new.push(Document::turn(turn, scope)),
            Some((text, asked)) if *text == turn.text && *asked == turn.asked => {}
            Some(_) => changed.push(Document::turn(turn, scope)),
        }
    }
    let sql = "INSERT INTO nuthatch.turns (tenant, session, seq, at, role, chars, asked, text) \
               SELECT $1, w.* FROM unnest($2, $3, $4, $5, $6, $7, $8) \
               AS w (session, seq, at, role, chars, asked, text) \
               ON CONFLICT (tenant, session, seq) DO UPDATE SET at = excluded.at, \
               role = excluded.role, chars = excluded.chars, asked = excluded.asked, \
               text = excluded.text";
    let times: Vec<i64> = turns.iter().map(|turn| turn.at.as_microsecond()).collect();
    let roles: Vec<String> = turns.iter().map(|turn| turn.role.name().to_owned()).collect();
    let chars: Vec<i64> =
        turns.iter().map(|turn| count(turn.text.chars().count() as u64)).collect();
    let asked: Vec<Option<String>> = turns.iter().map(|turn| turn.asked.clone()).collect();
    let texts: Vec<String> = turns.iter().map(|turn| turn.text.clone()).collect();
    conn.execute(sql, &params![sessions, seqs, times, roles, chars, asked, texts]).await?;
    index::add_new(conn, &new).await?;
    index::replace(conn, &changed).await
}

/// What the turns that are there say: their texts, and what was asked.
async fn known(
    conn: &Conn,
    sessions: &[String],
    seqs: &[i64],
) -> Result<HashMap<(String, i64), (String, Option<String>)>> {
    let sql = "SELECT t.session, t.seq, t.text, t.asked FROM unnest($2, $3) AS w (session, seq) \
               JOIN nuthatch.turns AS t ON t.tenant = $1 AND t.session = w.session \
               AND t.seq = w.seq";
    let mut found = HashMap::new();
    for row in conn.rows(sql, &params![sessions.to_vec(), seqs.to_vec()]).await? {
        let place = (text(&row, 0)?, codec::column(&row, 1)?);
        found.insert(place, (text(&row, 2)?, optional_text(&row, 3)?));
    }
    Ok(found)
}

/// Where the turns of these conversations belong.
async fn scopes(conn: &Conn, sessions: &[String]) -> Result<HashMap<String, Scope>> {
    let sql = format!(
        "SELECT {} FROM nuthatch.sessions AS s WHERE s.tenant = $1 AND s.id = ANY ($2)",
        codec::SESSION
    );
    let distinct: BTreeSet<&String> = sessions.iter().collect();
    let names: Vec<String> = distinct.into_iter().cloned().collect();
    let mut found = HashMap::new();
    for row in conn.rows(&sql, &params![names]).await? {
        let known = codec::session(&row)?;
        found.insert(known.id.as_str().to_owned(), known.scope());
    }
    Ok(found)
}
