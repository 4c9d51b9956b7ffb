//! A rig agent with a memory, from the first word to the next conversation.
//!
//! The model is a script on loopback, so that this runs anywhere and costs nothing; any other
//! model of rig takes its place. Run it with `cargo run --example agent`.

mod scripted;

use std::error::Error;
use std::sync::Arc;

use jiff::tz::TimeZone;
use nuthatch::id::ProjectId;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_rig::{Thread, create_agent};
use nuthatch_stores::{InMemoryStore, SystemClock, SystemIds};
use rig_core::http_client::DynHttpClient;
use rig_core::providers::openai::OpenAIConfig;
use rig_reqwest::ReqwestClient;
use serde_json::json;

use scripted::{Scripted, calls, says};

/// A memory in RAM. `nuthatch_stores::open` opens one that lasts.
fn place() -> nuthatch::Result<Place> {
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds::default()));
    let engine = Engine::new(Arc::new(InMemoryStore::default()), clock, ids, Rules::default());
    let project = Scope::Project(ProjectId::new("shop")?);
    Ok(Place::new(engine, project.clone(), project, TimeZone::UTC))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let script = vec![
        calls("save_memory", &json!({"content": "deploys go out on Tuesdays"})),
        calls("save_session_context", &json!({"content": "the host is ares"})),
        says("I will remember that."),
        says("On Tuesdays."),
    ];
    let server = Scripted::start(script)?;
    let config = OpenAIConfig { base_url: server.url(), ..OpenAIConfig::new("none") };
    let model =
        || config.clone().connect(DynHttpClient::new(ReqwestClient::default())).chat("scripted");

    let place = place()?;
    for (thread, question) in [
        ("monday", "Deploys go out on Tuesdays. Remember that."),
        ("tuesday", "When do deploys go out?"),
    ] {
        let thread = Thread::begin(place.clone(), thread);
        let agent = create_agent(model(), &thread, "You help to run a shop.");
        println!("> {question}\n{}\n", agent.prompt(question).await?.output());
    }
    for (number, prompt) in server.system_prompts().iter().enumerate() {
        println!("--- system prompt {} ---\n{prompt}\n", number + 1);
    }
    Ok(())
}
