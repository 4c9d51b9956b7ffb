//! Autonomous memory: how it stands, what it would put in, what it published and what it cost.
//!
//! Decides nothing; where a place has no autonomous memory, every one of them says so.

use nuthatch::Place;
use nuthatch::autonomy::pick::Reach;
use nuthatch::autonomy::report::{Emptied, Ran, Rewritten, Spent, Status, Viewed};
use nuthatch::autonomy::{Afterwards, RunMode, RunRequest};
use nuthatch::error::Result;
use nuthatch::place::Read;
use nuthatch::shelf::Generation;
use nuthatch::store::Job;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose sessions.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusArgs {
    /// Sessions of every project, not only of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_projects: Option<bool>,
}

/// What is to be run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunArgs {
    /// Sessions of every project, not only of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_projects: Option<bool>,
    /// Only say what would be done, and what it would cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Two sets of documents.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffArgs {
    /// The older set; the one before, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// The newer set; the published one, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
}

/// A set of documents.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoArgs {
    /// Which; the one before, if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
}

/// What is removed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearArgs {
    /// Whether everything is learnt anew at the next run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_anew: Option<bool>,
}

/// An address.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadArgs {
    /// memory://root, memory://root/MEMORY.md, memory://root/skills/NAME/SKILL.md or
    /// memory:// and the id of a memory.
    pub address: String,
}

/// Every job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Jobs {
    /// By kind and name.
    pub jobs: Vec<Job>,
}

/// Sets of documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Log {
    /// Newest first.
    pub generations: Vec<Generation>,
}

/// What is different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Differs {
    /// Line by line; empty where nothing is.
    pub diff: String,
}

/// What was published again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Undone {
    /// The number of the set.
    pub generation: u64,
}

fn reach(place: &Place, all_projects: Option<bool>) -> Result<Reach> {
    Ok(match all_projects {
        Some(true) => Reach::AllProjects,
        _ => Reach::Project(place.autonomy()?.project().clone()),
    })
}

/// How it stands.
///
/// # Errors
/// When sessions cannot be looked for or the store fails.
pub async fn status(place: &Place, args: StatusArgs) -> Result<Status> {
    place.autonomy()?.status(&reach(place, args.all_projects)?).await
}

/// Every job.
///
/// # Errors
/// Whatever the store says.
pub async fn jobs(place: &Place) -> Result<Jobs> {
    Ok(Jobs { jobs: place.engine().store().jobs().await? })
}

/// Learns from sessions and renews documents.
///
/// # Errors
/// When sessions cannot be looked for or the store fails.
pub async fn run(place: &Place, args: RunArgs) -> Result<Ran> {
    let mode = if args.dry_run == Some(true) { RunMode::LookOnly } else { RunMode::Work };
    let reach = reach(place, args.all_projects)?;
    place.autonomy()?.run(RunRequest { reach, mode }).await
}

/// Exactly what is put in at the start of a session.
///
/// # Errors
/// When the documents cannot be read.
pub fn view(place: &Place) -> Result<Viewed> {
    place.autonomy()?.view()
}

/// The sets of documents that are kept.
///
/// # Errors
/// When they cannot be read.
pub fn log(place: &Place) -> Result<Log> {
    Ok(Log { generations: place.autonomy()?.log()? })
}

/// What is different between two sets.
///
/// # Errors
/// `not_found` for a set that is not kept.
pub fn diff(place: &Place, args: DiffArgs) -> Result<Differs> {
    Ok(Differs { diff: place.autonomy()?.diff(args.from, args.to)? })
}

/// Publishes an earlier set again.
///
/// # Errors
/// `not_found` for a set that is not kept.
pub fn undo(place: &Place, args: UndoArgs) -> Result<Undone> {
    Ok(Undone { generation: place.autonomy()?.undo(args.to)? })
}

/// Lets the documents be made anew at the next run.
///
/// # Errors
/// Whatever the store says.
pub async fn enqueue(place: &Place) -> Result<Job> {
    let autonomy = place.autonomy()?;
    autonomy.enqueue(autonomy.project()).await
}

/// Makes the documents anew, now.
///
/// # Errors
/// `not_found`, when there is nothing to make them of.
pub async fn rebuild(place: &Place) -> Result<Rewritten> {
    let autonomy = place.autonomy()?;
    autonomy.rebuild(autonomy.project()).await
}

/// Removes what was learnt about this project, and its documents.
///
/// # Errors
/// Whatever the store says.
pub async fn clear(place: &Place, args: ClearArgs) -> Result<Emptied> {
    let afterwards = match args.learn_anew {
        Some(true) => Afterwards::LearnAnew,
        _ => Afterwards::StayAway,
    };
    place.autonomy()?.clear(afterwards).await
}

/// What models cost.
///
/// # Errors
/// When receipts cannot be read.
pub fn spend(place: &Place) -> Result<Spent> {
    place.autonomy()?.spend()
}

/// What an address names.
///
/// # Errors
/// `not_found`, when there is nothing.
pub async fn read(place: &Place, args: ReadArgs) -> Result<Read> {
    place.read(&args.address.parse()?).await
}
