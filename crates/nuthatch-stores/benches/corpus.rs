//! Memories as people might keep them, by number: the same number is always the same memory.
//!
//! Sentences of 8 to 20 words out of a vocabulary of two thousand, common words far more
//! often than rare ones, as in real text. Nothing here is hostile: for that see
//! `nuthatch_testkit::generate`.

use jiff::{SignedDuration, Timestamp};
use nuthatch::category::Category;
use nuthatch::clock::Ids;
use nuthatch::filter::{Filter, Scopes};
use nuthatch::id::{MemoryId, ProjectId, SessionId};
use nuthatch::memory::Memory;
use nuthatch::remember::RememberRequest;
use nuthatch::scope::Scope;
use nuthatch::text::query_terms;
use nuthatch::trust::Origin;
use nuthatch_testkit::SequentialIds;
use nuthatch_testkit::generate::Rng;

/// The words of the head of the distribution, most frequent first.
const COMMON: &str = "the to of and a in is for on with that it as be by this are from or at an \
    not when use uses before after we must always never every new only all one two has have \
    runs run test tests build branch release review server database port staging production \
    config file folder path service key token user team project code change commit error log \
    cache index query table backup script deploy version update keep prefers should because \
    instead without between until first last morning evening week meeting report customer \
    budget travel coffee editor tabs spaces dark theme keyboard language";

/// First halves of the words of the tail.
const OPENINGS: &str = "bar bel bran cal cor cran dal dor drum fal fen flor gal gar grim hal hol \
    hur jas jun kel kor lam lin lor mal mer mon nar nel nor pal per plan quil ral ren rov sal \
    sel ston tal ter tran ul val ver wil win yor zan";

/// Second halves. None is an English ending that a stemmer would take off again.
const CLOSINGS: &str = "abo adic ak amp and ansk ard arn ask atch avo eck eld elk emp end ent \
    erg esk etch ick igo ild imp ind ink int irk isk itch oak ock old olf onk ord orn osk otch \
    ulk und";

/// How flat the head of the distribution is; 2.7 fits English.
const HEAD: u64 = 27;

/// 2025-01-01T00:00:00Z, when the first memory was stored.
const FIRST_SECOND: i64 = 1_735_689_600;
/// Memories are this far apart: a hundred thousand of them fill a year and a half.
const MINUTES_APART: i64 = 8;

const CATEGORIES: [&str; 8] = [
    "core",
    "core",
    "preference",
    "convention",
    "workflow",
    "environment",
    "discovery",
    "restriction",
];

/// What memories are made of.
pub struct Corpus {
    words: Vec<String>,
    /// Up to which drawn number each word reaches.
    reach: Vec<u64>,
}

impl Corpus {
    pub fn new() -> Self {
        let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        for closing in CLOSINGS.split_whitespace() {
            words.extend(OPENINGS.split_whitespace().map(|opening| format!("{opening}{closing}")));
        }
        let mut sum = 0;
        let weight = |rank: usize| 1_000_000_000 / (10 * rank as u64 + HEAD);
        let reach = (0..words.len()).map(|rank| {
            sum += weight(rank);
            sum
        });
        let reach = reach.collect();
        Corpus { words, reach }
    }

    fn word(&self, rng: &mut Rng) -> &str {
        let whole = self.reach.last().copied().unwrap_or_default();
        let drawn = rng.below(whole);
        &self.words[self.reach.partition_point(|reach| *reach <= drawn)]
    }

    /// So many words.
    pub fn text(&self, seed: u64, words: usize) -> String {
        let rng = &mut Rng::new(seed);
        (0..words).map(|_| self.word(rng)).collect::<Vec<_>>().join(" ")
    }

    /// The memory of a number.
    pub fn memory(&self, number: u64) -> Memory {
        let rng = &mut Rng::new(number);
        let at = Timestamp::from_second(FIRST_SECOND).expect("2025 is a year")
            + SignedDuration::from_mins(MINUTES_APART * number as i64);
        let id = MemoryId(SequentialIds::starting_at(number).fresh(at));
        let length = 8 + rng.below(13) as usize;
        let mut memory = Memory::new(id, self.text(rng.draw(), length), scope(rng), at);
        memory.category = Category::nearest(rng.pick::<&str>(&CATEGORIES));
        memory.key = rng.chance(20).then(|| format!("{}-{number}", self.word(rng)));
        memory.origin = *rng.pick(&[Origin::User, Origin::Agent, Origin::Extracted]);
        memory.trust = memory.origin.usual_trust();
        memory.pinned = rng.chance(50);
        if rng.chance(10) {
            memory.metadata.insert("topic".to_owned(), self.word(rng).to_owned());
        }
        memory
    }

    /// The memory of a number, as somebody would ask to remember it.
    pub fn request(&self, number: u64) -> RememberRequest {
        let memory = self.memory(number);
        RememberRequest {
            key: memory.key,
            category: Some(memory.category),
            origin: memory.origin,
            pinned: memory.pinned,
            metadata: memory.metadata,
            ..RememberRequest::new(memory.content, memory.scope)
        }
    }

    /// A question of three words that some memory holds together.
    pub fn query(&self, number: u64) -> String {
        let mut terms = query_terms(&self.memory(number).content);
        terms.truncate(3);
        terms.join(" ")
    }
}

fn scope(rng: &mut Rng) -> Scope {
    match rng.below(10) {
        0..5 => project("nuthatch"),
        5 | 6 => Scope::Global,
        7 => Scope::User,
        8 => project("woodpecker"),
        _ => {
            let id = SessionId::new(format!("chat-{}", rng.below(20)));
            Scope::Session(id.expect("such a session id is legal"))
        }
    }
}

fn project(name: &str) -> Scope {
    Scope::Project(ProjectId::new(name).expect("such a project id is legal"))
}

/// What a command sees inside a project: four of five memories.
pub fn visible() -> Filter {
    Filter::scoped(Scopes::These(vec![Scope::Global, Scope::User, project("nuthatch")]))
}
