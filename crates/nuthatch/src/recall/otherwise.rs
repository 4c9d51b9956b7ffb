//! Memories that say otherwise of the same thing.
//!
//! Nobody said that one replaces the other, but both cannot hold: they begin with the same
//! words, of which at least two say something, and then differ. Both are shown, the later one
//! above the earlier and each marked. A text that shares words behind the difference speaks of
//! another thing, unless numbers are all that differs.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use super::fuse::Worth;
use crate::id::MemoryId;
use crate::memory::Memory;
use crate::text::{analyse, is_stop_term};

/// A memory longer than this is an essay, which contradicts nothing by its wording.
const MOST_WORDS: usize = 60;
/// Words that say something, before the first difference: who, and what of them.
const LEAST_SHARED: usize = 2;
/// How far the last of those that contradict each other may be lifted above the best of them:
/// however many there are, they do not climb over what fits the query better.
const ABOVE: f64 = 0.01;

/// For each memory that contradicts others among the candidates, which.
pub type Contradictions = BTreeMap<MemoryId, BTreeSet<MemoryId>>;

/// Lifts every later memory above the earlier ones that it contradicts, unless they are more
/// to be trusted; says who contradicts whom.
pub fn settle(candidates: &[Candidate], terms: &[String], worths: &mut [Worth]) -> Contradictions {
    let mut found = Contradictions::new();
    for group in alike(candidates) {
        let step = ABOVE / group.len() as f64;
        for (place, (later, said, memory)) in group.iter().enumerate() {
            for (earlier, other_said, other) in &group[..place] {
                if memory.scope != other.scope
                    || is_replaced(memory, other)
                    || !differ(said, other_said, terms)
                {
                    continue;
                }
                found.entry(memory.id).or_default().insert(other.id);
                found.entry(other.id).or_default().insert(memory.id);
                let least = worths[*earlier].sum + step;
                if memory.trust >= other.trust && worths[*later].sum < least {
                    let lifted = least - worths[*later].sum;
                    worths[*later].add("later", lifted);
                }
            }
        }
    }
    found
}

type Said<'a> = (usize, Vec<String>, &'a Memory);

/// Memories that begin alike, the earlier first.
fn alike(candidates: &[Candidate]) -> Vec<Vec<Said<'_>>> {
    let mut groups: BTreeMap<Vec<String>, Vec<Said<'_>>> = BTreeMap::new();
    for (place, one) in candidates.iter().enumerate() {
        let Some(memory) = &one.memory else { continue };
        // A word is rarely shorter than two bytes with the blank behind it.
        if memory.content.len() > MOST_WORDS * 32 {
            continue;
        }
        let said: Vec<String> = analyse(&memory.content).into_iter().map(|t| t.term).collect();
        if (LEAST_SHARED..=MOST_WORDS).contains(&said.len()) {
            groups.entry(said[..LEAST_SHARED].to_vec()).or_default().push((place, said, memory));
        }
    }
    let mut groups: Vec<Vec<Said<'_>>> = groups.into_values().filter(|g| g.len() > 1).collect();
    for group in &mut groups {
        group.sort_by_key(|(place, _, memory)| (candidates[*place].at, memory.id));
    }
    groups
}

fn is_replaced(one: &Memory, other: &Memory) -> bool {
    one.superseded_by == Some(other.id) || other.superseded_by == Some(one.id)
}

/// Whether two texts say something else of the same thing, as far as the query goes: what it
/// names is what is spoken of, not what is said of it.
fn differ(a: &[String], b: &[String], terms: &[String]) -> bool {
    let same = |(a, b): &(&String, &String)| a == b;
    let head = a.iter().zip(b).take_while(same).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(same).count();
    let (of_a, of_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let says = |words: &[String]| words.iter().filter(|term| !is_stop_term(term)).count();
    let numbers = |words: &[String]| words.iter().all(|w| w.bytes().all(|b| b.is_ascii_digit()));
    let shared = |word: &String| of_a.contains(word) && !joins(word);
    // The cheapest first: of some hundred candidates, every pair that begins alike comes here.
    !of_a.is_empty()
        && !of_b.is_empty()
        && head + tail >= of_a.len().max(of_b.len())
        && says(&a[..head]) >= LEAST_SHARED
        && !of_b.iter().any(shared)
        && (says(&a[a.len() - tail..]) == 0 || numbers(of_a) && numbers(of_b))
        && of_a.iter().chain(of_b).all(|word| !terms.contains(word))
}

/// Whether two texts, given by their terms, say something else of the same thing.
pub fn says_otherwise(a: &[String], b: &[String]) -> bool {
    let fits = |terms: &[String]| (LEAST_SHARED..=MOST_WORDS).contains(&terms.len());
    fits(a) && fits(b) && differ(a, b, &[])
}

/// Whether a word joins the parts of a name, so that two names may share it.
fn joins(word: &str) -> bool {
    matches!(word, "of" | "the" | "a" | "an" | "and" | "in" | "for" | "at" | "on" | "de" | "la")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::query_terms;

    fn differs(a: &str, b: &str, query: &str) -> bool {
        let words = |text: &str| -> Vec<String> {
            analyse(text).into_iter().map(|term| term.term).collect()
        };
        differ(&words(a), &words(b), &query_terms(query))
    }

    #[test]
    fn another_value_of_the_same_thing_is_a_contradiction() {
        for (a, b) in [
            ("Ann is married to Bob.", "Ann is married to Carl."),
            ("The staging port is 5433 for Postgres", "The staging port is 5434 for Postgres"),
            ("The editor of the team is vim", "The editor of the team is emacs now"),
            ("Chanel was founded by Coco Chanel", "Chanel was founded by Andy Warhol"),
            ("Ann comes from the Isle of Man", "Ann comes from the United States of America"),
        ] {
            assert!(differs(a, b, ""), "{a} / {b}");
            assert!(differs(b, a, ""), "{b} / {a}");
        }
    }

    #[test]
    fn another_thing_or_the_same_value_is_none() {
        for (a, b) in [
            ("Ann is married to Bob.", "Ann is married to Bob."),
            ("Ann is married to Bob.", "Ann is married to Bob since May."),
            ("The capital of Germany is Berlin", "The capital of France is Paris"),
            ("The chief officer of Ford is Ann", "The chief officer of Opel is Bob"),
            ("The music that Ann plays is jazz", "The music that Bob plays is jazz"),
            ("Likes tea", "Likes coffee"),
            ("", "x"),
        ] {
            assert!(!differs(a, b, ""), "{a} / {b}");
        }
    }

    #[test]
    fn what_the_query_names_is_no_value() {
        let (a, b) = ("The backup server runs Debian", "The backup server runs Fedora");
        assert!(differs(a, b, "what does the backup server run?"));
        assert!(!differs(a, b, "where is Debian used?"));
    }
}
