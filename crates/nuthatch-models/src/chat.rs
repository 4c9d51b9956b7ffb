//! What answers in words: endpoints of three kinds, and programs.
//!
//! `endpoint` says where to ask, `openai`, `anthropic` and `ollama` have the words of each
//! kind, `stream` takes an answer in as it comes, `draft` puts its pieces together, and
//! `command` asks a program. Asking happens on a thread of its own, so that whoever waits can
//! walk away at any time.

mod anthropic;
mod command;
mod draft;
mod endpoint;
mod leash;
mod ollama;
mod openai;
mod stream;

use std::sync::Arc;
use std::thread;

use async_trait::async_trait;
use nuthatch::error::{Error, Kind, Result};
use nuthatch::model::{ChatModel, ChatRequest, ModelInfo, Reply};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

pub use command::{CommandModel, Variables};
pub use endpoint::{ChatEndpoint, ChatWire};

use crate::http::Caller;
use stream::Hearing;

/// A chat model behind an address.
pub struct RemoteModel {
    shared: Arc<Shared>,
}

struct Shared {
    endpoint: ChatEndpoint,
    caller: Caller,
}

impl RemoteModel {
    /// Checks the configuration; nothing is asked yet.
    ///
    /// # Errors
    /// `invalid`, when it cannot be right.
    pub fn new(endpoint: ChatEndpoint) -> Result<Self> {
        let caller = Caller::new(endpoint.target()?);
        Ok(RemoteModel { shared: Arc::new(Shared { endpoint, caller }) })
    }
}

impl Shared {
    fn ask(&self, request: &ChatRequest, said: &Said) -> Result<Reply> {
        let body = self.endpoint.body(request);
        let body = serde_json::to_vec(&body)
            .map_err(|error| Error::internal("a request cannot be written").with_source(error))?;
        let reply = self.caller.call(self.endpoint.patience(), &body, |caller, answer| {
            Hearing { caller, wire: self.endpoint.wire, said }.take_in(answer)
        })?;
        Ok(reply.finished(request))
    }
}

#[async_trait]
impl ChatModel for RemoteModel {
    fn info(&self) -> ModelInfo {
        self.shared.endpoint.info()
    }

    async fn chat(
        &self,
        request: &ChatRequest,
        heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Reply> {
        let (shared, request) = (Arc::clone(&self.shared), request.clone());
        apart(move |said| shared.ask(&request, said), heard).await
    }
}

/// Where pieces of an answer go while it comes.
pub(crate) struct Said(UnboundedSender<News>);

enum News {
    Piece(String),
    End(Result<Reply>),
}

impl Said {
    /// Passes a piece on.
    ///
    /// # Errors
    /// When nobody listens any more: the rest need not be asked for.
    pub(crate) fn say(&self, piece: &str) -> Result<()> {
        let gone = |_| Error::new(Kind::Unavailable, "nobody waits for the answer any more");
        self.0.send(News::Piece(piece.to_owned())).map_err(gone)
    }
}

/// Runs `work` on a thread of its own and hands its pieces to `heard`. Where the future is
/// dropped the thread ends by itself, at its next piece or time-out.
async fn apart(
    work: impl FnOnce(&Said) -> Result<Reply> + Send + 'static,
    heard: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Reply> {
    let (sender, mut news) = unbounded_channel();
    let started = thread::Builder::new().name("chat".into()).spawn(move || {
        let said = Said(sender);
        let ended = work(&said);
        // Whoever asked may be gone.
        let _ = said.0.send(News::End(ended));
    });
    started.map_err(|error| {
        Error::unavailable("the system gives no thread to ask a model on").with_source(error)
    })?;
    while let Some(one) = news.recv().await {
        match one {
            News::Piece(piece) => heard(&piece),
            News::End(reply) => return reply,
        }
    }
    Err(Error::internal("a model's answer ended early"))
}
