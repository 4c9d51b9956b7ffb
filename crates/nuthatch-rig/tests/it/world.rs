//! Places, agents and models for the tests.

use std::sync::Arc;

use jiff::tz::TimeZone;
use nuthatch::id::ProjectId;
use nuthatch::{Engine, Place, Rules, Scope};
use nuthatch_rig::{Thread, create_agent};
use nuthatch_stores::{InMemoryStore, SystemClock, SystemIds};
use rig_agent::Agent;
use rig_core::http_client::DynHttpClient;
use rig_core::providers::openai::OpenAIConfig;
use rig_reqwest::ReqwestClient;

use crate::scripted::Scripted;

pub(crate) const INSTRUCTIONS: &str = "You help to run a shop.";

pub(crate) fn engine() -> Engine {
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds::default()));
    Engine::new(Arc::new(InMemoryStore::default()), clock, ids, Rules::default())
}

pub(crate) fn place_in(engine: Engine, project: &str) -> Place {
    let project = Scope::Project(ProjectId::new(project).unwrap());
    Place::new(engine, project.clone(), project, TimeZone::UTC)
}

pub(crate) fn place() -> Place {
    place_in(engine(), "shop")
}

/// An agent whose model is the endpoint.
pub(crate) fn agent(server: &Scripted, thread: &Thread) -> Agent {
    let config = OpenAIConfig { base_url: server.url(), ..OpenAIConfig::new("none") };
    let model = config.connect(DynHttpClient::new(ReqwestClient::default())).chat("scripted");
    create_agent(model, thread, INSTRUCTIONS)
}
