//! What a model may do with its memory: four tools, each bound to a thread.
//!
//! Arguments become a request of the library, its answer becomes a short text. What memories
//! say stands in a block that nothing in them can close. A failure tells the model what to
//! mend; it never repeats what was refused.

mod answer;
mod forget;
mod recall;
mod save_memory;
mod save_session_context;

pub use forget::Forget;
pub use recall::Recall;
pub use save_memory::SaveMemory;
pub use save_session_context::SaveSessionContext;

use nuthatch::error::{Error, Kind};
use rig_core::tool::{ToolErrorKind, ToolExecutionError};

/// A failure as rig and its model see it.
fn failed(error: &Error) -> ToolExecutionError {
    let kind = match error.kind() {
        Kind::Invalid => ToolErrorKind::InvalidArgs,
        Kind::NotFound => ToolErrorKind::NotFound,
        Kind::Denied => ToolErrorKind::PermissionDenied,
        Kind::Conflict | Kind::Unavailable | Kind::Internal => ToolErrorKind::Other,
    };
    let hint = error.hint().map(|hint| format!(" Hint: {hint}.")).unwrap_or_default();
    let told = format!("{error} ({}).{hint}", error.kind().name());
    ToolExecutionError::new(kind, error.to_string())
        .with_code(error.kind().name())
        .with_retryable(error.kind() == Kind::Unavailable)
        .with_model_feedback(told)
}
