//! Searching text: exact evidence, terms as data, and an index that follows every change.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use nuthatch::change::Patch;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::MemoryId;
use nuthatch::memory::Memory;
use nuthatch::scope::Scope;
use nuthatch::store::{TextMatches, TextQuery};
use nuthatch::text::{index_terms, query_terms};

use super::bench::Bench;
use super::list::{combined, filled};
use super::probe::{Probe, must, new_text, project, remembering, sorted};
use crate::generate::Rng;

fn query(terms: &[&str], limit: usize) -> TextQuery {
    let terms = terms.iter().map(|term| (*term).to_owned()).collect();
    TextQuery::new(terms, Filter::scoped(Scopes::All), limit)
}

fn found_in(answer: &TextMatches) -> Vec<MemoryId> {
    answer.matches.iter().filter_map(|found| found.doc.memory()).collect()
}

/// Texts that share no word with what a case looks for, so that its words are rare.
async fn fill_up(probe: &Probe) {
    let filler = |n: u32| remembering(probe.memory(format!("ordinary pebble, numbered n{n}")));
    probe.apply((0..30).map(filler).collect()).await;
}

pub async fn any_term_finds_a_memory(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let one = probe.keep("the staging database listens on port 5433").await.id;
    let two = probe.keep("the harbour database is slow").await.id;
    probe.keep("prefers tabs").await;
    assert_eq!(probe.search("5433").await, [one]);
    assert_eq!(sorted(probe.search("Databases").await), sorted([one, two]));
    assert_eq!(sorted(probe.search("staging harbour nowhere").await), sorted([one, two]));
    assert!(probe.search("nowhere").await.is_empty());
}

pub async fn words_that_begin_alike_are_told_in_order_and_within_the_scopes(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.keep("staging stands beside the harbour").await;
    let mut elsewhere = probe.memory("a stairway, stolen".to_owned());
    elsewhere.scope = project("elsewhere");
    let elsewhere = probe.say(elsewhere).await.memory;
    let told = async |scopes: Scopes, beginning: &str| {
        let found = probe.store().words(&Filter::scoped(scopes), beginning).await;
        must("asking for words", found)
    };
    let cut = |text: &str| query_terms(text).remove(0);
    let (stage, stand) = (cut("staging"), cut("stands"));
    let mut all = vec![stage.clone(), stand.clone(), cut("stairway"), cut("stolen")];
    all.sort();
    assert_eq!(told(Scopes::All, "st").await, all);
    let mut here = vec![stage, stand];
    here.sort();
    assert_eq!(told(Scopes::These(vec![Scope::Global]), "st").await, here);
    assert_eq!(told(Scopes::All, "zz").await, Vec::<String>::new());
    probe.forget(&[elsewhere.id]).await;
    assert_eq!(told(Scopes::All, "st").await, here, "what was forgotten says nothing");
}

pub async fn a_key_is_searched_like_the_text(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.say(probe.keyed("favourite_editor", "helix")).await.memory;
    probe.keep("an unrelated note").await;
    assert_eq!(probe.search("editor").await, [memory.id]);
    let patch = Patch { key: Some(Some("shell".into())), ..Patch::default() };
    probe.edit(memory.id, patch).await;
    assert!(probe.search("editor").await.is_empty());
    assert_eq!(probe.search("shell").await, [memory.id]);
}

pub async fn more_of_the_terms_rank_higher(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    fill_up(&probe).await;
    let one = probe.keep("a lantern stands here today").await.id;
    let three = probe.keep("a lantern, granite and copper").await.id;
    let two = probe.keep("a lantern of granite today").await.id;
    assert_eq!(probe.search("lantern granite copper").await, [three, two, one]);
}

pub async fn rarer_terms_rank_higher(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    fill_up(&probe).await;
    for n in 0..6 {
        probe.keep(&format!("the lantern of room r{n}")).await;
    }
    let rare = probe.keep("the granite of room r9").await.id;
    let found = probe.search("lantern granite").await;
    assert_eq!((found.len(), found[0]), (7, rare));
}

pub async fn scores_fall_and_are_numbers(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 200, 80).await;
    let words = memories.iter().map(|memory| memory.content.as_str()).take(20);
    let terms = words.flat_map(query_terms).take(60).collect();
    let query = TextQuery::new(terms, Filter::everything(), 1000);
    let found = probe.matches(&query).await.matches;
    assert!(!found.is_empty());
    assert!(found.iter().all(|found| found.bm25.is_finite()));
    assert!(found.is_sorted_by(|a, b| a.bm25 >= b.bm25));
}

