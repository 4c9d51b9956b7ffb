//! What is said of grants: a line each, or JSON. Nothing is looked up here.
//!
//! A token itself is said once, by [`given`].

use nuthatch::error::Result;
use nuthatch::grant::{Grant, Issued, Kept};
use serde::Serialize;

use crate::output::Output;
use crate::render;
use crate::wiring;

/// A grant, and how it stands now.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    grant: &'a Grant,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn of(grant: &'a Grant, token: Option<&'a str>) -> Line<'a> {
        Line { grant, status: grant.standing(wiring::now().timestamp()).name(), token }
    }
}

/// One that was taken back.
pub fn revoked(grant: &Grant, out: &mut Output) -> Result<()> {
    out.answer(&Line::of(grant, None), |out, line| {
        out.say(format_args!("revoked {}", told(line.grant)))
    })
}

/// A token, this once.
pub fn given(issued: &Issued, out: &mut Output) -> Result<()> {
    out.answer(&Line::of(&issued.grant, Some(&issued.token)), |out, line| {
        out.say(format_args!("{}; it is shown only now:", told(line.grant)))?;
        out.line(format_args!("{}", issued.token))
    })
}

/// Every grant, and how it stands.
pub fn listed(all: &[Kept], out: &mut Output) -> Result<()> {
    let lines: Vec<Line<'_>> = all.iter().map(|kept| Line::of(&kept.grant, None)).collect();
    out.answer(&lines, |out, lines| {
        if lines.is_empty() {
            out.line("no token was given out")?;
        }
        lines.iter().try_for_each(|line| {
            out.line(format_args!("{}  {}, {}", line.grant.id, told(line.grant), line.status))
        })
    })
}

fn told(grant: &Grant) -> String {
    let until = grant.expires_at.map(|at| format!(" until {at}")).unwrap_or_default();
    let name = render::visible(&grant.name);
    format!("{name}: {} of {}{until}", grant.role.name(), grant.tenant)
}
