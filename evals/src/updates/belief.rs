//! The files of PrecisionMemBench: beliefs, cases, and what each case expects.

use jiff::Timestamp;
use serde::Deserialize;

/// Something held true, or once held true.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Belief {
    #[serde(rename = "_id")]
    pub(super) id: String,
    #[serde(rename = "user_id")]
    pub(super) user: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) canonical_name: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    pub(super) content: String,
    #[serde(default, rename = "why_it_matters")]
    pub(super) why: Option<String>,
    pub(super) scope: Vec<String>,
    #[serde(default)]
    pub(super) subtype: Option<String>,
    #[serde(default)]
    pub(super) pinned: bool,
    #[serde(default)]
    pub(super) resolved_at: Option<String>,
    #[serde(default)]
    pub(super) superseded_by: Option<String>,
    #[serde(default)]
    pub(super) created_at: Option<Timestamp>,
    #[serde(default)]
    pub(super) participants: Vec<String>,
}

/// One question, and what should come up.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    #[serde(rename = "caseId")]
    pub(super) id: String,
    pub(super) category: String,
    #[serde(default, rename = "userId")]
    pub(super) user: Option<String>,
    pub(super) scope: Vec<String>,
    pub(super) query: String,
    #[serde(default)]
    pub(super) budget: Option<Budget>,
    pub(super) expect: Expected,
}

/// How much may be shown.
#[derive(Debug, Deserialize)]
pub(super) struct Budget {
    #[serde(default, rename = "maxBeliefs")]
    pub(super) most: Option<usize>,
}

/// What should come up.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Expected {
    #[serde(default, rename = "relevantBeliefs")]
    pub(super) relevant: Option<Tier>,
    #[serde(default, rename = "noiseCheck")]
    pub(super) noise: Option<Noise>,
}

/// One part of an answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Tier {
    #[serde(default, rename = "shouldOnlyInclude")]
    pub(super) only: Option<Vec<String>>,
    #[serde(default, rename = "mustInclude")]
    pub(super) must: Vec<String>,
    #[serde(default, rename = "mustExclude")]
    pub(super) must_not: Vec<String>,
}

/// What must not come up.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Noise {
    #[serde(default, rename = "mustNotSurface")]
    pub(super) must_not: Vec<String>,
}

/// A conversation of several turns over one store.
#[derive(Debug, Deserialize)]
pub(super) struct SessionCase {
    pub(super) turns: Vec<SessionTurn>,
}

/// A turn: it asks, and afterwards it may add or change a belief.
#[derive(Debug, Deserialize)]
pub(super) struct SessionTurn {
    pub(super) scope: Vec<String>,
    #[serde(rename = "userMessage")]
    pub(super) message: String,
    #[serde(default, rename = "createBeliefAtTurn")]
    pub(super) create: Option<Belief>,
    #[serde(default, rename = "updateBeliefAtTurn")]
    pub(super) update: Option<Update>,
    pub(super) expect: Expected,
}

/// A belief gets further names.
#[derive(Debug, Deserialize)]
pub(super) struct Update {
    #[serde(rename = "beliefId")]
    pub(super) belief: String,
    #[serde(default, rename = "addAliases")]
    pub(super) names: Vec<String>,
}
