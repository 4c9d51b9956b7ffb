//! A model that a test decides, which costs nothing that anybody counts.
//!
//! For tests of whoever asks a model; budgets are tried in `guarded`, with ledgers of their own.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::{
    Ceiling, ChatModel, ChatRequest, Guarded, Ledger, ModelInfo, Need, Reply, Reserved, Stop, Usage,
};
use crate::error::Result;

/// Gives its answers one after the other, then says nothing; keeps what it was asked.
pub(crate) struct Scripted {
    answers: Mutex<Vec<String>>,
    asked: Mutex<Vec<ChatRequest>>,
    paid: bool,
}

impl Scripted {
    /// With these answers, asked through the guard.
    pub(crate) fn guarded(answers: &[&str], paid: bool) -> (Arc<Scripted>, Guarded) {
        let answers = Mutex::new(answers.iter().map(|text| (*text).to_owned()).collect());
        let scripted = Arc::new(Scripted { answers, asked: Mutex::default(), paid });
        let inner = Arc::<Scripted>::clone(&scripted);
        (scripted, Guarded::new(inner, Ceiling::default(), Arc::new(Free)))
    }

    /// What it was asked, in order.
    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl ChatModel for Scripted {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "ollama".into(), name: "scripted".into(), paid: self.paid }
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        _: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        self.asked.lock().unwrap().push(request.clone());
        let mut answers = self.answers.lock().unwrap();
        let text = if answers.is_empty() { String::new() } else { answers.remove(0) };
        let usage = Usage { input_tokens: 100, output_tokens: 10 };
        Ok(Reply { text, calls: Vec::new(), usage, stop: Stop::End })
    }
}

/// Counts nothing.
struct Free;

impl Ledger for Free {
    fn spent_today(&self) -> Result<u64> {
        Ok(0)
    }

    fn reserve(&self, _: &ModelInfo, need: Need, per_day: u64) -> Result<Option<Reserved>> {
        let granted = need.most.min(per_day);
        let reserved = Reserved { call: String::new(), tokens: granted };
        Ok((granted >= need.least).then_some(reserved))
    }

    fn spend(&self, _: &ModelInfo, _: Usage, _: Option<&Reserved>) -> Result<()> {
        Ok(())
    }

    fn release(&self, _: &Reserved) -> Result<()> {
        Ok(())
    }
}
