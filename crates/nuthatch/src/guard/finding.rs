//! What a check of the gate reports: which rule, of which category, about which bytes.
//!
//! A finding points at the text and never carries it, so it can be logged, stored
//! and shown without repeating what it was raised about.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What kind of harm a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Category {
    /// A token, key, password or other credential.
    Secret,
    /// Characters a reader does not see and a model does.
    HiddenText,
    /// Text that orders the reading model about.
    Injection,
    /// Text that claims to be the system, the developer or another role.
    RoleHijack,
    /// Text that would carry data out.
    Exfiltration,
    /// A command that destroys what it is run on.
    DestructiveCommand,
    /// Text that writes itself into files agents obey.
    InstructionFile,
}

impl Category {
    /// The name used on every wire and in every message.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::HiddenText => "hidden_text",
            Self::Injection => "injection",
            Self::RoleHijack => "role_hijack",
            Self::Exfiltration => "exfiltration",
            Self::DestructiveCommand => "destructive_command",
            Self::InstructionFile => "instruction_file",
        }
    }
}

/// One rule that matched one span of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What kind of harm.
    pub category: Category,
    /// The id of the rule.
    pub rule: Cow<'static, str>,
    /// First byte of the span in the text that was checked.
    pub start: usize,
    /// One past the last byte of the span.
    pub end: usize,
}