/// More of one score than any store looks at one by one, stored in another order than that of
/// their times, three at each moment; few of them pass the second filter.
pub async fn of_very_many_equals_the_newest_come_first(bench: &dyn Bench) {
    const MANY: i64 = 1300;
    let probe = Probe::open(bench).await;
    fill_up(&probe).await;
    let memory = |n: i64| {
        let mut one = probe.memory(format!("a lantern in room r{n}"));
        one.created_at -= SignedDuration::from_mins(n * 7919 % MANY / 3);
        one.updated_at = one.created_at;
        one.pinned = n % 100 == 0;
        one
    };
    let memories: Vec<Memory> = (0..MANY).map(memory).collect();
    for some in memories.chunks(500) {
        probe.apply(some.iter().cloned().map(remembering).collect()).await;
    }
    for (pinned, limit) in [(None, 10), (None, 400), (Some(true), 5), (Some(true), 20)] {
        let filter = Filter { pinned, ..Filter::scoped(Scopes::All) };
        let passing = memories.iter().filter(|one| pinned.is_none_or(|pin| one.pinned == pin));
        let mut expected: Vec<_> = passing.map(|one| (one.created_at, one.id)).collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        expected.truncate(limit);
        let query = TextQuery { filter, ..query(&["lantern"], limit) };
        let expected: Vec<MemoryId> = expected.into_iter().map(|(_, id)| id).collect();
        assert_eq!(found_in(&probe.matches(&query).await), expected, "{pinned:?} {limit}");
    }
}

/// The words of each memory, as the library analyses them.
fn vocabularies(memories: &[Memory]) -> Vec<BTreeSet<String>> {
    let words = |memory: &Memory| index_terms(memory.key.as_deref(), &memory.content);
    memories.iter().map(|m| words(m).split(' ').map(str::to_owned).collect()).collect()
}

/// Holds an answer against a search done by hand. Frequencies are of the scopes asked for,
/// matches only of what passes the filter.
fn assert_evidence(query: &TextQuery, answer: TextMatches, memories: &[Memory]) {
    let words = vocabularies(memories);
    let scoped: Vec<_> = memories
        .iter()
        .zip(&words)
        .filter(|(memory, _)| query.filter.scopes.contains(&memory.scope))
        .collect();
    let holding =
        |term: &String| scoped.iter().filter(|(_, words)| words.contains(term)).count() as u64;
    assert_eq!(answer.corpus.documents, scoped.len() as u64);
    assert_eq!(answer.corpus.frequencies, query.terms.iter().map(holding).collect::<Vec<_>>());
    let expected = scoped.iter().filter(|(memory, words)| {
        query.filter.matches(memory) && query.terms.iter().any(|term| words.contains(term))
    });
    let found = sorted(answer.matches.into_iter().filter_map(|found| found.doc.memory()));
    assert_eq!(found, sorted(expected.map(|(memory, _)| memory.id)), "{:?}", query.terms);
}

pub async fn the_evidence_is_exact(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 210, 90).await;
    let all: BTreeSet<String> = vocabularies(&memories).into_iter().flatten().collect();
    let terms: Vec<String> = all.into_iter().filter(|term| !term.is_empty()).collect();
    let filter = Filter::everything();
    for some in terms.chunks(5) {
        let query = TextQuery::new(some.to_vec(), filter.clone(), 1000);
        assert_evidence(&query, probe.matches(&query).await, &memories);
    }
}

pub async fn a_search_respects_its_filter(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memories = filled(&probe, 220, 90).await;
    let mut rng = Rng::new(220);
    for _ in 0..100 {
        let filter = combined(&mut rng, &memories);
        let terms = query_terms("staging database port word granite rust 東京 café forged");
        let query = TextQuery::new(terms, filter, 1000);
        assert_evidence(&query, probe.matches(&query).await, &memories);
    }
}

pub async fn a_search_stays_in_its_scopes(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    for scope in [Scope::Global, Scope::User, project("alpha"), project("beta")] {
        probe.say(Memory { scope, ..probe.memory("the lantern") }).await;
    }
    let terms = query_terms("lantern");
    for (scopes, expected) in
        [(vec![], 0), (vec![project("alpha")], 1), (vec![Scope::User, project("beta")], 2)]
    {
        let filter = Filter::scoped(Scopes::These(scopes));
        let query = TextQuery::new(terms.clone(), filter, 10);
        assert_eq!(probe.matches(&query).await.matches.len(), expected);
    }
}

