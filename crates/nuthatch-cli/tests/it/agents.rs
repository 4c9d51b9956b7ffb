//! Agents and plans for tests: a project with a scripted model behind it.

use nuthatch_testkit::scripted::{Answer, Asked, ScriptedServer};

use crate::sandbox::Sandbox;

/// An agent that repeats what it is given.
pub(crate) const ECHO: &str = "description = \"Repeats.\"\nengine = { command = [\"cat\"] }\n";

pub(crate) fn with_echo() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".nuthatch/agents/echo.toml", ECHO);
    sandbox
}

/// A sandbox whose default model is a server with this script.
pub(crate) fn with_model(
    script: impl Fn(usize, &Asked) -> Answer + Send + Sync + 'static,
) -> (Sandbox, ScriptedServer) {
    let server = ScriptedServer::start(script);
    let sandbox = Sandbox::new();
    sandbox.configure(&format!(
        "[models.default]\nprovider = \"openai\"\nmodel = \"parrot\"\nbase_url = \"{}\"\n",
        server.openai_url()
    ));
    (sandbox, server)
}

pub(crate) fn agent(sandbox: &Sandbox, id: &str, prompt: &str) {
    sandbox.write(&format!(".nuthatch/agents/{id}.toml"), &format!("prompt = \"{prompt}\"\n"));
}
