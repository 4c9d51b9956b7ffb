//! Chat models as their users see them, against a scripted server and real programs.

use std::time::Duration;

use nuthatch::error::{Kind, Result};
use nuthatch::model::{ChatModel, ChatRequest, Message, Reply, Stop, Tool, ToolCall};
use nuthatch_models::{ApiKey, ChatEndpoint, ChatWire, CommandModel, RemoteModel, Variables};
use nuthatch_testkit::scripted::{Answer, Asked, ScriptedServer};
use serde_json::{Value, json};

const WIRES: [ChatWire; 3] = [ChatWire::OpenAi, ChatWire::Anthropic, ChatWire::Ollama];

/// Put together here, so that no file holds it whole.
fn key() -> String {
    format!("{}-{}", "sk", "never0shown0anywhere")
}

fn model(server: &ScriptedServer, wire: ChatWire) -> RemoteModel {
    let mut endpoint = ChatEndpoint::new(wire, "parrot-7b");
    endpoint.base_url = match wire {
        ChatWire::OpenAi => server.openai_url(),
        _ => server.url().to_owned(),
    };
    endpoint.api_key = Some(ApiKey::new("PARROT_KEY", key()).expect("it is a key"));
    endpoint.timeout = Duration::from_secs(20);
    endpoint.pause = Duration::from_millis(1);
    RemoteModel::new(endpoint).expect("it can be right")
}

fn ask(model: &dyn ChatModel, request: &ChatRequest) -> (Result<Reply>, Vec<String>) {
    let mut heard = Vec::new();
    let reply = pollster::block_on(model.chat(request, &mut |piece| heard.push(piece.to_owned())));
    (reply, heard)
}

fn hello() -> ChatRequest {
    ChatRequest {
        system: "You are a parrot.".into(),
        messages: vec![Message::user("hello")],
        ..ChatRequest::default()
    }
}

#[test]
fn a_text_is_heard_in_pieces_and_whole_in_every_language() {
    for wire in WIRES {
        let server = ScriptedServer::saying(vec![Answer::text("a seed för später")]);
        let (reply, heard) = ask(&model(&server, wire), &hello());
        let reply = reply.unwrap();
        assert_eq!(reply.text, "a seed för später", "{wire:?}");
        assert_eq!(heard, ["a ", "seed ", "för ", "später"], "{wire:?}");
        assert_eq!((reply.stop, reply.calls.len()), (Stop::End, 0), "{wire:?}");
        assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (11, 5), "{wire:?}");
        let asked = &server.asked()[0];
        assert_eq!(asked.system(), "You are a parrot.", "{wire:?}");
        assert_eq!(asked.messages(), [("user".into(), "hello".into())], "{wire:?}");
        assert_eq!(asked.body["model"], "parrot-7b");
    }
}

#[test]
fn the_key_goes_where_its_kind_wants_it() {
    let header = |wire, name: &str| {
        let server = ScriptedServer::saying(vec![Answer::text("yes")]);
        ask(&model(&server, wire), &hello()).0.unwrap();
        server.asked()[0].header(name).map(str::to_owned)
    };
    assert_eq!(header(ChatWire::OpenAi, "authorization"), Some(format!("Bearer {}", key())));
    assert_eq!(header(ChatWire::Anthropic, "x-api-key"), Some(key()));
    assert_eq!(header(ChatWire::Anthropic, "authorization"), None);
    assert!(header(ChatWire::Anthropic, "anthropic-version").is_some());
}

#[test]
fn calls_go_there_and_back_in_every_language() {
    let tool = Tool {
        name: "recall".into(),
        description: "Finds.".into(),
        parameters: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
    };
    for wire in WIRES {
        let arguments = json!({"query": "the \"port\" ü"});
        let server =
            ScriptedServer::saying(vec![Answer::call("recall", arguments.clone()), Answer::Empty]);
        let model = model(&server, wire);
        let mut request = ChatRequest { tools: vec![tool.clone()], ..hello() };
        let reply = ask(&model, &request).0.unwrap();
        assert_eq!(reply.stop, Stop::Calls, "{wire:?}");
        let [call] = reply.calls.as_slice() else { panic!("{wire:?}: {:?}", reply.calls) };
        assert_eq!((&*call.name, &call.arguments), ("recall", &arguments), "{wire:?}");
        request.messages.push(Message::assistant("", reply.calls.clone()));
        request.messages.push(Message::tool(&call.id, "5433"));
        ask(&model, &request).0.unwrap();
        let asked = server.asked().pop().unwrap();
        assert_eq!(asked.tools(), ["recall"], "{wire:?}");
        assert_answered(wire, &asked, call);
    }
}

