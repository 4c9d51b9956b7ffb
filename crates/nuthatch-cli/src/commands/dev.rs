//! `nuthatch dev`: speaks JSON to a device, as an agent would.
//!
//! The answer is always the device's own JSON on stdout, failures included; the exit code
//! tells the kind of failure. What is written this way was said by an agent.

use clap::Args;
use nuthatch::device::{self, DeviceAnswer, DeviceContext};
use nuthatch::error::{Error, Result};
use nuthatch::filter::Scopes;
use nuthatch::trust::Origin;
use serde_json::Value;

use super::Ending;
use crate::input;
use crate::output::Output;
use crate::wiring::Desk;

const EXAMPLES: &str = "\
Examples:
  $ nuthatch dev /dev/memory/commit '{\"action\": \"add\", \"content\": \"CI runs on Linux\"}'
  $ nuthatch dev /dev/memory/recall '{\"query\": \"where does CI run\"}'
  $ echo '{\"action\": \"snapshot\", \"target\": \"memory\"}' | nuthatch dev /dev/memory/commit
  $ nuthatch dev /dev/memory/profile '{\"action\": \"capacity\"}'";

/// Arguments of `dev`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DevArgs {
    /// Which device: /dev/memory/commit, /dev/memory/recall or /dev/memory/profile
    #[arg(value_name = "PATH")]
    path: String,
    /// What to say to it; `-`, or nothing with something piped in, reads standard input
    #[arg(value_name = "JSON")]
    body: Option<String>,
}

/// Speaks, and prints the answer.
pub async fn run(args: &DevArgs, desk: Result<&Desk>, out: &mut Output) -> Result<Ending> {
    let answer = match (desk, body(args.body.as_ref())) {
        (Ok(desk), Ok(body)) => speak(&args.path, &body, desk).await,
        // What never reached the device has the shape of its failures all the same.
        (_, Err(error)) | (Err(error), _) => DeviceAnswer::from(Err(error)),
    };
    out.json(&answer.body)?;
    Ok(answer.failure.map_or(Ending::Well, |error| Ending::Badly(error.kind())))
}

async fn speak(path: &str, body: &Value, desk: &Desk) -> DeviceAnswer {
    let context = DeviceContext {
        project: desk.project().clone(),
        visible: Scopes::These(desk.visible()),
        origin: Origin::Agent,
    };
    device::speak(desk.engine(), path, body, &context).await
}

fn body(argument: Option<&String>) -> Result<Value> {
    let words: Vec<String> = argument.into_iter().cloned().collect();
    let text = match input::text_or_pipe(&words)? {
        // Nothing was said at all: the device itself says what it needs.
        Some(piped) if argument.is_none() && piped.trim().is_empty() => "{}".to_owned(),
        text => text.unwrap_or_else(|| "{}".to_owned()),
    };
    serde_json::from_str(&text)
        .map_err(|error| Error::invalid(format!("not JSON: {error}")).with_source(error))
}
