//! Turns as people and agents might say them, by number: the same number is always the same.
//!
//! Sixty thousand words, the frequent ones far more often than the rest, as in real text;
//! turns of 5 to 60 words, in conversations of forty turns. A question takes its words out of
//! one turn, frequent and rare ones alike.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};
use nuthatch::id::{ProjectId, SessionId};
use nuthatch::record::Conversation;
use nuthatch::session::{Role, Session, Turn};
use nuthatch_testkit::generate::Rng;

/// Turns of one conversation.
const TURNS: u64 = 40;
/// Words in all.
const WORDS: usize = 60_000;
/// 2025-01-01T00:00:00Z, when the first turn was said.
const FIRST_SECOND: i64 = 1_735_689_600;

const STARTS: &str = "ba be bo bra ca ce co cra da de do dra fa fe fo fla ga ge go gla ha he ho ja \
    je jo ka ke ko la le lo ma me mo na ne no pa pe po pla qua ra re ro sa se so sta ta te to tra \
    va ve vo wa we wo ya za ze zo";
const ENDS: &str = "ck ld lf lk lm lp lt mp nd nk nt pt rb rd rf rk rl rm rn rp rt sk sp st x";

/// What turns are made of.
pub struct Talk {
    words: Vec<String>,
    reach: Vec<u64>,
}

impl Talk {
    pub fn new() -> Self {
        let starts: Vec<&str> = STARTS.split_whitespace().collect();
        let ends: Vec<&str> = ENDS.split_whitespace().collect();
        let mut words = Vec::with_capacity(WORDS);
        'all: for end in &ends {
            for first in &starts {
                for second in &starts {
                    words.push(format!("{first}{second}{end}"));
                    if words.len() == WORDS {
                        break 'all;
                    }
                }
            }
        }
        // In no order that would make frequent words alike.
        let mut rng = Rng::new(3);
        for place in (1..words.len()).rev() {
            words.swap(place, rng.below(place as u64 + 1) as usize);
        }
        let mut sum = 0;
        let reach = (0..words.len()).map(|rank| {
            sum += 1_000_000_000_000 / (10 * rank as u64 + 27);
            sum
        });
        let reach = reach.collect();
        Talk { words, reach }
    }

    fn word(&self, rng: &mut Rng) -> &str {
        let drawn = rng.below(self.reach.last().copied().unwrap_or_default());
        &self.words[self.reach.partition_point(|reach| *reach <= drawn)]
    }

    /// The turn of a number.
    pub fn turn(&self, number: u64) -> Turn {
        let rng = &mut Rng::new(number << 8);
        let length = if rng.chance(4) { 20 + rng.below(41) } else { 5 + rng.below(16) };
        let text = (0..length).map(|_| self.word(rng)).collect::<Vec<_>>().join(" ");
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        Turn {
            session: session_id(number / TURNS),
            seq: number % TURNS,
            at: at(number),
            role,
            text,
            asked: None,
        }
    }

    /// The conversations of these turns, which are whole ones.
    pub fn conversations(&self, turns: Range<u64>) -> impl Iterator<Item = Conversation> {
        let project = ProjectId::new("bench").expect("such a project id is legal");
        (turns.start / TURNS..turns.end.div_ceil(TURNS)).map(move |number| {
            let numbers = number * TURNS..((number + 1) * TURNS).min(turns.end);
            let session = Session {
                project: Some(project.clone()),
                ..Session::new(session_id(number), at(number * TURNS))
            };
            Conversation { session, turns: numbers.map(|number| self.turn(number)).collect() }
        })
    }

    /// A question of six to ten words that some turn holds.
    pub fn query(&self, number: u64, size: u64) -> String {
        let rng = &mut Rng::new(number + 99);
        let wanted = 6 + rng.below(5) as usize;
        let mut words: Vec<String> = Vec::new();
        while words.len() < wanted {
            let turn = self.turn(rng.below(size));
            words.extend(turn.text.split(' ').map(str::to_owned));
        }
        words.truncate(wanted);
        words.join(" ")
    }
}

fn session_id(number: u64) -> SessionId {
    SessionId::new(format!("chat-{number}")).expect("such a session id is legal")
}

fn at(number: u64) -> Timestamp {
    Timestamp::from_second(FIRST_SECOND).expect("2025 is a year")
        + SignedDuration::from_secs(30 * number as i64)
}
