//! `nuthatch remember`: stores a memory.
//!
//! The text comes from the command line or standard input; everything else is optional and
//! goes into the request as it stands.

use std::collections::BTreeMap;

use clap::Args;
use clap::builder::PossibleValuesParser;
use nuthatch::category::Category;
use nuthatch::error::{Error, Result};
use nuthatch::guard::Form;
use nuthatch::memory::Importance;
use nuthatch::remember::{RememberRequest, Remembered};
use nuthatch::trust::{Origin, Source, Trust};

use crate::output::Output;
use crate::wiring::Desk;
use crate::{input, render, select};

const EXAMPLES: &str = "\
Examples:
  $ nuthatch remember the staging database listens on port 5433
  $ nuthatch remember --key editor --category preference uses tabs, never spaces
  $ printf 'build: make all\\ntest: make check\\n' | nuthatch remember --note --scope global -
  $ nuthatch remember --session chat-7 --pin --meta why=review never push on fridays";

/// Arguments of `remember`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RememberArgs {
    /// What to remember; words are joined, `-` reads standard input
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// A name of your own: storing it again replaces the text and keeps the old as a version
    #[arg(long)]
    key: Option<String>,
    /// What kind of memory: core, preference, convention, restriction, or a name of your own
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Whose memory: global, user, project, or e.g. session:ID [default: project inside one]
    #[arg(long)]
    scope: Option<String>,
    /// The conversation it is stored from
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Where it comes from: a page, a file …
    #[arg(long, value_name = "PLACE")]
    source: Option<String>,
    /// Never let a limit push it out
    #[arg(long)]
    pin: bool,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    importance: Option<f64>,
    /// Anything else worth keeping with it (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    meta: Vec<String>,
    /// Keep lines as they are
    #[arg(long)]
    note: bool,
    /// A memory this one replaces, by id or key (repeatable)
    #[arg(long, value_name = "ID")]
    supersedes: Vec<String>,
    /// Who says it
    #[arg(long, value_parser = PossibleValuesParser::new(Origin::ALL.map(Origin::name)))]
    origin: Option<String>,
    /// How far it may be believed [default: as usual for its origin]
    #[arg(long, value_parser = PossibleValuesParser::new(Trust::ALL.map(Trust::name)))]
    trust: Option<String>,
}

/// Stores the memory.
pub async fn run(args: RememberArgs, desk: &Desk, out: &mut Output) -> Result<()> {
    let content = input::text_or_pipe(&args.text)?.ok_or_else(|| {
        Error::invalid("there is nothing to remember")
            .with_hint("give the text as an argument, or pipe it in")
    })?;
    let scope = match &args.scope {
        Some(scope) => desk.scope(scope)?,
        None => desk.home().clone(),
    };
    let mut supersedes = Vec::new();
    for name in &args.supersedes {
        let scopes = [desk.visible(), vec![scope.clone()]].concat();
        supersedes.push(desk.find(name, scopes).await?.id);
    }
    let engine = desk.engine();
    let remembered = engine
        .remember(RememberRequest {
            form: if args.note { Form::Note } else { Form::Fact },
            key: args.key,
            category: args.category.map(Category::new).transpose()?,
            session: select::session(args.session.as_deref())?,
            origin: args.origin.map_or(Ok(Origin::User), |origin| origin.parse())?,
            source: args.source.map(|place| Source { place: Some(place), ..Source::default() }),
            trust: args.trust.map(|trust| trust.parse()).transpose()?,
            pinned: args.pin,
            importance: args.importance.map(Importance::new).transpose()?,
            metadata: metadata(&args.meta)?,
            supersedes,
            ..RememberRequest::new(content, scope)
        })
        .await?;
    if !remembered.kept() {
        out.warn("not kept: the limit of this scope leaves no room for it")?;
    }
    if remembered.memory.trust == Trust::Quarantined {
        out.warn(format_args!(
            "quarantined: it is kept out of prompts until `nuthatch review approve {}`",
            remembered.memory.id
        ))?;
    }
    out.answer(&remembered, |out, remembered| confirm(remembered, desk, out))
}

fn confirm(remembered: &Remembered, desk: &Desk, out: &mut Output) -> Result<()> {
    let Remembered { memory, duplicate, evicted, superseded, expired } = remembered;
    if remembered.kept() {
        let done = if *duplicate { "already known" } else { "remembered" };
        let place = render::place(&memory.scope, desk.project());
        out.say(format_args!("{done} {} [{}] in {place}", memory.id, memory.category))?;
    }
    if !superseded.is_empty() {
        out.note(format_args!("replaced {}", render::memories(superseded.len() as u64)))?;
    }
    let others = evicted.iter().filter(|id| **id != memory.id).count();
    if others > 0 {
        out.note(format_args!("pushed out {}", render::memories(others as u64)))?;
    }
    match expired.len() {
        0 => Ok(()),
        ended => out.note(format_args!("{} ended by retention", render::memories(ended as u64))),
    }
}

/// Pairs of name and value, as typed.
pub fn metadata(pairs: &[String]) -> Result<BTreeMap<String, String>> {
    pairs
        .iter()
        .map(|pair| {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Error::invalid("--meta needs a name and a value")
                    .with_hint("write --meta name=value")
            })?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}
