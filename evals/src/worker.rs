//! Ours as a peer among peers: one JSON line in, one out, as the workers of the libraries in
//! `evals/peers` do it.
//!
//! `{"do": "add", "turn": {…}}` records a turn of the uniform form, durable, found by words
//! and embedded when it answers; `{"do": "search", "ns", "query", "limit"}` gives ids, and
//! `{"do": "know", "turn": {…}}` names a turn that the store holds already.

use std::collections::BTreeMap;
use std::io::{BufRead, Write, stdin, stdout};

use anyhow::{Context, bail};
use jiff::Timestamp;
use nuthatch::filter::{Filter, Include, Scopes};
use nuthatch::id::{SessionId, TurnId};
use nuthatch::recall::RecallRequest;
use nuthatch::record::Conversation;
use nuthatch::scope::Scope;
use nuthatch::session::{Session, Turn};
use serde_json::{Value, json};

use crate::data::field;
use crate::embedding::Choice;
use crate::retrieval::{project, role};
use crate::uniform;
use crate::when;
use crate::world::{World, block_on};

/// Answers until its input ends.
pub(crate) fn run(store: &str, embedder: &Choice) -> anyhow::Result<()> {
    block_on(async {
        let mut worker = Worker::open(store, embedder).await?;
        for line in stdin().lock().lines() {
            let answer = match worker.answer(&serde_json::from_str(&line?)?).await {
                Ok(answer) => answer,
                Err(error) => json!({"error": format!("{error:#}")}),
            };
            writeln!(stdout(), "{answer}")?;
            stdout().flush()?;
        }
        Ok(())
    })
}

struct Worker {
    world: World,
    /// The conversations there are, with how many turns each has.
    sessions: BTreeMap<SessionId, (Session, u64)>,
    /// What the other side calls each turn.
    names: BTreeMap<TurnId, String>,
}

impl Worker {
    async fn open(store: &str, embedder: &Choice) -> anyhow::Result<Worker> {
        let world = World::open(Some(store), embedder).await?;
        Ok(Worker { world, sessions: BTreeMap::new(), names: BTreeMap::new() })
    }

    async fn answer(&mut self, message: &Value) -> anyhow::Result<Value> {
        match field(message, "do") {
            "ready" => Ok(json!({})),
            "add" => self.add(message.get("turn").context("no turn")?).await,
            "know" => {
                self.place(message.get("turn").context("no turn")?)?;
                Ok(json!({}))
            }
            "search" => self.search(message).await,
            other => bail!("no verb {other:?}"),
        }
    }

    async fn add(&mut self, turn: &Value) -> anyhow::Result<Value> {
        let talk = self.place(turn)?;
        self.world.record(vec![talk]).await?;
        self.world.settle().await?;
        Ok(json!({}))
    }

    /// The next turn of its conversation, under the name the other side gives it.
    fn place(&mut self, turn: &Value) -> anyhow::Result<Conversation> {
        let line: uniform::Turn = serde_json::from_value(turn.clone())?;
        let id = SessionId::new(format!("{}/{}", line.ns, line.session))?;
        let at = when::parse(&line.ts).unwrap_or_else(Timestamp::now);
        if !self.sessions.contains_key(&id) {
            let mut session = Session::new(id.clone(), at);
            session.project = Some(project(&line.ns)?);
            self.sessions.insert(id.clone(), (session, 0));
        }
        let (session, count) = self.sessions.get_mut(&id).context("the session is there")?;
        session.last_active_at = session.last_active_at.max(at);
        let (seq, role, text) = (*count, role(&line.who), line.text);
        let turn = Turn { session: id, seq, at, role, text, asked: None };
        *count += 1;
        self.names.insert(turn.id(), line.id);
        Ok(Conversation { session: session.clone(), turns: vec![turn] })
    }

    async fn search(&self, message: &Value) -> anyhow::Result<Value> {
        let limit = message.get("limit").and_then(Value::as_u64).context("no limit")?;
        let scope = Scope::Project(project(field(message, "ns"))?);
        let mut filter = Filter::scoped(Scopes::These(vec![scope]));
        filter.include = Include::Sessions;
        let limit = usize::try_from(limit)?;
        let request = World::recall_request(field(message, "query"));
        let request = RecallRequest { filter, limit, ..request };
        let found = self.world.found(&request).await?;
        let ids: Vec<&String> = found
            .into_iter()
            .filter_map(|hit| self.names.get(&TurnId { session: hit.session, seq: hit.seq? }))
            .collect();
        Ok(json!({"ids": ids}))
    }
}