/// The call and its answer stand in the second request as the language has them.
fn assert_answered(wire: ChatWire, asked: &Asked, call: &ToolCall) {
    let messages: Vec<&Value> = asked.body["messages"]
        .as_array()
        .expect("there are messages")
        .iter()
        .filter(|m| m["role"] != "system")
        .collect();
    match wire {
        ChatWire::OpenAi => {
            let arguments = &messages[1]["tool_calls"][0]["function"]["arguments"];
            assert_eq!(*arguments, call.arguments.to_string());
            assert_eq!(messages[2]["tool_call_id"], *call.id);
        }
        ChatWire::Anthropic => {
            assert_eq!(messages[1]["content"][0]["input"], call.arguments);
            assert_eq!(messages[2]["content"][0]["tool_use_id"], *call.id);
        }
        ChatWire::Ollama => {
            assert_eq!(messages[1]["tool_calls"][0]["function"]["arguments"], call.arguments);
            assert_eq!(messages[2]["tool_name"], "recall");
        }
    }
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let openai = json!({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]});
    let anthropic = json!({"type": "message", "stop_reason": "max_tokens",
        "content": [{"type": "text", "text": "whole"}]});
    for (wire, body, stop) in
        [(ChatWire::OpenAi, openai, Stop::End), (ChatWire::Anthropic, anthropic, Stop::Length)]
    {
        for body in [body.to_string(), format!("{body:#}")] {
            let server = ScriptedServer::saying(vec![Answer::Rubbish(body)]);
            let reply = ask(&model(&server, wire), &hello()).0.unwrap();
            assert_eq!((&*reply.text, reply.stop), ("whole", stop), "{wire:?}");
            assert!(reply.usage.total() > 0, "what is not counted is estimated");
        }
    }
}

#[test]
fn busy_and_failing_servers_are_asked_again_and_refusals_are_not() {
    let again = [
        Answer::Status(429, "retry-after: 0\r\n"),
        Answer::Status(503, ""),
        Answer::HangUp,
        Answer::BrokenOff(String::new()),
    ];
    for wire in WIRES {
        for trouble in &again {
            let server = ScriptedServer::saying(vec![trouble.clone(), Answer::text("at last")]);
            let (reply, _) = ask(&model(&server, wire), &hello());
            assert_eq!(reply.unwrap().text, "at last", "{wire:?} {trouble:?}");
            assert_eq!(server.asked().len(), 2);
        }
        for (status, kind) in [
            (400, Kind::Invalid),
            (401, Kind::Denied),
            (404, Kind::NotFound),
            (307, Kind::Unavailable),
        ] {
            let server = ScriptedServer::saying(vec![Answer::Status(status, "")]);
            let error = ask(&model(&server, wire), &hello()).0.unwrap_err();
            assert_eq!((error.kind(), server.asked().len()), (kind, 1), "{wire:?} {status}");
            let told = format!("{error} {:?} {error:?}", error.hint());
            assert!(!told.contains(&key()) && !told.contains("parrot."), "{told}");
        }
    }
}

#[test]
fn the_providers_own_word_for_a_refusal_is_told() {
    let server = ScriptedServer::saying(vec![Answer::Status(400, "")]);
    let error = ask(&model(&server, ChatWire::OpenAi), &hello()).0.unwrap_err();
    assert!(error.to_string().ends_with("does not take the request (400, scripted)"), "{error}");
}

#[test]
fn what_has_been_heard_is_not_asked_for_again() {
    for wire in WIRES {
        let long = "one two three four five six seven eight".to_owned();
        let server = ScriptedServer::saying(vec![Answer::BrokenOff(long)]);
        let (reply, heard) = ask(&model(&server, wire), &hello());
        assert_eq!(reply.unwrap_err().kind(), Kind::Unavailable, "{wire:?}");
        assert!(!heard.is_empty() && server.asked().len() == 1, "{wire:?}: {heard:?}");
    }
}

#[test]
fn rubbish_is_an_error_and_an_empty_answer_is_none() {
    for wire in WIRES {
        for rubbish in ["<html>no</html>", "data: {broken\n\n", "{\"x\": 1}", ""] {
            let server = ScriptedServer::saying(vec![Answer::Rubbish(rubbish.into())]);
            let error = ask(&model(&server, wire), &hello()).0.unwrap_err();
            assert_eq!(error.kind(), Kind::Unavailable, "{wire:?} {rubbish:?}");
        }
        let server = ScriptedServer::saying(vec![Answer::Empty]);
        let reply = ask(&model(&server, wire), &hello()).0.unwrap();
        assert_eq!((&*reply.text, reply.calls.len()), ("", 0), "{wire:?}");
    }
}

