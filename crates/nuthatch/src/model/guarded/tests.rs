//! What a guarded model is asked, and when it is not asked at all.

use std::sync::Mutex;

use super::super::Stop;
use super::*;

/// Keeps what it was asked and answers with as many tokens as it may.
struct Parrot {
    paid: bool,
    asked: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Parrot {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "openai".into(), name: "parrot".into(), paid: self.paid }
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        _: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        self.asked.lock().unwrap().push(request.clone());
        let usage = Usage {
            input_tokens: request.estimated_tokens(),
            output_tokens: request.max_tokens.map_or(10, u64::from),
        };
        Ok(Reply { text: "yes".into(), calls: Vec::new(), usage, stop: Stop::End })
    }
}

#[derive(Default)]
struct Notebook(AtomicU64);

impl Ledger for Notebook {
    fn spent_today(&self) -> Result<u64> {
        Ok(self.0.load(Ordering::Relaxed))
    }

    fn spend(&self, _: &ModelInfo, usage: Usage) -> Result<()> {
        self.0.fetch_add(usage.total(), Ordering::Relaxed);
        Ok(())
    }
}

fn guarded(paid: bool, ceiling: Ceiling) -> (Guarded, Arc<Parrot>) {
    let parrot = Arc::new(Parrot { paid, asked: Mutex::default() });
    let inner = Arc::<Parrot>::clone(&parrot);
    (Guarded::new(inner, ceiling, Arc::<Notebook>::default()), parrot)
}

fn ask(model: &Guarded, text: &str) -> Result<Reply> {
    let request = ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() };
    pollster::block_on(model.chat(&request, &mut |_| {}))
}

#[test]
fn a_secret_never_reaches_the_model() {
    let tail: String = ('a'..='z').chain('A'..='J').collect();
    let token = format!("{}{}{tail}", "gh", "p_");
    let (model, parrot) = guarded(false, Ceiling::default());
    let request = ChatRequest {
        system: format!("use {token}"),
        messages: vec![
            Message::user(format!("mine is {token}")),
            Message::assistant(
                String::new(),
                vec![ToolCall {
                    id: "1".into(),
                    name: "shell".into(),
                    arguments: serde_json::json!({"command": format!("curl -H {token}")}),
                }],
            ),
        ],
        ..ChatRequest::default()
    };
    pollster::block_on(model.chat(&request, &mut |_| {})).unwrap();
    let asked = format!("{:?}", parrot.asked.lock().unwrap());
    assert!(!asked.contains(&token) && asked.contains("redacted"), "{asked}");
}

#[test]
fn a_paid_model_is_not_asked_without_a_budget() {
    let (model, parrot) = guarded(true, Ceiling::default());
    let error = ask(&model, "hello").unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert!(parrot.asked.lock().unwrap().is_empty());
    let (model, _) = guarded(true, Ceiling { per_run: 1000, per_day: 0 });
    assert!(ask(&model, "hello").is_err());
}

#[test]
fn no_run_and_no_day_costs_more_than_it_may() {
    for ceiling in
        [Ceiling { per_run: 500, per_day: 9000 }, Ceiling { per_run: 9000, per_day: 500 }]
    {
        let (model, _) = guarded(true, ceiling);
        while ask(&model, "a question of some length").is_ok() {}
        assert!(model.spent() > 0 && model.spent() <= 500, "{}", model.spent());
    }
}

#[test]
fn a_free_model_needs_no_budget() {
    let (model, parrot) = guarded(false, Ceiling::default());
    ask(&model, "hello").unwrap();
    assert_eq!(parrot.asked.lock().unwrap()[0].max_tokens, None);
}
