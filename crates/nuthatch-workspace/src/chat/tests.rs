//! What a chat does with what its model answers.

use std::sync::Mutex;

use nuthatch::error::Error;
use nuthatch::model::{ModelInfo, Reply, Stop};

use super::*;

struct Script(Mutex<Vec<Result<Reply>>>, Mutex<Vec<ChatRequest>>);

#[async_trait]
impl ChatModel for Script {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "ollama".into(), name: "script".into(), paid: false }
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        _: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        self.1.lock().unwrap().push(request.clone());
        self.0.lock().unwrap().remove(0)
    }
}

struct Echo;

#[async_trait]
impl Hands for Echo {
    fn tools(&self) -> Vec<Tool> {
        tools()
    }

    async fn call(&mut self, call: &ToolCall) -> Result<String> {
        Ok(format!("did {}", call.name))
    }
}

fn reply(text: &str, call: Option<&str>) -> Result<Reply> {
    let call =
        call.map(|name| ToolCall { id: "1".into(), name: name.into(), arguments: json!({}) });
    let (calls, stop) = (call.into_iter().collect(), Stop::End);
    Ok(Reply { text: text.into(), calls, usage: Usage::default(), stop })
}

fn script(replies: Vec<Result<Reply>>) -> Script {
    Script(Mutex::new(replies), Mutex::default())
}

fn say(chat: &mut Chat, model: &Script, text: &str) -> Result<Answered> {
    pollster::block_on(chat.say(text, model, &mut Echo, &mut |_| {}))
}

#[test]
fn what_tools_say_goes_back_to_the_model() {
    let model = script(vec![reply("", Some("recall")), reply("it is 5433", None)]);
    let mut chat = Chat::new("be brief");
    let answered = say(&mut chat, &model, "which port?").unwrap();
    assert_eq!((&*answered.text, &*answered.done), ("it is 5433", &["recall".to_owned()][..]));
    let asked = model.1.lock().unwrap();
    let said: Vec<&str> = asked[1].messages.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(said, ["which port?", "", "did recall"]);
}

#[test]
fn what_fails_counts_as_never_said() {
    let broken = Err(Error::unavailable("broke off"));
    let model = script(vec![reply("", Some("recall")), broken, reply("hello", None)]);
    let mut chat = Chat::new("");
    assert!(say(&mut chat, &model, "first").is_err());
    say(&mut chat, &model, "second").unwrap();
    let asked = model.1.lock().unwrap();
    assert_eq!(asked[2].messages.len(), 1);
    assert_eq!(asked[2].messages[0].text, "second");
}

#[test]
fn a_model_that_goes_in_circles_is_made_to_answer() {
    let circles = (0..=MOST_ROUNDS).map(|_| reply("hm", Some("recall"))).collect();
    let model = script(circles);
    assert_eq!(say(&mut Chat::new(""), &model, "x").unwrap().text, "hm");
    assert!(model.1.lock().unwrap().last().unwrap().tools.is_empty());
}
