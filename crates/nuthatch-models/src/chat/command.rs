//! A program that answers in words: it reads the whole conversation on its standard input,
//! and what it prints is the answer.
//!
//! It is started directly, never through a shell, in a process group of its own that ends
//! with its time. Of what it complains about only the last line is told, without secrets.

use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::guard;
use nuthatch::model::{ChatModel, ChatRequest, ModelInfo, Reply, Speaker, Stop, Usage};
use nuthatch::text::estimate_tokens;

use super::leash::{Held, Leash};
use super::{Said, apart};

/// More than any answer; a program that prints for ever is stopped here.
const LONGEST_ANSWER: usize = 4 << 20;
/// Enough to find the last line in.
const LONGEST_COMPLAINT: usize = 16 << 10;
/// A pause after which a program that prints nothing is looked at.
const LULL: Duration = Duration::from_millis(200);
/// How often a program that printed its last word is looked at.
const GLANCE: Duration = Duration::from_millis(5);

/// Which variables of our environment a program gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variables {
    /// All: it is the user's own program.
    All,
    /// Only these: a repository names it.
    Only(Vec<String>),
}

/// A chat model that is a program.
#[derive(Clone, Debug)]
pub struct CommandModel {
    argv: Vec<String>,
    variables: Variables,
    folder: Option<PathBuf>,
    timeout: Duration,
}

impl CommandModel {
    /// The program and its arguments.
    ///
    /// # Errors
    /// `invalid`, when no program is named.
    pub fn new(argv: Vec<String>, variables: Variables, timeout: Duration) -> Result<Self> {
        if argv.first().is_none_or(|program| program.trim().is_empty()) {
            return Err(Error::invalid("no command is named")
                .with_hint("write it as a list, such as command = [\"claude\", \"-p\"]"));
        }
        Ok(CommandModel { argv, variables, folder: None, timeout })
    }

    /// The folder it is started in.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    fn ask(&self, request: &ChatRequest, said: &Said, leash: &Leash) -> Result<Reply> {
        let asked = conversation(request);
        let mut child = self.start()?;
        leash.hold(child.id());
        let written = feed(&mut child, asked.into_bytes());
        let complaint = gather(child.stderr.take());
        let printed = listen(child.stdout.take());
        let deadline = Instant::now() + self.timeout;
        let ended = self.wait(&mut child, &printed, deadline, said);
        // What it left running holds its outputs open, and nobody else ends it.
        leash.end();
        if ended.is_err() {
            let _ = child.wait();
        }
        let (text, status) = ended?;
        // It has ended, so nothing holds its input any more.
        drop(written);
        if !status.success() {
            return Err(self.failed(status, &complaint));
        }
        let usage = Usage {
            input_tokens: request.estimated_tokens(),
            output_tokens: estimate_tokens(&text) as u64,
        };
        Ok(Reply { text: text.trim_end().to_owned(), calls: Vec::new(), usage, stop: Stop::End })
    }

    fn start(&self) -> Result<Child> {
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Variables::Only(names) = &self.variables {
            let kept: Vec<(String, OsString)> = names
                .iter()
                .filter_map(|name| Some((name.clone(), std::env::var_os(name)?)))
                .collect();
            command.env_clear().envs(kept);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map_err(|error| {
            Error::unavailable(format!("cannot start {}: {error}", self.name()))
                .with_hint("is it installed, and on the PATH that it is given?")
                .with_source(error)
        })
    }

    /// What it prints until it ends, or until it has ended and prints no more: what it left
    /// running may hold its output open for ever.
    fn wait(
        &self,
        child: &mut Child,
        printed: &Receiver<Vec<u8>>,
        deadline: Instant,
        said: &Said,
    ) -> Result<(String, ExitStatus)> {
        let mut text = String::new();
        // Bytes of a character whose end has not come yet.
        let mut rest: Vec<u8> = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match printed.recv_timeout(left.min(LULL)) {
                Ok(bytes) => {
                    rest.extend(bytes);
                    let piece = complete(&mut rest);
                    if text.len() + piece.len() > LONGEST_ANSWER {
                        return Err(self.trouble("prints without end"));
                    }
                    said.say(&piece)?;
                    text.push_str(&piece);
                }
                Err(RecvTimeoutError::Timeout) if left <= LULL => return Err(self.late()),
                Err(RecvTimeoutError::Timeout) if matches!(child.try_wait(), Ok(Some(_))) => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        text.push_str(&String::from_utf8_lossy(&rest));
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok((text, status)),
                Ok(None) if Instant::now() < deadline => thread::sleep(GLANCE),
                Ok(None) => return Err(self.late()),
                Err(error) => return Err(self.trouble("cannot be watched").with_source(error)),
            }
        }
    }

    fn name(&self) -> String {
        let name = self.argv[0].rsplit('/').next().unwrap_or_default();
        format!("the command `{}`", name.chars().take(60).collect::<String>())
    }

    fn trouble(&self, what: &str) -> Error {
        Error::new(Kind::Unavailable, format!("{} {what}", self.name()))
    }

    fn late(&self) -> Error {
        self.trouble(&format!("did not end within {} s", self.timeout.as_secs_f32()))
    }

    fn failed(&self, status: ExitStatus, complaint: &Receiver<Vec<u8>>) -> Error {
        let error = self.trouble(&format!("failed ({status})"));
        let said = complaint.recv().unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let Some(last) = said.lines().rev().find(|line| !line.trim().is_empty()) else {
            return error;
        };
        let (last, _) = guard::redact(last);
        let last: String = last.trim().chars().filter(|c| !c.is_control()).take(200).collect();
        error.with_hint(format!("it says: {last}"))
    }
}

