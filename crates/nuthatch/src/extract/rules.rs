//! Extraction by rules: a fold over the events of a session.
//!
//! Rules of the user come only from what a person typed on the branch that was kept, and never
//! from the session of a sub-agent, where another agent plays the user. Commands teach by what
//! they did. Everything found passes the guard and quotes its evidence. The state is bounded,
//! whatever the size of a session.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::category::Category;
use crate::transcript::{Event, SessionHead, Voice, What};
use crate::trust::Trust;

use super::asked::asked;
use super::commands::Commands;
use super::prose::sentences;
use super::purpose::{is_project_task, what_for};
use super::shell::Line;
use super::synopsis::Story;
use super::{
    About, Evidence, Extracted, LEARNED_AS, Learned, QUOTE_CHARS, Synopsis, folded, guarded,
    shortened,
};

/// Memories of one session: whoever states more rules has pasted them.
const MOST: usize = 100;
/// Rules of one message: more than this is a document of rules, which lives somewhere.
const MOST_OF_MESSAGE: usize = 6;
/// Times a command that every project has must work in one session to be how things are done.
const OFTEN: u32 = 3;
/// Turns that are named as evidence of a command that recurs.
const MOST_SEQS: usize = 5;

/// Finds what is worth keeping, event by event.
#[derive(Debug, Default)]
pub struct Rules {
    head: SessionHead,
    found: Vec<Learned>,
    places: BTreeMap<String, usize>,
    commands: Commands,
    story: Story,
    dropped: BTreeMap<String, u64>,
    last: Option<Timestamp>,
}

impl Rules {
    /// Begins with what is known of the session.
    #[must_use]
    pub fn new(head: SessionHead) -> Self {
        let story = Story::titled(head.title.as_deref());
        Rules { head, story, ..Rules::default() }
    }

    /// Takes the next event.
    pub fn see(&mut self, event: &Event) {
        if event.aside {
            return;
        }
        self.last = self.last.max(event.at);
        match &event.what {
            What::User { voice: Voice::Person, text } if self.head.parent.is_none() => {
                self.hear(event.seq, event.at, text);
            }
            What::ToolCall { id, name, input } => self.commands.called(event.seq, id, name, input),
            What::ToolResult { id, failed, output } => {
                self.commands.ended(id, *failed, output, event.at);
            }
            What::User { .. } | What::Assistant { .. } | What::Summary { .. } => {}
        }
    }

    fn hear(&mut self, seq: u64, at: Option<Timestamp>, text: &str) {
        self.story.heard(text);
        let sentences = sentences(text);
        for sentence in &sentences {
            self.commands.heard(seq, &sentence.text);
        }
        let rules: Vec<_> =
            sentences.iter().filter_map(|one| Some((asked(one)?, &one.text))).collect();
        if rules.len() > MOST_OF_MESSAGE {
            *self.dropped.entry("a document of rules".into()).or_default() += rules.len() as u64;
            return;
        }
        for (rule, said) in rules {
            let details = [(LEARNED_AS.to_owned(), rule.how.to_owned())].into();
            self.add(Learned {
                text: rule.text,
                category: Category::nearest(rule.category),
                about: rule.about,
                evidence: self.evidence(vec![seq], said),
                at,
                trust: Trust::Inferred,
                details,
            });
        }
    }

    fn evidence(&self, seqs: Vec<u64>, quote: &str) -> Vec<Evidence> {
        let quote = shortened(quote, QUOTE_CHARS);
        vec![Evidence { session: self.head.id.clone(), seqs, quote }]
    }

    /// Keeps what passes the guard; what is known gains evidence.
    fn add(&mut self, learned: Learned) {
        let Some(learned) = guarded(learned) else {
            *self.dropped.entry("holds a secret".into()).or_default() += 1;
            return;
        };
        let folded = folded(&learned.text);
        if let Some(place) = self.places.get(&folded) {
            self.found[*place].evidence.extend(learned.evidence);
            return;
        }
        if self.found.len() < MOST {
            self.places.insert(folded, self.found.len());
            self.found.push(learned);
        }
    }

    /// What came of it all.
    #[must_use]
    pub fn done(mut self) -> Extracted {
        for fix in std::mem::take(&mut self.commands.fixes) {
            let details = [
                (LEARNED_AS.to_owned(), "command_fix".to_owned()),
                ("program".to_owned(), fix.program),
                ("works".to_owned(), fix.works.clone()),
            ];
            let quote = format!("{} → {}", fix.failed, fix.works);
            self.add(Learned {
                text: fix.text,
                category: Category::nearest("environment"),
                about: About::Project,
                evidence: self.evidence(fix.seqs, &quote),
                at: fix.at,
                trust: Trust::Inferred,
                details: details.into(),
            });
        }
        self.recurring();
        let at = self.head.updated_at.or(self.last);
        let synopsis = Synopsis {
            session: self.head.id.clone(),
            agent: self.head.agent.clone(),
            at,
            text: self.story.done(),
            commands: self.commands.commands(),
        };
        Extracted {
            head: self.head,
            memories: self.found,
            synopsis,
            dropped: self.dropped,
            ..Extracted::default()
        }
    }

    /// Commands that are how things are done here.
    fn recurring(&mut self) {
        let often: Vec<(String, Vec<u64>, Option<Timestamp>)> = self
            .commands
            .worked
            .iter()
            .filter(|(line, tally)| {
                let own = Line::of(line).is_some_and(|line| is_project_task(&line));
                own || tally.worked >= OFTEN
            })
            .map(|(line, tally)| {
                (line.clone(), tally.seqs.iter().take(MOST_SEQS).copied().collect(), tally.at)
            })
            .collect();
        for (line, seqs, at) in often {
            let Some(purpose) = Line::of(&line).as_ref().and_then(what_for) else { continue };
            let details =
                [(LEARNED_AS.to_owned(), "command".to_owned()), ("works".to_owned(), line.clone())];
            self.add(Learned {
                text: format!("`{line}` {purpose} in this project."),
                category: Category::nearest("workflow"),
                about: About::Project,
                evidence: self.evidence(seqs, &line),
                at,
                trust: Trust::Inferred,
                details: details.into(),
            });
        }
    }
}
