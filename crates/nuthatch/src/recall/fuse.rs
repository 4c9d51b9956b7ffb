//! Evidence of several lanes to one order.
//!
//! Everything is counted in one measure: words in the information they carry, meaning in how
//! far a cosine lies above the floor of its model. To the sum come small adjustments that
//! hold wherever people and models talk: a long text matches by chance, what a person said
//! counts before what a model replied, the newer before the older, and a good conversation
//! lends some of its weight to each of its turns.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::calibrate::Calibration;
use super::candidate::Candidate;
use super::when::Period;
use crate::id::SessionId;
use crate::session::Role;

/// So much information of matching words weighs as much as one whole step of the measure.
const WORDS: f64 = 24.0;
/// A score of 0.73 lies so far above one of 0.5.
const STEP: f64 = 0.25;
/// Characters that a text may have before its length counts against it.
const PLAIN_CHARS: f64 = 300.0;
const LENGTH: f64 = 0.08;
const MODEL_SAID: f64 = 0.10;
/// What newness is worth to a question, and to a message that goes on with something.
const NEWNESS: f64 = 0.02;
const NEWNESS_GOING_ON: f64 = 0.10;
/// Half of what is new today is left after a month.
const HALF_LIFE_DAYS: f64 = 30.0;
/// What it is worth to have been said at the time that is spoken of, for every e-fold that
/// this is rarer than anything else: a day tells more than a year.
const TIME_SPOKEN_OF: f64 = 0.10;
const EXACT_KEY: f64 = 1.0;
const CONVERSATION: f64 = 0.20;
/// What the words of a whole conversation weigh, and those of its best turn, as parts of what
/// was asked: a long message has more words in common with everything.
const WHOLE_WORDS: f64 = 0.2;
const BEST_WORDS: f64 = 0.1;
/// How near a conversation is: its nearest turn, the nearest that a person said, the second.
const NEAREST: [f64; 3] = [0.45, 0.43, 0.12];
/// What every e-fold of days costs a conversation where a message goes on with something.
const AGE: f64 = 0.045;
/// How fast the further turns of a conversation count less.
const NEXT: f64 = 0.3;
/// As many turns of a conversation count.
const TURNS: i32 = 5;
/// What is not embedded yet counts as lying a little below the floor.
const UNKNOWN_MEANING: f64 = -0.2;

/// What the order depends on beside the candidates.
pub struct Setting {
    /// What cosines mean; none where no vectors are looked at.
    pub calibration: Option<Calibration>,
    /// Whether words count.
    pub words: bool,
    /// Whether the query speaks to the model about what the model said.
    pub to_model: bool,
    /// Whether it goes on with something, rather than asking about it.
    pub goes_on: bool,
    /// The information of all its words.
    pub asked: f64,
    /// The time the query speaks of.
    pub spoken_of: Option<SpokenOf>,
    /// The time asked for: now, or the end of what may be seen.
    pub at: Timestamp,
}

/// A time that a query speaks of, and what it is worth to have been said then.
#[derive(Clone, Copy, Debug)]
pub struct SpokenOf {
    period: Period,
    worth: f64,
}

impl SpokenOf {
    /// Weighed by how few of the candidates that were found by what they say belong to it.
    #[must_use]
    pub fn new(period: Period, candidates: &[Candidate]) -> Self {
        let (mut all, mut within) = (1.0, 1.0);
        for one in candidates.iter().filter(|one| !one.only_by_time) {
            all += 1.0;
            within += period.nearness(one.at);
        }
        SpokenOf { period, worth: TIME_SPOKEN_OF * f64::ln(all / within) }
    }

    fn worth_at(&self, at: Timestamp) -> f64 {
        self.worth * self.period.nearness(at)
    }
}

/// What each candidate is worth, and what that is made of.
#[derive(Clone, Debug, Default)]
pub struct Worth {
    /// The sum; 0 is as near in meaning as the floor asks, without a word in common.
    pub sum: f64,
    /// The parts, by name.
    pub parts: BTreeMap<&'static str, f64>,
}

impl Worth {
    fn of(parts: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        let parts: BTreeMap<_, _> = parts.into_iter().filter(|(_, value)| *value != 0.0).collect();
        Worth { sum: parts.values().sum(), parts }
    }

    /// Adds to a part, and to the sum.
    pub fn add(&mut self, name: &'static str, value: f64) {
        if value != 0.0 {
            *self.parts.entry(name).or_default() += value;
            self.sum += value;
        }
    }

    /// From 0 to 1; 0.5 where the sum is 0.
    #[must_use]
    pub fn score(&self) -> f64 {
        1.0 / (1.0 + (-self.sum / STEP).exp())
    }
}

impl Setting {
    fn words_of(&self, candidate: &Candidate) -> f64 {
        if self.words { candidate.information / WORDS } else { 0.0 }
    }

    fn meaning_of(&self, candidate: &Candidate) -> f64 {
        self.calibration.map_or(0.0, |known| match candidate.cosine {
            Some(cosine) => known.scale() * (cosine - known.floor()),
            None => UNKNOWN_MEANING,
        })
    }

