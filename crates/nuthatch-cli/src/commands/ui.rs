//! `nuthatch ui`: the page on which memory is looked at, in a browser.
//!
//! A server of this user that stands in the same place is used; where there is none, one is
//! started and serves until it is told to end. The token stands behind the `#` of the address,
//! which no browser sends anywhere; a browser is started with a file that only its owner can
//! read, because everybody on the machine sees the arguments of a program.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use nuthatch::error::{Error, Result};
use nuthatch_server::http::Listening;
use nuthatch_server::http::access::{Access, Token};
use serde::Serialize;

use super::serve::attend;
use crate::cli::Globals;
use crate::output::Output;
use crate::private;
use crate::servers::{self, Announced};
use crate::signals::told_to_end;
use crate::token;
use crate::wiring::{Desk, Site};

const EXAMPLES: &str = "\
Examples:
  $ timeout --preserve-status 2 nuthatch ui --no-open
  $ timeout --preserve-status 2 nuthatch ui --no-open --json";

/// The file in the data folder that leads a browser to the page.
const LEADING: &str = "page.html";

/// Arguments of `ui`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct UiArgs {
    /// Print the address and start no browser
    #[arg(long)]
    no_open: bool,
}

/// Where the page is.
#[derive(Serialize)]
struct Opened {
    url: String,
    /// Whether this command serves it, or somebody else does.
    serving: bool,
}

/// Opens it.
pub async fn run(args: &UiArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let data = &site.config.places().data_dir;
    let token = token::kept(data)?;
    let here = site.server("", globals, true)?;
    let mut found = servers::running(data).into_iter();
    if let Some(server) = found.find(|s| s.project == here.project && s.stores == here.stores) {
        let url = address(&server.url, server.locked.then_some(&token));
        return present(&Opened { url, serving: false }, args, data, out);
    }
    let place = Desk::for_server(globals, "http").await?;
    let listening = listen(&site.config.settings().server.addr).await?;
    let addr = listening.addr();
    let end = told_to_end()?;
    let base = format!("http://{addr}");
    let _announced = Announced::at(data, addr, &site.server(&base, globals, true)?)?;
    let url = address(&base, Some(&token));
    present(&Opened { url, serving: true }, args, data, out)?;
    out.flush()?;
    let access = Access::new(addr, &[], Some(token));
    attend(place, &site, listening, access, globals, end).await
}

fn address(base: &str, token: Option<&Token>) -> String {
    token.map_or_else(|| format!("{base}/"), |token| format!("{base}/#token={}", token.reveal()))
}

/// At the usual address if it is free and on loopback, else at any port of loopback: a page
/// needs no address that others know.
async fn listen(configured: &str) -> Result<Listening> {
    let usual = configured.parse::<SocketAddr>().ok().filter(|addr| addr.ip().is_loopback());
    if let Some(addr) = usual
        && let Ok(listening) = Listening::at(addr).await
    {
        return Ok(listening);
    }
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    Listening::at(any).await.map_err(|error| {
        Error::unavailable(format!("cannot listen on loopback: {error}")).with_source(error)
    })
}

fn present(opened: &Opened, args: &UiArgs, data: &Path, out: &mut Output) -> Result<()> {
    out.answer(opened, |out, opened| {
        out.line(format_args!("the page is at {}", opened.url))?;
        if opened.serving { out.line(format_args!("serving it until interrupted")) } else { Ok(()) }
    })?;
    if args.no_open {
        return Ok(());
    }
    match open_browser(&opened.url, data) {
        Ok(()) => Ok(()),
        Err(why) => {
            out.note(format_args!("no browser was started: {why}; open the address in one"))
        }
    }
}

/// Starts the user's browser, if there is a screen to show it on.
fn open_browser(url: &str, data: &Path) -> std::result::Result<(), String> {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "macos") && !["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set) {
        return Err("there is no screen here".to_owned());
    }
    let path = data.join(LEADING);
    // The address holds letters, digits and punctuation of our own making: nothing to escape.
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Nuthatch</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">the page</a>\n"
    );
    let written = private::options().create(true).truncate(true).open(&path);
    written.and_then(|mut file| file.write_all(page.as_bytes())).map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(|_| ()).map_err(|error| format!("{program}: {error}"))
}