pub async fn a_search_gives_the_best_and_no_more_than_asked_for(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    fill_up(&probe).await;
    for n in 1..9 {
        // Equally long, so that the number of lanterns alone decides.
        probe.keep(&format!("{}{}", "lantern ".repeat(n), "copper ".repeat(10 - n))).await;
    }
    let every = probe.matches(&query(&["lantern"], usize::MAX)).await;
    assert_eq!(every.matches.len(), 8);
    for limit in [0, 1, 3, 8] {
        let answer = probe.matches(&query(&["lantern"], limit)).await;
        assert_eq!(answer.matches, every.matches[..limit]);
        assert_eq!(answer.corpus, every.corpus);
    }
}

pub async fn an_edited_text_is_found_by_its_new_words_only(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let edited = probe.keep("deploys on fridays").await.id;
    let keyed = probe.say(probe.keyed("day", "friday")).await.memory.id;
    probe.edit(edited, new_text("releases on mondays")).await;
    probe.say(probe.keyed("day", "tuesday")).await;
    let probe = probe.reopen(bench).await;
    assert!(probe.search("friday deploys").await.is_empty());
    assert_eq!(probe.search("releases").await, [edited]);
    assert_eq!(probe.search("tuesday").await, [keyed]);
    let answer = probe.matches(&query(&["friday", "tuesday"], 10)).await;
    assert_eq!((answer.corpus.documents, answer.corpus.frequencies), (2, vec![0, 1]));
}

/// Quotes, operators, wildcards and nothing at all; no text is made of such terms.
const HOSTILE: [&str; 27] = [
    "",
    "\"",
    "\"\"",
    "'",
    "*",
    "alph*",
    "al\"pha",
    "alpha OR beta",
    "alpha AND gamma",
    "NEAR(alpha gamma)",
    "content:alpha",
    "rowid",
    "%",
    "alph_",
    "al%a",
    "\u{0}",
    "al\u{0}pha",
    "(",
    ")",
    "{",
    "^",
    "; DROP TABLE memories",
    "\\",
    "?1",
    "\u{2192}",
    "\n",
    "<->",
];

/// A term is compared, never read as syntax: not one of these occurs in a text as a term.
pub async fn terms_are_data_and_never_syntax(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("alpha beta gamma").await;
    for term in HOSTILE {
        let answer = probe.matches(&query(&[term], 10)).await;
        assert_eq!((answer.matches.len(), answer.corpus.frequencies), (0, vec![0]), "{term:?}");
    }
    let mut terms = HOSTILE.to_vec();
    terms.insert(5, "beta");
    let answer = probe.matches(&query(&terms, 10)).await;
    assert_eq!(found_in(&answer), [memory.id]);
    let frequencies = answer.corpus.frequencies;
    assert_eq!((frequencies.len(), frequencies[5]), (terms.len(), 1));
}

pub async fn no_terms_find_nothing(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.keep("alpha beta gamma").await;
    let answer = probe.matches(&query(&[], 10)).await;
    assert!(answer.matches.is_empty() && answer.corpus.frequencies.is_empty());
}

pub async fn every_script_is_found_by_its_own_words(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let texts = [
        ("東京タワーは高い", "タワー"),
        ("首都是北京市", "北京"),
        ("서울에서 만나요", "서울"),
        ("สวัสดีครับทุกคน", "สวัสดี"),
        ("नमस्ते दुनिया", "नमस्ते"),
        ("привет большому миру", "привет"),
        ("שלום עולם", "שלום"),
        ("مرحبا بالعالم", "مرحبا"),
        ("Σίσυφος ανεβαίνει", "σίσυφος"),
        ("in der großen Straße", "Straße"),
        ("un café serré", "CAFE\u{301}"),
        ("parseHttpRequest fails", "http"),
        ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF} \u{1100}\u{116E}", "한글"),
        ("ｶﾞｯｺｳ", "ガッコウ"),
        ("🎉", "🎉"),
        ("runs v1.2.3-rc1", "v1.2.3-rc1"),
        ("speaks C++", "C++"),
        ("XMLParser", "parser"),
    ];
    let mut ids = Vec::new();
    for (text, _) in texts {
        ids.push(probe.keep(text).await.id);
    }
    for ((text, words), id) in texts.iter().zip(ids) {
        assert_eq!(probe.search(words).await, [id], "{words} in {text}");
    }
}
