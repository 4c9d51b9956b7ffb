//! What can be typed besides what is said: `/memory`, `/help`, `/quit`.
//!
//! Each is a verb of the engine; nothing of it reaches the model.

use nuthatch::error::Result;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::preamble::PreambleRequest;
use nuthatch::recall::RecallRequest;
use nuthatch::remember::RememberRequest;

use crate::output::Output;
use crate::wiring::Desk;

const HELP: &str = "\
/memory              what is remembered, as an agent sees it
/memory search TEXT  find memories
/memory add TEXT     remember something
/memory forget ID    forget something for good
/help                this
/quit                end
";

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The conversation goes on.
    GoOn,
    /// It ends.
    End,
}

/// Does what a line with a slash asks for. What goes wrong is told.
pub async fn run(line: &str, desk: &Desk, out: &mut Output) -> Result<Then> {
    let mut words = line.splitn(3, char::is_whitespace);
    let command = words.next().unwrap_or_default();
    let action = words.next().unwrap_or_default();
    let rest = words.next().unwrap_or_default().trim();
    let done = match (command, action) {
        ("/quit" | "/exit", _) => return Ok(Then::End),
        ("/help", _) => out.text(HELP),
        ("/memory", "" | "view") => view(desk, out).await,
        ("/memory", "search") => search(rest, desk, out).await,
        ("/memory", "add") => add(rest, desk, out).await,
        ("/memory", "forget") => forget(rest, desk, out).await,
        _ => out.note("there is no such command; /help lists them"),
    };
    if let Err(error) = done {
        out.error(&error.to_string(), error.hint())?;
    }
    Ok(Then::GoOn)
}

async fn view(desk: &Desk, out: &mut Output) -> Result<()> {
    let request = PreambleRequest {
        scopes: Scopes::These(desk.visible()),
        thread: None,
        query: None,
        budget_tokens: desk.usual().budget_tokens,
    };
    let preamble = desk.engine().preamble(&request).await?;
    match preamble.text.as_str() {
        "" => out.note("nothing is remembered here"),
        text => out.text(text),
    }
}

async fn search(query: &str, desk: &Desk, out: &mut Output) -> Result<()> {
    let filter = Filter::scoped(Scopes::These(desk.visible()));
    let found = desk.engine().recall(&RecallRequest::new(query, filter)).await?;
    if found.hits.is_empty() {
        return out.note("nothing was found");
    }
    found
        .hits
        .iter()
        .try_for_each(|hit| out.line(format_args!("{} [{}] {}", hit.id, hit.category, hit.content)))
}

async fn add(text: &str, desk: &Desk, out: &mut Output) -> Result<()> {
    let request = RememberRequest::new(text, desk.home().clone());
    let remembered = desk.engine().remember(request).await?;
    out.line(format_args!("remembered {}", remembered.memory.id))
}

async fn forget(name: &str, desk: &Desk, out: &mut Output) -> Result<()> {
    let id = desk.find(name, desk.visible()).await?.id;
    desk.forget(&[id]).await?;
    out.line(format_args!("forgot {id}"))
}
