//! What lives in a project's `.nuthatch/` folder, and what is done with it.
//!
//! [`Workspace`] says where everything lies and hands out checked paths; [`disk`] reads and
//! replaces files whole. The rest has a module per word. Nothing here knows which store or
//! which door is in use, and nothing reads the environment, the clock or a terminal: those
//! are handed in.

mod agents;
mod chat;
pub mod commands;
pub mod disk;
mod history;
pub mod hooks;
mod layout;
mod outputs;
mod plan;
pub mod sandbox;
mod sources;
mod state;
pub mod trust;
mod workshop;
mod writeback;

pub use agents::{Agent, Program, RunsOn};
pub use chat::{Answered, Chat, Hands, tools};
pub use history::{History, Interaction};
pub use layout::Workspace;
pub use outputs::{Output, Outputs, Tail};
pub use plan::{Plan, Task};
pub use sources::{ArchitectureSource, InjectedSource, OutputsSource, PlanSource};
pub use state::{PlanState, Stage, TaskState};
pub use workshop::{
    CraftRequest, Crafted, Engines, Progress, Room, StepRequest, Stepped, TaskReport, TaskResult,
    Workshop,
};
pub use writeback::{Completed, Writeback, queue, settle, waiting};