#[test]
fn a_silent_server_is_given_up_on() {
    let server = ScriptedServer::saying(vec![Answer::Silence]);
    let mut endpoint = ChatEndpoint::new(ChatWire::Ollama, "parrot");
    server.url().clone_into(&mut endpoint.base_url);
    (endpoint.timeout, endpoint.attempts) = (Duration::from_millis(50), 1);
    let error = ask(&RemoteModel::new(endpoint).unwrap(), &hello()).0.unwrap_err();
    assert!(error.to_string().contains("did not answer in time"), "{error}");
}

#[test]
fn only_an_address_of_this_machine_is_free() {
    let paid = |wire, url: &str| {
        let mut endpoint = ChatEndpoint::new(wire, "m");
        if !url.is_empty() {
            url.clone_into(&mut endpoint.base_url);
        }
        RemoteModel::new(endpoint).unwrap().info().paid
    };
    assert!(paid(ChatWire::OpenAi, "") && paid(ChatWire::Anthropic, ""));
    assert!(!paid(ChatWire::OpenAi, "http://127.0.0.1:8080/v1") && !paid(ChatWire::Ollama, ""));
}

fn command(argv: &[&str]) -> CommandModel {
    let argv = argv.iter().map(|part| (*part).to_owned()).collect();
    CommandModel::new(argv, Variables::Only(vec!["PATH".into()]), Duration::from_secs(20))
        .expect("it names a program")
}

#[test]
fn a_program_reads_the_conversation_and_prints_the_answer() {
    let (reply, heard) = ask(&command(&["cat"]), &hello());
    assert_eq!(reply.unwrap().text, "You are a parrot.\n\nhello");
    assert_eq!(heard.concat(), "You are a parrot.\n\nhello");
    let mut talk = hello();
    talk.messages = vec![Message::user("a"), Message::assistant("b", vec![]), Message::user("c")];
    let text = ask(&command(&["cat"]), &talk).0.unwrap().text;
    assert_eq!(text, "You are a parrot.\n\nUser: a\n\nAssistant: b\n\nUser: c");
}

#[test]
fn a_program_that_fails_hangs_or_is_missing_says_so() {
    let failed = command(&["sh", "-c", "echo gone wrong >&2; exit 3"]);
    let error = ask(&failed, &hello()).0.unwrap_err();
    assert!(error.to_string().contains("`sh` failed (exit status: 3)"), "{error}");
    assert_eq!(error.hint(), Some("it says: gone wrong"));
    let argv = ["sh", "-c", "sleep 100 & sleep 100"].map(str::to_owned).to_vec();
    let hangs = CommandModel::new(argv, Variables::All, Duration::from_millis(50)).unwrap();
    assert!(ask(&hangs, &hello()).0.unwrap_err().to_string().contains("did not end within"));
    let error = ask(&command(&["no-such-program-here"]), &hello()).0.unwrap_err();
    assert!(error.to_string().contains("cannot start") && error.hint().is_some(), "{error}");
    assert!(CommandModel::new(vec![], Variables::All, Duration::ZERO).is_err());
}

#[test]
fn what_a_program_leaves_running_is_ended_and_not_waited_for() {
    let leaves = command(&["sh", "-c", "sleep 300 & echo $!; echo answer"]);
    let text = ask(&leaves, &hello()).0.unwrap().text;
    let (left, said) = text.split_once('\n').unwrap();
    assert_eq!(said, "answer");
    // It was told to end; a busy machine takes a moment over it.
    let stat = format!("/proc/{left}/stat");
    while std::fs::read_to_string(&stat).is_ok_and(|state| !state.contains(") Z ")) {
        std::thread::yield_now();
    }
    let fails = command(&["sh", "-c", "sleep 300 >/dev/null & echo gone wrong >&2; exit 3"]);
    assert_eq!(ask(&fails, &hello()).0.unwrap_err().hint(), Some("it says: gone wrong"));
}

#[test]
fn a_program_sees_only_the_variables_it_may() {
    let reply = ask(&command(&["env"]), &hello()).0.unwrap();
    let names: Vec<&str> = reply.text.lines().filter_map(|l| l.split('=').next()).collect();
    assert_eq!(names, ["PATH"]);
}
