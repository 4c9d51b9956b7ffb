//! Answers an event of an agent within its deadline, whatever the store does.
//!
//! A thread does the work; the process itself only waits, prints and ends. At a prompt another
//! one looks for words alone, which is sooner done: when time is up, the best that is ready is
//! said. Where nothing is, nothing is said, and why goes to a log. It never ends with a failure:
//! agents take one for an objection. `recollection` decides what is said.

mod recollection;

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nuthatch::clock::Clock as _;
use nuthatch::error::{Error, Result};
use nuthatch::recall::Mode;
use nuthatch_agents::Agent;
use nuthatch_agents::hook::{self, Event, Given, Log, Moment, Sessions, Trouble};
use nuthatch_stores::SystemClock;

use self::recollection::Manner;
use crate::cli::{self, Globals};
use crate::config::settings::Hooks;
use crate::config::{Config, Places};

/// The folder of the data folder with what hooks keep.
const HOOKS: &str = "hooks";
/// Events are some kilobytes; what is larger is no event.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How long anything takes where nothing else is known: a prompt waits without being noticed,
/// a session that begins is worth a moment more, and some agents end what takes longer than a
/// second when they end themselves.
const USUAL: Hooks = Hooks {
    start: Duration::from_millis(500),
    prompt: Duration::from_millis(150),
    end: Duration::from_secs(1),
};

/// The share of a deadline, one in so many, that is left for a process to start and to end.
const TO_END: u32 = 10;

/// The share of a deadline, one in so many, after which words alone are looked for as well:
/// most prompts are answered by then, and two searches at once take longer than one.
const TO_WAIT: u32 = 4;

/// What the threads have to tell.
enum Step {
    /// It knows what is asked, and so how long it has.
    Understood(Event, Hooks),
    /// Something that can be said already, in case nothing better comes in time.
    Meanwhile(Reply),
    /// It is done.
    Done(Result<Reply>),
}

/// What is to be said, and what the session has been given with it.
struct Reply {
    context: String,
    session: Option<(String, Given)>,
}

/// Where hooks keep what they must know.
fn folder() -> Option<PathBuf> {
    Places::from_machine().ok().map(|places| places.data_dir.join(HOOKS))
}

/// Why hooks were silent, oldest first.
pub fn log(data: &std::path::Path) -> Log {
    Log::at(data.join(HOOKS).join("log.jsonl"))
}

/// Whether arguments that cannot be read were meant for a hook. Questions for help are not.
pub fn is_misspelt(args: &[OsString], error: &clap::Error) -> bool {
    let is_hook = cli::command_word(args).is_some_and(|word| word == "hook");
    if is_hook && error.use_stderr() {
        complain(None, None, "its arguments cannot be read");
        return true;
    }
    false
}

/// Reads an event, answers it, and ends well.
pub fn answer(agent: Option<&str>, globals: &Globals) -> ExitCode {
    let started = Instant::now();
    let named: Option<Agent> = agent.and_then(|name| name.parse().ok());
    if agent.is_some() && named.is_none() {
        complain(None, None, "the agent it was called for is not known");
    }
    let (send, receive) = mpsc::channel();
    let globals = globals.clone();
    // Never waited for: it may hang in a store, and ends with the process.
    thread::spawn(move || work(named, globals, &send));
    let mut event: Option<Event> = None;
    let mut limit = USUAL.end;
    let mut meanwhile = None;
    let done = loop {
        let left = (limit - limit / TO_END).saturating_sub(started.elapsed());
        match receive.recv_timeout(left) {
            Ok(Step::Understood(found, hooks)) => {
                limit = deadline(&found, &hooks);
                event = Some(found);
            }
            Ok(Step::Meanwhile(reply)) => meanwhile = Some(reply),
            Ok(Step::Done(done)) => break done,
            Err(RecvTimeoutError::Timeout) => {
                let late = format!("not ready within {} ms", limit.as_millis());
                break meanwhile.ok_or_else(|| Error::unavailable(late));
            }
            Err(RecvTimeoutError::Disconnected) => break Err(Error::internal("it broke down")),
        }
    };
    let said = match (&event, &done) {
        (Some(event), Ok(reply)) => hook::answer(event, &reply.context),
        (Some(event), Err(_)) => hook::answer(event, ""),
        (None, _) => hook::nothing(named),
    };
    // An agent that is gone does not listen, and that is no failure.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(said.as_bytes()).and_then(|()| out.flush());
    settle(event.as_ref(), done);
    ExitCode::SUCCESS
}

