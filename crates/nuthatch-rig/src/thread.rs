//! The conversation an agent speaks in: where its memories are, and what it is called.
//!
//! What it noted is in RAM and ends with the last agent, tool or hook that belongs to it.

use std::sync::Arc;

use nuthatch::Place;

/// One conversation. Cheap to clone; its clones are the same conversation.
#[derive(Clone)]
pub struct Thread(Arc<Running>);

struct Running {
    place: Place,
    name: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.place.engine().end_thread(&self.name);
    }
}

impl Thread {
    /// Begins a conversation. Whoever begins one of the same name at the same place while it
    /// runs sees its notes, and ends them.
    #[must_use]
    pub fn begin(place: Place, name: impl Into<String>) -> Self {
        Thread(Arc::new(Running { place, name: name.into() }))
    }

    /// Where its memories are.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }
}
