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

/// Spent, and set aside.
#[derive(Default)]
struct Notebook(Mutex<(u64, u64)>);

impl Ledger for Notebook {
    fn spent_today(&self) -> Result<u64> {
        let (spent, aside) = *self.0.lock().unwrap();
        Ok(spent + aside)
    }

    fn reserve(&self, _: &ModelInfo, need: Need, per_day: u64) -> Result<Option<Reserved>> {
        let (spent, aside) = &mut *self.0.lock().unwrap();
        let tokens = need.most.min(per_day.saturating_sub(*spent + *aside));
        if tokens < need.least {
            return Ok(None);
        }
        *aside += tokens;
        Ok(Some(Reserved { call: "1".into(), tokens }))
    }

    fn spend(&self, _: &ModelInfo, usage: Usage, reserved: Option<&Reserved>) -> Result<()> {
        let (spent, aside) = &mut *self.0.lock().unwrap();
        *spent += usage.total();
        *aside -= reserved.map_or(0, |reserved| reserved.tokens);
        Ok(())
    }

    fn release(&self, reserved: &Reserved) -> Result<()> {
        self.0.lock().unwrap().1 -= reserved.tokens;
        Ok(())
    }
}

fn guarded(paid: bool, ceiling: Ceiling) -> (Guarded, Arc<Parrot>) {
    let parrot = Arc::new(Parrot { paid, asked: Mutex::default() });
    let inner = Arc::<Parrot>::clone(&parrot);
    (Guarded::new(inner, ceiling, Arc::<Notebook>::default()), parrot)
}

/// Never answers.
struct Mute;

#[async_trait]
impl ChatModel for Mute {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "openai".into(), name: "mute".into(), paid: true }
    }

    async fn chat(
        &self,
        _: &ChatRequest,
        _: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        Err(Error::unavailable("it says nothing"))
    }
}

#[test]
fn what_is_set_aside_by_others_is_not_spent_again_and_what_came_to_nothing_is_given_back() {
    let ledger = Arc::<Notebook>::default();
    let ceiling = Ceiling { per_run: 9000, per_day: 500 };
    let mute = Guarded::new(Arc::new(Mute), ceiling, ledger.clone());
    assert_eq!(ask(&mute, "hello").unwrap_err().kind(), Kind::Unavailable);
    assert_eq!(ledger.spent_today().unwrap(), 0);

    let need = Need { least: 100, most: 450 };
    let other = ledger.reserve(&mute.info(), need, 500).unwrap().unwrap();
    let error = ask(&mute, "hello").unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert!(error.to_string().contains("of the day has 50 tokens left"), "{error}");
    ledger.release(&other).unwrap();
    assert_eq!(ask(&mute, "hello").unwrap_err().kind(), Kind::Unavailable);
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