fn deadline(event: &Event, hooks: &Hooks) -> Duration {
    match event.moment {
        Moment::Prompt(_) => hooks.prompt,
        Moment::Stop | Moment::End => hooks.end,
        _ => hooks.start,
    }
}

/// Keeps what was given once it was given, or why it was not.
fn settle(event: Option<&Event>, done: Result<Reply>) {
    match done {
        Ok(Reply { session: Some((session, given)), .. }) => {
            let Some(folder) = folder() else { return };
            let sessions = Sessions::at(folder.join("sessions"));
            // At worst something is said again.
            let _ = sessions.keep(&session, &given);
            if event.is_some_and(|event| event.moment == Moment::Start) {
                sessions.sweep(std::time::SystemTime::now());
            }
        }
        Ok(_) => {}
        Err(error) => complain(event.map(|event| event.agent), event, &error.to_string()),
    }
}

fn complain(agent: Option<Agent>, event: Option<&Event>, reason: &str) {
    let Ok(places) = Places::from_machine() else { return };
    // Who never used Nuthatch gets no folder for its complaints.
    if !places.data_dir.is_dir() {
        return;
    }
    let trouble = Trouble {
        at: SystemClock.now().to_string(),
        agent: agent.map(|agent| agent.name().to_owned()),
        event: event.map(|event| event.name.chars().take(40).collect()),
        reason: reason.to_owned(),
    };
    // A log that cannot be written must not be the reason for a failure.
    let _ = log(&places.data_dir).note(&trouble);
}

fn work(named: Option<Agent>, globals: Globals, send: &Sender<Step>) {
    let done = understood(named).and_then(|event| {
        // Whoever does not listen any more has given up on it.
        let config = Config::from_machine(None, Vec::new());
        let hooks = config.map_or(USUAL, |config| config.settings().hooks);
        let _ = send.send(Step::Understood(event.clone(), hooks));
        let sessions = folder().map(|folder| Sessions::at(folder.join("sessions")));
        let given = match (&sessions, &event.session) {
            (Some(sessions), Some(session)) => sessions.find(session),
            _ => Given::default(),
        };
        if matches!(event.moment, Moment::Prompt(_)) {
            let later = hooks.prompt / TO_WAIT;
            by_words(event.clone(), given.clone(), globals.clone(), (later, send.clone()));
        }
        let meanwhile = |reply| drop(send.send(Step::Meanwhile(reply)));
        let manner = Manner { mode: Mode::Hybrid, meanwhile: &meanwhile };
        runtime()?.block_on(recollection::recollect(&event, given, globals, &manner))
    });
    let _ = send.send(Step::Done(done));
}

/// Looks for words alone beside what is taking long. What goes wrong here goes wrong there.
fn by_words(event: Event, given: Given, globals: Globals, (later, send): (Duration, Sender<Step>)) {
    thread::spawn(move || {
        thread::sleep(later);
        let manner = Manner { mode: Mode::Text, meanwhile: &drop };
        let said = runtime()
            .and_then(|it| it.block_on(recollection::recollect(&event, given, globals, &manner)));
        // Nothing is no better than being late, which is told apart in the log.
        if let Some(reply) = said.ok().filter(|reply| !reply.context.is_empty()) {
            let _ = send.send(Step::Meanwhile(reply));
        }
    });
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.map_err(|error| Error::unavailable("no runtime").with_source(error))
}

fn understood(named: Option<Agent>) -> Result<Event> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::invalid("the event cannot be read").with_source(error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Error::invalid("the event is larger than 8 MiB"));
    }
    hook::understand(&bytes, named)
}
