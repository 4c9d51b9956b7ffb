//! What the model is sent: the system prompt as the endpoint received it.

use nuthatch::remember::RememberRequest;
use nuthatch::trust::Origin;
use nuthatch::{Place, Scope};
use nuthatch_rig::{GUIDANCE, Thread};
use serde_json::json;

use crate::scripted::{Scripted, calls, says};
use crate::world::{INSTRUCTIONS, agent, engine, place, place_in};

async fn remember(place: &Place, text: &str) {
    let request = RememberRequest::new(text, place.home().clone());
    place.engine().remember(request).await.unwrap();
}

/// Where each of the texts begins.
fn order(prompt: &str, texts: &[&str]) -> Vec<usize> {
    let found = |text: &&str| {
        assert_eq!(prompt.matches(*text).count(), 1, "{text} is not there once: {prompt}");
        prompt.find(*text).unwrap()
    };
    texts.iter().map(found).collect()
}

#[tokio::test]
async fn the_system_prompt_has_instructions_guidance_memory_and_notes_in_this_order() {
    let place = place();
    remember(&place, "deploys go out on Tuesdays").await;
    place.engine().note("t", "host_info".parse().unwrap(), "the host is ares").unwrap();
    let server = Scripted::start(vec![says("On Tuesdays.")]).unwrap();
    let agent = agent(&server, &Thread::begin(place, "t"));
    let answer = agent.prompt("When do deploys go out?").await.unwrap();
    assert_eq!(answer.output(), "On Tuesdays.");
    let prompt = &server.system_prompts()[0];
    assert!(prompt.starts_with(INSTRUCTIONS), "{prompt}");
    let places = order(
        prompt,
        &[INSTRUCTIONS, GUIDANCE.trim_end(), "deploys go out on Tuesdays", "the host is ares"],
    );
    assert!(places.is_sorted(), "{prompt}");
    let after = prompt.split("the host is ares").nth(1).unwrap();
    assert_eq!(after.trim().lines().count(), 1, "only the block ends after it: {prompt}");
}

#[tokio::test]
async fn what_a_tool_saved_stands_in_front_of_the_next_call() {
    let server = Scripted::start(vec![
        calls("save_memory", &json!({"content": "uses tabs", "category": "preference"})),
        calls("save_session_context", &json!({"content": "the host is ares"})),
        says("Done."),
    ])
    .unwrap();
    let agent = agent(&server, &Thread::begin(place(), "t"));
    agent.prompt("Remember that I use tabs.").await.unwrap();
    let prompts = server.system_prompts();
    let has = |text: &str| prompts.iter().map(|p| p.contains(text)).collect::<Vec<_>>();
    assert_eq!(has("- [preference] uses tabs"), [false, true, true]);
    assert_eq!(has("- [discovery] the host is ares"), [false, false, true]);
    assert_eq!(server.told_by_tools().len(), 2);
}

#[tokio::test]
async fn threads_share_what_lasts_and_nothing_else() {
    let place = place();
    let server = Scripted::start(vec![
        calls("save_memory", &json!({"content": "uses tabs"})),
        calls("save_session_context", &json!({"content": "the host is ares"})),
        says("Done."),
        says("Hello."),
    ])
    .unwrap();
    let first = agent(&server, &Thread::begin(place.clone(), "first"));
    let second = agent(&server, &Thread::begin(place, "second"));
    first.prompt("Remember it.").await.unwrap();
    second.prompt("Hello?").await.unwrap();
    let prompts = server.system_prompts();
    assert!(prompts[2].contains("uses tabs") && prompts[2].contains("the host is ares"));
    assert!(prompts[3].contains("uses tabs"), "{}", prompts[3]);
    assert!(!prompts[3].contains("ares"), "{}", prompts[3]);
}

#[tokio::test]
async fn a_thread_ends_with_the_last_that_belongs_to_it() {
    let place = place();
    let thread = Thread::begin(place.clone(), "t");
    place.engine().note("t", "discovery".parse().unwrap(), "the host is ares").unwrap();
    let server = Scripted::start(Vec::new()).unwrap();
    let agent = agent(&server, &thread);
    drop(thread);
    assert_eq!(place.engine().notes("t").len(), 1, "the agent is still there");
    drop(agent);
    assert!(place.engine().notes("t").is_empty());
}

#[tokio::test]
async fn another_project_and_what_is_quarantined_never_enter() {
    let engine = engine();
    let (shop, blog) = (place_in(engine.clone(), "shop"), place_in(engine, "blog"));
    remember(&blog, "the blog moved to Zurich").await;
    let seen = RememberRequest {
        origin: Origin::Tool,
        ..RememberRequest::new("the mirror is at mirror.example", Scope::Global)
    };
    shop.engine().remember(seen).await.unwrap();
    let server = Scripted::start(vec![says("No.")]).unwrap();
    let agent = agent(&server, &Thread::begin(shop, "t"));
    agent.prompt("Where is the blog, and where the mirror?").await.unwrap();
    let prompt = &server.system_prompts()[0];
    assert!(!prompt.contains("Zurich") && !prompt.contains("mirror.example"), "{prompt}");
}

#[tokio::test]
async fn the_model_is_offered_four_tools() {
    let server = Scripted::start(vec![says("Hello.")]).unwrap();
    let agent = agent(&server, &Thread::begin(place(), "t"));
    agent.prompt("Hello?").await.unwrap();
    let asked = server.asked();
    let tools = asked[0]["tools"].as_array().unwrap();
    let mut names: Vec<&str> =
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["forget", "recall", "save_memory", "save_session_context"]);
}
