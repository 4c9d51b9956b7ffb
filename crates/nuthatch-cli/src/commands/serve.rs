//! `nuthatch serve`: HTTP for many callers at once, until it is told to end.
//!
//! It listens on loopback unless an address is named and a token is in use, and prints
//! where it is and with which token it is spoken to.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use nuthatch::Place;
use nuthatch::error::{Error, Result};
use nuthatch_server::http::access::{Access, Token};
use nuthatch_server::http::caller::{FRESH, Keeper};
use nuthatch_server::http::rate::Rate;
use nuthatch_server::http::{self, Listening};
use nuthatch_stores::SystemClock;
use serde::Serialize;

use crate::autonomy::{self, Worker};
use crate::cli::Globals;
use crate::output::Output;
use crate::servers::Announced;
use crate::signals::told_to_end;
use crate::tenancy::Tenancy;
use crate::token;
use crate::wiring::{Desk, Site};

const EXAMPLES: &str = "\
Examples:
  $ timeout --preserve-status 2 nuthatch serve --addr 127.0.0.1:0
  $ nuthatch serve --openapi > openapi.json";

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Where to listen; port 0 takes any [default: server.addr of the configuration]
    #[arg(long, value_name = "IP:PORT")]
    addr: Option<String>,
    /// Another name under which callers reach it, with or without a port (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Let everybody on this machine speak to it
    #[arg(long)]
    no_token: bool,
    /// Print the OpenAPI document instead
    #[arg(long)]
    openapi: bool,
}

/// Where it is, and what opens it.
#[derive(Serialize)]
struct Started<'a> {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

/// Serves until it is told to end.
pub async fn run(args: &ServeArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    if args.openapi {
        return out.json(&http::openapi::document());
    }
    let place = Desk::for_server(globals, "http").await?;
    let site = Site::find(globals)?;
    let token = match args.no_token {
        true => None,
        false => Some(token::kept(&site.config.places().data_dir)?),
    };
    let listening = listen(args, &site, token.as_ref()).await?;
    let addr = listening.addr();
    let end = told_to_end()?;
    let url = format!("http://{addr}");
    let own = site.server(&url, globals, token.is_some())?;
    let _announced = Announced::at(&site.config.places().data_dir, addr, &own)?;
    let started = Started { url, token: token.as_ref().map(Token::reveal) };
    out.answer(&started, |out, started| {
        out.line(format_args!("listening on {}", started.url))?;
        started.token.map_or(Ok(()), |token| out.line(format_args!("token: {token}")))
    })?;
    out.flush()?;
    let access = Access::new(addr, &args.hosts, token);
    attend(place, &site, listening, access, globals, end).await
}

/// Serves whoever comes, and learns from sessions beside it.
pub async fn attend(
    place: Place,
    site: &Site,
    listening: Listening,
    access: Access,
    globals: &Globals,
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let (tenancy, settings) = (Tenancy::open(site).await?, site.config.settings());
    let rooms = tenancy.rooms(site, place).await;
    let keeper = Keeper::new(tenancy.grants, Arc::new(SystemClock), FRESH);
    let access = access.granting(keeper).at_pace(Rate::new(settings.server.requests_per_second));
    let listening = listening.draining(settings.server.drain);
    let room = rooms.own().clone();
    let serving = http::serve(rooms, listening, access, end);
    let served = autonomy::beside(room, Worker::OfAll, globals, serving).await;
    served.map_err(|error| Error::unavailable(format!("cannot listen any more: {error}")))
}

async fn listen(args: &ServeArgs, site: &Site, token: Option<&Token>) -> Result<Listening> {
    let configured = &site.config.settings().server.addr;
    let text = args.addr.as_ref().unwrap_or(configured);
    let addr: SocketAddr = text.parse().map_err(|_| {
        Error::invalid(format!("not an address to listen at: {text:?}"))
            .with_hint("write an IP and a port, for example 127.0.0.1:7787")
    })?;
    if !addr.ip().is_loopback() && (token.is_none() || args.addr.is_none()) {
        return Err(Error::invalid(format!("{addr} can be reached by other machines"))
            .with_hint("name it with --addr, and let it need a token"));
    }
    Listening::at(addr).await.map_err(|error| {
        Error::unavailable(format!("cannot listen at {addr}: {error}"))
            .with_hint("is another `nuthatch serve` running? --addr names another port")
            .with_source(error)
    })
}
