//! Texts on their way through the gate: each is examined as it came, and leaves clean.
//!
//! A [`Gate`] takes the texts of one thing, a memory or a turn, and keeps the worst verdict.
//! What people and agents say is refused when it holds a secret; what was copied from a
//! conversation loses the secret and keeps the rest. Which texts a thing has is in `admit`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::gate::refusal;
use super::hidden::reveal;
use super::redact::redact;
use super::sanitise::{Form, LABEL_CHARS, check_size, one_line, sanitise, sanitise_label};
use super::{Category, Finding, Verdict, examine, secrets, texts};
use crate::error::{Error, Result};

/// Most metadata entries of one memory: metadata is for labels, not for documents.
const METADATA_ENTRIES: usize = 64;

/// What the gate made of one thing and all its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// The worst verdict on any of them.
    pub verdict: Verdict,
    /// The rules that spoke against one of them, by name.
    pub rules: BTreeSet<String>,
}

impl Passed {
    /// Takes in what was said of something else that belongs to it.
    pub fn absorb(&mut self, other: Passed) {
        self.verdict = self.verdict.max(other.verdict);
        self.rules.extend(other.rules);
    }
}

/// The texts of one thing pass here, one after another.
#[derive(Debug, Default)]
pub struct Gate {
    passed: Passed,
}

impl Gate {
    /// What was made of all texts so far.
    #[must_use]
    pub fn passed(self) -> Passed {
        self.passed
    }

    /// A text that somebody wants to be kept, in the form it is kept in.
    ///
    /// # Errors
    /// Of kind `denied` when it holds a secret, `invalid` when nothing is left of it.
    pub fn content(&mut self, what: &str, text: &str, form: Form) -> Result<String> {
        self.look(what, text)?;
        let clean = sanitise(text, form)?;
        self.look_again(what, text, &clean)?;
        Ok(clean)
    }

    /// A short text such as a key: always one line.
    ///
    /// # Errors
    /// Of kind `denied` when it holds a secret, `invalid` when it is empty or too long.
    pub fn label(&mut self, what: &str, text: &str) -> Result<String> {
        self.look(what, text)?;
        let clean = sanitise_label(what, text)?;
        self.look_again(what, text, &clean)?;
        Ok(clean)
    }

    /// A name that must stay as it is, such as an id or a category.
    ///
    /// # Errors
    /// Of kind `denied` when it holds a secret, `invalid` when nobody can see all of it.
    pub fn name(&mut self, what: &str, text: &str) -> Result<()> {
        self.look(what, text)?;
        // Words joined by underscores are read as words by whoever reads the prompt.
        if text.contains('_') {
            self.look(what, &text.replace('_', " "))?;
        }
        if reveal(text) != text {
            return Err(Error::invalid(format!("the {what} holds characters nobody can see")));
        }
        Ok(())
    }

    /// Names and values, each a label; an empty value stays: it means removal in edits.
    ///
    /// # Errors
    /// As [`label`](Gate::label); `invalid` when they are too many.
    pub fn metadata(
        &mut self,
        metadata: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>> {
        if metadata.len() > METADATA_ENTRIES {
            return Err(Error::invalid(format!(
                "{} metadata entries are too many; at most {METADATA_ENTRIES} are kept",
                metadata.len()
            )));
        }
        let mut clean = BTreeMap::new();
        for (name, value) in metadata {
            self.named(name, value)?;
            let name = self.label("metadata name", name)?;
            let value = match value.as_str() {
                "" => String::new(),
                value => self.label("metadata value", value)?,
            };
            clean.insert(name, value);
        }
        Ok(clean)
    }

    /// A word and the name it goes by: `hunter2` is nothing, but not as `db_password`.
    ///
    /// # Errors
    /// Of kind `denied` when the two together are a secret.
    pub fn named(&mut self, name: &str, value: &str) -> Result<()> {
        match texts::named("value", name, value) {
            Some((what, pair)) => self.look(what, &pair),
            None => Ok(()),
        }
    }

    /// What was said in a conversation: secrets are struck out, the rest is kept with its
    /// lines. Empty is allowed; a turn may have said nothing.
    ///
    /// # Errors
    /// Of kind `invalid`, when it is far too large.
    pub fn transcript(&mut self, text: &str) -> Result<String> {
        check_size(text)?;
        let examined = examine(text);
        let is_secret = |finding: &Finding| finding.category == Category::Secret;
        let mut findings = Vec::new();
        // Most texts hold none, and need not be looked through again to find that out.
        let struck = if examined.findings.iter().any(is_secret) {
            let (struck, found) = redact(text);
            findings.extend(found);
            Cow::Owned(struck)
        } else {
            Cow::Borrowed(text)
        };
        let mut clean = reveal(&struck);
        // What was taken out may have held a secret apart.
        if clean != struck {
            let (struck, found) = redact(&clean);
            findings.extend(found);
            clean = struck;
        }
        if !findings.is_empty() {
            self.note(Verdict::Redact, findings.iter().map(|finding| finding.rule.as_ref()));
        }
        // A secret that was struck out is no reason to keep the rest apart.
        let others = examined.findings.iter().filter(|finding| !is_secret(finding));
        let others: Vec<&str> = others.map(|finding| finding.rule.as_ref()).collect();
        if !others.is_empty() {
            self.note(Verdict::Quarantine, others);
        }
        Ok(clean)
    }

    /// A line about a conversation, such as its title: as [`transcript`](Gate::transcript),
    /// on one line, and cut where a label ends.
    ///
    /// # Errors
    /// Of kind `invalid`, when it is far too large.
    pub fn transcript_label(&mut self, text: &str) -> Result<String> {
        let clean = one_line(&self.transcript(text)?);
        let (clean, _) = redact(&clean);
        Ok(clean.chars().take(LABEL_CHARS).collect())
    }

    fn look(&mut self, what: &str, text: &str) -> Result<()> {
        check_size(text)?;
        let examined = examine(text);
        if examined.verdict == Verdict::Reject {
            return Err(refusal(what, &examined.findings));
        }
        self.note(examined.verdict, examined.findings.iter().map(|f| f.rule.as_ref()));
        Ok(())
    }

    /// What was taken out of a text may have held a secret apart.
    fn look_again(&mut self, what: &str, text: &str, clean: &str) -> Result<()> {
        if text.trim() == clean {
            return Ok(());
        }
        match secrets::scan(clean) {
            secrets if secrets.is_empty() => Ok(()),
            secrets => Err(refusal(what, &secrets)),
        }
    }

    fn note<'a>(&mut self, verdict: Verdict, rules: impl IntoIterator<Item = &'a str>) {
        self.passed.verdict = self.passed.verdict.max(verdict);
        self.passed.rules.extend(rules.into_iter().map(str::to_owned));
    }
}
