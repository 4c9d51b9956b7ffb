//! `nuthatch profile`: reads and writes the profile of the user.
//!
//! Speaks to the device `/dev/memory/profile`, as agents do; entries are matched by their
//! whole text.

use clap::{Args, Subcommand};
use nuthatch::device::{self, DeviceContext};
use nuthatch::error::Result;
use nuthatch::filter::Scopes;
use nuthatch::scope::Scope;
use nuthatch::trust::Origin;
use serde_json::{Value, json};

use crate::output::Output;
use crate::wiring::Desk;
use crate::{input, render};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch profile add works as a gardener
  $ nuthatch profile
  $ nuthatch profile replace \"works as a gardener\" \"works as a forester\"
  $ nuthatch profile capacity
  $ nuthatch profile remove works as a forester";

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProfileArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

/// What can be done with the profile.
#[derive(Debug, Subcommand)]
enum Action {
    /// Show every entry, oldest first (the default)
    Show,
    /// Add an entry
    Add {
        /// Its text; words are joined, `-` reads standard input
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Replace an entry
    Replace {
        /// The whole text of the entry
        old: String,
        /// The new text
        new: String,
    },
    /// Remove an entry
    Remove {
        /// The whole text of the entry; words are joined
        #[arg(required = true)]
        old: Vec<String>,
    },
    /// Say how much room is used
    Capacity,
}

impl Action {
    fn request(&self) -> Result<Value> {
        Ok(match self {
            Action::Show => json!({"action": "snapshot"}),
            Action::Add { text } => json!({"action": "add", "content": input::text(text)?}),
            Action::Replace { old, new } => json!({"action": "replace", "old": old, "new": new}),
            Action::Remove { old } => json!({"action": "remove", "old": old.join(" ")}),
            Action::Capacity => json!({"action": "capacity"}),
        })
    }
}

/// Speaks to the device and prints its answer.
pub async fn run(args: ProfileArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let action = args.action.unwrap_or(Action::Show);
    let context = DeviceContext {
        project: desk.project().clone(),
        visible: Scopes::These(vec![Scope::User]),
        origin: Origin::User,
    };
    let request = action.request()?;
    let answer = device::speak(desk.engine(), "/dev/memory/profile", &request, &context).await;
    match answer.failure {
        Some(error) => Err(error),
        None => out.answer(&answer.body, |out, body| print(&action, body, out)),
    }
}

fn print(action: &Action, body: &Value, out: &mut Output) -> Result<()> {
    match action {
        Action::Show => {
            let entries = body["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
            if entries.is_empty() {
                return out.note("the profile is empty");
            }
            for entry in entries.iter().filter_map(Value::as_str) {
                out.line(format_args!("- {}", render::visible(entry).replace('\n', "\n  ")))?;
            }
            Ok(())
        }
        Action::Capacity => {
            let limit = body["limit"].as_u64().map_or("no limit".to_owned(), |n| n.to_string());
            let unit = body["unit"].as_str().unwrap_or_default();
            out.line(format_args!("{} of {limit} {unit} used", body["used"]))
        }
        Action::Add { .. } | Action::Replace { .. } | Action::Remove { .. } => {
            out.say(body["message"].as_str().unwrap_or("done"))
        }
    }
}
