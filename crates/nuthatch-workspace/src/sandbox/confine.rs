//! Walls around this process: Landlock for files, ports and signals, seccomp for the rest.
//!
//! The second version of Landlock is required, because the first cannot hold renames; what
//! newer kernels add is used where they have it. Access is allowed by name and refused
//! otherwise, links followed: where a path really leads decides.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::filter;
use super::helper::Orders;

/// Without this nothing is run.
const REQUIRED: ABI = ABI::V2;

/// What is used where the kernel has it.
const WANTED: ABI = ABI::V6;

/// Whether the kernel can hold what is required.
pub(super) fn available() -> Result<(), String> {
    required().and_then(|rules| rules.create().map_err(|error| plain(&error))).map(|_| ())
}

/// Walls this process in, for good.
pub(super) fn confine(orders: &Orders) -> Result<(), String> {
    let rules = rules(orders).map_err(|error| plain(&error))?;
    let status = rules.restrict_self().map_err(|error| plain(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("the kernel does not enforce Landlock".to_owned());
    }
    filter::apply(orders.network)
}

fn required() -> Result<Ruleset, String> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))
        .map_err(|error| plain(&error))
}

fn rules(orders: &Orders) -> Result<RulesetCreated, landlock::RulesetError> {
    let read = AccessFs::from_read(WANTED);
    let all = AccessFs::from_all(WANTED);
    // Devices in the workspace would be a way around everything else.
    let made = AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev;
    let write = all & !made;
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if !orders.network {
        rules = rules.handle_access(AccessNet::from_all(WANTED))?;
    }
    rules
        .create()?
        .add_rules(path_beneath_rules(&orders.read, read))?
        .add_rules(path_beneath_rules(&orders.write, write))?
        .add_rules(path_beneath_rules(&orders.devices, device))
}

fn plain(error: &landlock::RulesetError) -> String {
    format!("Landlock: {error}")
}
