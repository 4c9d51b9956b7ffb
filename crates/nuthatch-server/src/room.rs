//! A place that is opened when somebody first needs it.
//!
//! A client lists the tools of every server it knows and calls few of them: opening a store
//! for that would make each start slower. What could not be opened is tried again with the
//! next request.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use nuthatch::Place;
use nuthatch::error::Result;
use tokio::sync::OnceCell;

type Opening = dyn Fn() -> Pin<Box<dyn Future<Output = Result<Place>> + Send>> + Send + Sync;

/// The place behind a door.
#[derive(Clone)]
pub struct Room {
    opening: Arc<Opening>,
    opened: Arc<OnceCell<Place>>,
}

impl Room {
    /// A place that is open already.
    #[must_use]
    pub fn open(place: Place) -> Self {
        let opened = OnceCell::new_with(Some(place.clone()));
        let opening = move || -> Pin<Box<dyn Future<Output = _> + Send>> {
            Box::pin(std::future::ready(Ok(place.clone())))
        };
        Room { opening: Arc::new(opening), opened: Arc::new(opened) }
    }

    /// A place that `opening` opens when it is needed.
    pub fn lazy<F, R>(opening: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<Place>> + Send + 'static,
    {
        let opening = move || -> Pin<Box<dyn Future<Output = _> + Send>> { Box::pin(opening()) };
        Room { opening: Arc::new(opening), opened: Arc::default() }
    }

    /// The place, opened now if it was not.
    ///
    /// # Errors
    /// Whatever opening it says.
    pub async fn place(&self) -> Result<&Place> {
        self.opened.get_or_try_init(|| (self.opening)()).await
    }

    /// The place, if somebody needed it already.
    #[must_use]
    pub fn opened(&self) -> Option<&Place> {
        self.opened.get()
    }
}