    fn newness(&self, at: Timestamp) -> f64 {
        let worth = if self.goes_on { NEWNESS_GOING_ON } else { NEWNESS };
        worth * 0.5_f64.powf(self.days_since(at) / HALF_LIFE_DAYS)
    }

    fn days_since(&self, at: Timestamp) -> f64 {
        (self.at.duration_since(at).as_secs_f64() / 86_400.0).max(0.0)
    }

    fn own_worth(&self, candidate: &Candidate) -> Worth {
        let long = (candidate.chars as f64 / PLAIN_CHARS).max(1.0).ln();
        let said_by_model = candidate.role == Some(Role::Assistant) && !self.to_model;
        let then = self.spoken_of.map_or(0.0, |time| time.worth_at(candidate.at));
        Worth::of([
            ("words", self.words_of(candidate)),
            ("meaning", self.meaning_of(candidate)),
            ("length", -LENGTH * long),
            ("said_by_model", if said_by_model { -MODEL_SAID } else { 0.0 }),
            ("newness", self.newness(candidate.at)),
            ("time_spoken_of", then),
            ("key", if candidate.is_key { EXACT_KEY } else { 0.0 }),
        ])
    }

    /// Whether a candidate has anything to do with the query: a word in common, or a meaning
    /// at least as near as an answer's. Where words are not looked at, the nearest are wanted
    /// as they are.
    #[must_use]
    pub fn is_related(&self, candidate: &Candidate) -> bool {
        let near = |known: Calibration| candidate.cosine.is_none_or(|c| c >= known.floor());
        !self.words || candidate.bm25 > 0.0 || candidate.is_key || self.calibration.is_none_or(near)
    }

    /// What each candidate is worth, in their order.
    #[must_use]
    pub fn worths(&self, candidates: &[Candidate]) -> Vec<Worth> {
        let mut worths: Vec<Worth> = candidates.iter().map(|one| self.own_worth(one)).collect();
        let least = self.least_meaning(candidates);
        let mut of_session: BTreeMap<&SessionId, Vec<f64>> = BTreeMap::new();
        for (candidate, worth) in candidates.iter().zip(&worths) {
            if let Some(session) = candidate.session() {
                of_session.entry(session).or_default().push((worth.sum - least).max(0.0));
            }
        }
        let lent: BTreeMap<&SessionId, f64> = of_session
            .into_iter()
            .map(|(session, best)| (session, CONVERSATION * falling(best, NEXT)))
            .collect();
        for (candidate, worth) in candidates.iter().zip(&mut worths) {
            if let Some(lent) = candidate.session().and_then(|session| lent.get(session)) {
                worth.add("conversation", *lent);
            }
        }
        worths
    }

    /// The meaning of the least near candidate: what anything at all in the store has.
    fn least_meaning(&self, candidates: &[Candidate]) -> f64 {
        let known = candidates.iter().filter(|one| one.cosine.is_some());
        known.map(|one| self.meaning_of(one)).reduce(f64::min).unwrap_or_default()
    }

    /// What a conversation is worth: by the information that all of it holds, and by the best
    /// words and the best meaning of its turns, which need not stand in the same turn.
    #[must_use]
    pub fn session_worth(&self, turns: &[&Candidate], whole: f64) -> Worth {
        let words =
            if self.words { greatest(turns.iter().map(|one| one.information)) } else { 0.0 };
        let last = turns.iter().map(|one| one.at).max().unwrap_or(self.at);
        let age = if self.goes_on { AGE * self.days_since(last).ln_1p() } else { 0.0 };
        let then = |time: SpokenOf| greatest(turns.iter().map(|one| time.worth_at(one.at)));
        let held = WHOLE_WORDS * whole + BEST_WORDS * words;
        Worth::of([
            ("words", held / self.asked.max(1.0).sqrt()),
            ("meaning", self.session_meaning(turns)),
            ("age", -age),
            ("time_spoken_of", self.spoken_of.map_or(0.0, then)),
        ])
    }

    /// How near a conversation is by its nearest turns. What a person said counts beside what
    /// a model replied, unless the model is asked about its own words.
    fn session_meaning(&self, turns: &[&Candidate]) -> f64 {
        let mut meanings: Vec<f64> = turns.iter().map(|one| self.meaning_of(one)).collect();
        meanings.sort_by(|a, b| b.total_cmp(a));
        let Some(first) = meanings.first().copied() else { return 0.0 };
        let second = meanings.get(1).copied().unwrap_or(first);
        let persons = turns.iter().filter(|one| one.role != Some(Role::Assistant));
        let by_person = persons.map(|one| self.meaning_of(one)).reduce(f64::max);
        let least = meanings.last().copied().unwrap_or(first);
        let by_person = if self.to_model { first } else { by_person.unwrap_or(least) };
        NEAREST[0] * first + NEAREST[1] * by_person + NEAREST[2] * second
    }
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.reduce(f64::max).unwrap_or_default()
}

/// The sum of the greatest, each weighing `share` of the one before it.
fn falling(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(|a, b| b.total_cmp(a));
    values.iter().zip(0..TURNS).map(|(value, place)| value * share.powi(place)).sum()
}

#[cfg(test)]
mod tests;
