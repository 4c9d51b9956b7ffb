//! The rules, read from `rules/`, one file for each family of services.
//!
//! Read once, on first use; patterns are compiled one by one when their keyword is met.
//! Adding a kind of credential means adding an entry there: its samples are generated and
//! tested by `tests/`, and an entry without them fails.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::check::Check;

pub(super) const FAMILIES: &[&str] = &[
    include_str!("rules/ai.toml"),
    include_str!("rules/chat.toml"),
    include_str!("rules/ci.toml"),
    include_str!("rules/cloud.toml"),
    include_str!("rules/code.toml"),
    include_str!("rules/commerce.toml"),
    include_str!("rules/database.toml"),
    include_str!("rules/developer.toml"),
    include_str!("rules/generic.toml"),
    include_str!("rules/identity.toml"),
    include_str!("rules/infrastructure.toml"),
    include_str!("rules/keys.toml"),
    include_str!("rules/monitoring.toml"),
    include_str!("rules/office.toml"),
    include_str!("rules/packages.toml"),
    include_str!("rules/services.toml"),
    include_str!("rules/social.toml"),
    include_str!("rules/vcs.toml"),
];

/// How a rule is applied; the order is which name wins where several match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The token tells by itself: the pattern is tried around the keyword.
    #[default]
    Token,
    /// The token is only telling beside the name of its service, which is the keyword.
    Near,
    /// The keyword says password: what it is set to need not look random.
    Password,
    /// The keyword says token or secret: what it is set to must look random.
    Named,
    /// The keyword is `key`, which mostly means something harmless.
    Bare,
}

/// One kind of credential.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "documents the rule; tests read it"))]
    pub(super) about: String,
    #[serde(default)]
    pub(super) kind: Kind,
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pattern: String,
    #[serde(default)]
    pub(super) check: Check,
    /// Least Shannon entropy of the secret part, in bits a character.
    #[serde(default = "default_floor")]
    pub(super) floor: f64,
    /// How far before the keyword a match may begin, and how far after it may go on.
    #[serde(default)]
    pub(super) back: usize,
    #[serde(default = "default_reach")]
    pub(super) reach: usize,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests generate samples"))]
    pub(super) samples: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests generate samples"))]
    pub(super) negatives: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

/// Words and padding stay below it, short random tokens above.
fn default_floor() -> f64 {
    2.4
}

/// Longer than all tokens of fixed length; open-ended ones are followed to their end.
fn default_reach() -> usize {
    400
}

impl Rule {
    /// The compiled pattern; a rule whose pattern is wrong fails the tests and never matches.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let build = || {
            let pattern = match self.kind {
                // A value stands alone between blanks, quotes, brackets or punctuation.
                Kind::Near => format!(
                    r#"(?:^|[\s"'`=:|(>,\[\\*])({})(?:$|["'`|)<>\]\\*\s;,}}]|\.(?:\s|$))"#,
                    self.pattern
                ),
                _ => self.pattern.clone(),
            };
            RegexBuilder::new(&pattern).unicode(false).multi_line(false).build().ok()
        };
        self.compiled.get_or_init(build).as_ref()
    }
}

#[derive(Deserialize)]
struct Family {
    rule: Vec<Rule>,
}

/// All rules and the search for their keywords.
pub(super) struct Catalogue {
    pub(super) rules: Vec<Rule>,
    search: AhoCorasick,
    /// Which rules each keyword of the search belongs to.
    owners: Vec<Vec<usize>>,
}

impl Catalogue {
    /// The one catalogue of the process.
    pub(super) fn shared() -> &'static Self {
        static SHARED: LazyLock<Catalogue> = LazyLock::new(Catalogue::read);
        &SHARED
    }

    fn read() -> Self {
        let read = |text: &&str| toml::from_str::<Family>(text).expect("the catalogue is tested");
        let rules: Vec<Rule> = FAMILIES.iter().flat_map(|text| read(text).rule).collect();
        let mut keywords: Vec<String> = Vec::new();
        let mut owners: Vec<Vec<usize>> = Vec::new();
        let mut known = std::collections::HashMap::new();
        for (at, rule) in rules.iter().enumerate() {
            for keyword in &rule.keywords {
                let keyword = keyword.to_ascii_lowercase();
                let slot = *known.entry(keyword.clone()).or_insert_with(|| {
                    keywords.push(keyword);
                    owners.push(Vec::new());
                    keywords.len() - 1
                });
                owners[slot].push(at);
            }
        }
        let search = AhoCorasick::new(&keywords).expect("a few hundred short keywords");
        Self { rules, search, owners }
    }

    /// The rules whose keyword occurs in `text`, each with the spans of its keywords.
    pub(super) fn hits(&'static self, text: &str) -> Vec<(&'static Rule, Vec<(usize, usize)>)> {
        let mut hits: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.rules.len()];
        // Folding the text is cheaper than an automaton that knows both cases.
        let folded = text.to_ascii_lowercase();
        for hit in self.search.find_overlapping_iter(&folded) {
            for &rule in &self.owners[hit.pattern().as_usize()] {
                hits[rule].push((hit.start(), hit.end()));
            }
        }
        let met = self.rules.iter().zip(hits);
        met.filter(|(_, hits)| !hits.is_empty()).collect()
    }
}
