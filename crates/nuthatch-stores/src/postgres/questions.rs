//! What a set will ask, asked at once before it begins.
//!
//! A writer keeps all others of its tenant waiting, and most of its time goes by on the way to the
//! server and back. So the questions that its changes are known to ask are sent together, and each is
//! answered from what came back, as long as nothing was written that could answer it otherwise.

use futures_util::future::try_join_all;
use jiff::Timestamp;
use nuthatch::category::Category;
use nuthatch::change::{Change, ChangeSet};
use nuthatch::error::Result;
use nuthatch::id::ChangeSetId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use tokio_postgres::Row;

use super::codec::{self, Param, hash};
use super::connect::{Conn, params};

/// Questions asked at once at most: of a large set most would be asked in vain.
const MOST: usize = 16;

/// A statement that reads, and its parameters after the tenant.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    sql: String,
    values: Vec<Param>,
}

impl Question {
    fn new(sql: impl Into<String>, values: impl Into<Vec<Param>>) -> Self {
        Question { sql: sql.into(), values: values.into() }
    }

    /// What was noted when a set was applied.
    pub fn receipt(id: ChangeSetId) -> Self {
        let sql = "SELECT receipt FROM nuthatch.applied WHERE tenant = $1 AND id = $2";
        Question::new(sql, params![id.0])
    }

    /// The first memory for which a condition holds.
    pub fn memory(condition: &str, values: impl Into<Vec<Param>>) -> Self {
        let sql = format!(
            "SELECT {} FROM nuthatch.memories AS m WHERE m.tenant = $1 AND {condition} \
             ORDER BY m.created_at, m.id LIMIT 1",
            codec::MEMORY
        );
        Question::new(sql, values)
    }

    pub fn memory_of_key(scope: &Scope, key: &str) -> Self {
        let condition = "m.scope = $2 AND m.key_hash = $3 AND m.key = $4";
        Question::memory(condition, params![scope, hash(key), key])
    }

    pub fn memory_of_content(scope: &Scope, content: &str) -> Self {
        let condition =
            "m.scope = $2 AND m.content_hash = $3 AND m.content = $4 AND m.superseded_by IS NULL";
        Question::memory(condition, params![scope, hash(content), content])
    }

    pub fn expired(category: &Category, before: Timestamp) -> Self {
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND category = $2 \
                   AND created_at < $3 AND NOT pinned ORDER BY created_at, id";
        Question::new(sql, params![category.as_str(), before])
    }

    pub fn usage(scope: &Scope) -> Self {
        let sql = "SELECT entries, chars FROM nuthatch.scopes WHERE tenant = $1 AND scope = $2";
        Question::new(sql, params![scope])
    }

    pub fn members(scope: &Scope) -> Self {
        let sql = "SELECT id FROM nuthatch.memories WHERE tenant = $1 AND scope = $2 \
                   ORDER BY created_at, id";
        Question::new(sql, params![scope])
    }

    pub async fn ask(&self, conn: &Conn) -> Result<Vec<Row>> {
        conn.rows(&self.sql, &self.values).await
    }

    /// What storing a memory asks.
    fn of_remembering(memory: &Memory) -> impl Iterator<Item = Question> {
        let of_key = memory.key.as_deref().map(|key| Question::memory_of_key(&memory.scope, key));
        let of_content = Question::memory_of_content(&memory.scope, &memory.content);
        [Question::usage(&memory.scope)].into_iter().chain(of_key).chain([of_content])
    }

    /// What a set asks, whatever becomes of it on the way.
    fn of_set(set: &ChangeSet) -> Vec<Question> {
        let mut questions = vec![Question::receipt(set.id())];
        for change in set.changes() {
            match change {
                Change::Expire { category, before } => {
                    questions.push(Question::expired(category, *before));
                }
                Change::Remember(change) => {
                    questions.extend(Question::of_remembering(&change.memory));
                    break;
                }
                // It may write what later ones ask about.
                _ => break,
            }
        }
        questions.truncate(MOST);
        questions
    }
}

/// Answers that came before they were asked for.
#[derive(Default)]
pub struct Foretold(Vec<(Question, Vec<Row>)>);

impl Foretold {
    /// Asks what a set will ask.
    pub async fn of(conn: &Conn, set: &ChangeSet) -> Result<Foretold> {
        let questions = Question::of_set(set);
        let answers = try_join_all(questions.iter().map(|question| question.ask(conn))).await?;
        Ok(Foretold(questions.into_iter().zip(answers).collect()))
    }

    /// The answer to a question, once.
    pub fn take(&mut self, question: &Question) -> Option<Vec<Row>> {
        let place = self.0.iter().position(|(known, _)| known == question)?;
        Some(self.0.swap_remove(place).1)
    }

    /// Something is written: nothing of it holds any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