#[async_trait]
impl ChatModel for CommandModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: "command".into(), name: self.argv.join(" "), paid: false }
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        let (model, request) = (self.clone(), request.clone());
        let leash = Leash::default();
        // Whoever stops waiting for the answer ends the program with that.
        let held = Held(leash.clone());
        let reply = apart(move |said| model.ask(&request, said, &leash), heard).await;
        drop(held);
        reply
    }
}

/// A conversation as one text: a single question stands as it is, more are named.
fn conversation(request: &ChatRequest) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !request.system.is_empty() {
        parts.push(request.system.clone());
    }
    match request.messages.as_slice() {
        [only] => parts.push(only.text.clone()),
        several => parts.extend(several.iter().map(|message| {
            let who = match message.speaker {
                Speaker::User => "User",
                Speaker::Assistant => "Assistant",
                Speaker::Tool => "Tool",
            };
            format!("{who}: {}", message.text)
        })),
    }
    parts.join("\n\n")
}

/// The characters that are whole; the beginning of another stays.
fn complete(bytes: &mut Vec<u8>) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // The end of a character is still to come.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => bytes.len(),
    };
    let rest = bytes.split_off(whole);
    String::from_utf8_lossy(&std::mem::replace(bytes, rest)).into_owned()
}

/// Writes its input on a thread: it may print before it has read everything.
fn feed(child: &mut Child, text: Vec<u8>) -> Option<thread::JoinHandle<()>> {
    let mut input = child.stdin.take()?;
    // A program that does not read its input is none the worse for it.
    thread::Builder::new().spawn(move || drop(input.write_all(&text))).ok()
}

fn listen(from: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let Some(mut from) = from else { return };
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The end of what comes, once it has ended.
fn gather(from: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    let pieces = listen(from);
    thread::spawn(move || {
        let mut kept: Vec<u8> = Vec::new();
        for piece in pieces {
            kept.extend(piece);
            let over = kept.len().saturating_sub(LONGEST_COMPLAINT);
            kept.drain(..over);
        }
        // Only a failure is explained.
        let _ = sender.send(kept);
    });
    receiver
}
