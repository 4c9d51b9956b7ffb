//! Made-up conversations of any size, and questions about them; the same every time.
//!
//! Words follow Zipf's law over a vocabulary of made-up words, with the commonest English
//! words at its head, because those decide what an unselective query costs. A question
//! takes words out of one turn and frames them as people do.

use jiff::{SignedDuration, Timestamp};

use crate::random::Random;

/// Distinct words; a collection of a million turns of real chat has about as many.
const VOCABULARY: usize = 60_000;
/// Turns of one conversation.
pub(super) const SESSION: usize = 20;
/// When the first conversation begins.
const BEGIN: i64 = 1_700_000_000;

const COMMON: [&str; 40] = [
    "the", "to", "and", "a", "of", "i", "in", "is", "it", "you", "that", "for", "was", "on",
    "with", "my", "we", "this", "have", "be", "but", "not", "are", "so", "at", "what", "do", "can",
    "me", "about", "just", "like", "they", "had", "your", "how", "get", "would", "if", "when",
];

/// The words there are, and how often each is used.
pub(super) struct Language {
    words: Vec<String>,
    /// For each word, how much of all use it and those before it make up.
    upto: Vec<f64>,
}

impl Language {
    pub(super) fn new() -> Self {
        let mut random = Random::new(1);
        let mut words: Vec<String> = COMMON.iter().map(|word| (*word).to_owned()).collect();
        words.extend((COMMON.len()..VOCABULARY).map(|number| made_up(number, &mut random)));
        let mut sum = 0.0;
        let mut upto: Vec<f64> = (0..words.len())
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.7);
                sum
            })
            .collect();
        upto.iter_mut().for_each(|share| *share /= sum);
        Language { words, upto }
    }

    fn word(&self, random: &mut Random) -> &str {
        let share = random.share();
        let at = self.upto.partition_point(|upto| *upto < share);
        &self.words[at.min(self.words.len() - 1)]
    }

    /// The text of the turn at a place: 6 to 40 words.
    pub(super) fn turn(&self, place: usize) -> String {
        let mut random = Random::new(1_000_003 + place as u64);
        let length = 6 + random.below(35);
        let words: Vec<&str> = (0..length).map(|_| self.word(&mut random)).collect();
        words.join(" ")
    }

    /// A question of about ten words about the turn at a place.
    pub(super) fn question(&self, place: usize) -> String {
        let turn = self.turn(place);
        let mut random = Random::new(77 + place as u64);
        let words: Vec<&str> = turn.split(' ').collect();
        let picked = (0..7).map(|_| words[random.below(words.len())]);
        ["what", "did", "you"].into_iter().chain(picked).collect::<Vec<_>>().join(" ")
    }
}

/// A word that nobody uses: syllables, with its number to keep it apart.
fn made_up(number: usize, random: &mut Random) -> String {
    const ONSETS: [&str; 16] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st", "tr"];
    const RHYMES: [&str; 12] = ["a", "e", "i", "o", "u", "an", "el", "ir", "on", "us", "ak", "em"];
    let mut word = String::new();
    let mut rest = number;
    while rest > 0 || word.len() < 3 {
        let pick = rest % (ONSETS.len() * RHYMES.len());
        rest /= ONSETS.len() * RHYMES.len();
        word.push_str(ONSETS[pick % ONSETS.len()]);
        word.push_str(RHYMES[pick / ONSETS.len()]);
    }
    if random.below(3) == 0 {
        word.push_str(ONSETS[random.below(ONSETS.len())]);
    }
    word
}

/// When the turn at a place was said: an hour between conversations, a minute between turns.
pub(super) fn said_at(place: usize) -> anyhow::Result<Timestamp> {
    let (session, turn) = ((place / SESSION) as i64, (place % SESSION) as i64);
    let begin = Timestamp::from_second(BEGIN)?;
    Ok(begin + SignedDuration::from_hours(session) + SignedDuration::from_mins(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_the_same_every_time() {
        let (one, two) = (Language::new(), Language::new());
        assert_eq!(one.turn(5), two.turn(5));
        assert_ne!(one.turn(5), one.turn(6));
        assert_eq!(one.question(5), two.question(5));
        assert!(one.question(5).split(' ').skip(3).all(|word| one.turn(5).contains(word)));
    }

    #[test]
    fn common_words_are_common() {
        let language = Language::new();
        let with_the = (0..500).filter(|n| language.turn(*n).split(' ').any(|w| w == "the"));
        assert!((250..500).contains(&with_the.count()));
    }
}
