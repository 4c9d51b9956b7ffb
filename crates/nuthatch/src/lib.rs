//! **The memory of AI agents**: what a memory is, and what its verbs do.
//!
//! This library is pure. It touches no disk, network, environment, terminal or system
//! clock: those come in through the ports [`store::Store`], [`embedder::Embedder`],
//! [`clock::Clock`] and [`clock::Ids`]. The stores live in `nuthatch-stores`, the command in `nuthatch-cli`.
//!
//! Start at [`Engine`]: one method per verb. Below it, from the ground up:
//!
//! - values: [`memory`], [`session`], [`scope`], [`category`], [`trust`], [`limits`], [`id`],
//!   [`vector`], [`address`], [`transcript`], [`invocation`]
//! - [`change`]: the only way anything is altered; [`filter`]: which memories are meant
//! - ports: [`store`], [`embedder`], [`model`], [`shelf`], [`clock`], [`grant`] (who may come through a server)
//! - [`guard`]: what every text passes on its way in; [`text`]: words and passages
//! - operations: [`remember`], [`recall`], [`record`], [`embed`], [`edit`], [`forget`],
//!   [`session_context`], [`preamble`], [`migrate`], [`scan`], [`review`], [`growth`],
//!   [`jobs`], [`interchange`], [`export`], [`sync`]
//! - autonomous memory: [`extract`], what a session taught; [`consolidate`], what a project's
//!   memories become; [`prompts`], what models are told; [`autonomy`], all of it together
//! - above the engine: [`import`], what others wrote out; [`place`], what a request means where it is made; [`context`],
//!   everything an agent should see; [`learn`], what work taught; [`remind`], what an agent should be told now; [`device`], the verbs as path-addressed JSON; [`memory_tool`], memories as files

pub mod address;
pub mod audit;
pub mod autonomy;
pub mod category;
pub mod change;
pub mod clock;
pub mod consolidate;
pub mod context;
pub mod device;
pub mod edit;
pub mod embed;
pub mod embedder;
pub mod engine;
pub mod error;
pub mod export;
pub mod extract;
pub mod failpoint;
pub mod filter;
pub mod forget;
pub mod grant;
pub mod growth;
pub mod guard;
pub mod id;
pub mod import;
pub mod interchange;
pub mod invocation;
pub mod jobs;
pub mod learn;
pub mod limits;
pub mod memory;
pub mod memory_tool;
pub mod migrate;
pub mod model;
pub mod place;
pub mod preamble;
pub mod prompts;
pub mod recall;
pub mod record;
pub mod remember;
pub mod remind;
pub mod review;
pub mod scan;
pub mod scope;
pub mod session;
pub mod session_context;
pub mod shelf;
pub mod store;
pub mod sync;
pub mod text;
pub mod time;
pub mod transcript;
pub mod trust;
pub mod vector;

pub use engine::{Engine, Shown};
pub use error::{Error, Kind, Result};
pub use limits::Rules;
pub use memory::Memory;
pub use place::Place;
pub use scope::Scope;
