//! Lists the commands there are, with whose they are and what cannot be used.
//!
//! Nothing is expanded or run for it.

use std::path::Path;

use nuthatch::error::Result;
use nuthatch_workspace::commands::{Catalogue, Definition, Origin, Unusable};
use nuthatch_workspace::trust::{Subject, Trust};
use serde::Serialize;

use super::consent::subject;
use crate::output::Output;
use crate::render;

#[derive(Debug, Serialize)]
struct Listed<'a> {
    commands: Vec<Line<'a>>,
    unusable: &'a [Unusable],
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    name: &'a str,
    description: &'a str,
    origin: Origin,
    trusted: bool,
}

/// Prints them by name.
pub fn print(catalogue: &Catalogue, trust: &Trust, root: &Path, out: &mut Output) -> Result<()> {
    let line = |definition: &'_ Definition| -> Result<bool> {
        let what = subject(definition);
        let subject = Subject { root, what: &what, content: &definition.content };
        Ok(definition.origin == Origin::User || trust.holds(subject)?)
    };
    let mut commands = Vec::new();
    for definition in catalogue.commands.values() {
        commands.push(Line {
            name: &definition.name,
            description: &definition.description,
            origin: definition.origin,
            trusted: line(definition)?,
        });
    }
    let listed = Listed { commands, unusable: &catalogue.unusable };
    out.answer(&listed, |out, listed| {
        for Line { name, description, origin, trusted } in &listed.commands {
            let whose = match (origin, trusted) {
                (Origin::User, _) => "yours",
                (Origin::Project, true) => "the project's, trusted",
                (Origin::Project, false) => "the project's, not trusted yet",
            };
            let gap = if description.is_empty() { "" } else { ": " };
            out.line(format_args!("{name} ({whose}){gap}{}", render::visible(description)))?;
        }
        for Unusable { name, why } in listed.unusable {
            out.warn(format_args!("{name} cannot be used: {}", render::visible(why)))?;
        }
        if listed.commands.is_empty() {
            out.note("there are no commands; `.nuthatch/commands/NAME.toml` makes one")?;
        }
        Ok(())
    })
}
