//! Finding memories and turns again: lanes gather evidence, one order comes of it.
//!
//! `request.rs` says what can be asked and answered, `lanes.rs` asks the store, `fuse.rs`
//! weighs what was seen, `bar.rs` leaves out weak memories, `when.rs` and `manner.rs` read how
//! a query speaks, `calibrate.rs` knows what a cosine means, and `answer.rs` makes hits, with
//! conversations judged as wholes (`conversation.rs`) and contradictions marked
//! (`otherwise.rs`). An embedder that fails costs its lane and nothing else.

mod answer;
mod bar;
mod calibrate;
mod candidate;
mod conversation;
mod fuse;
mod lanes;
mod manner;
mod otherwise;
mod rank;
mod request;
mod spelling;
mod when;

pub use calibrate::Calibration;
pub(crate) use otherwise::says_otherwise;
pub use request::{Evidence, Hit, HitKind, Lane, Level, Mode, RecallRequest, Recalled, Trace};
pub use when::{Period, period};

use std::sync::OnceLock;

use jiff::Timestamp;

use self::calibrate::Seen;
use self::candidate::Candidate;
use self::fuse::{Setting, SpokenOf};
use self::lanes::{Gathered, Sought};
use crate::embedder::{Embedder, Purpose};
use crate::error::{Error, Kind, Result};
use crate::limits::Retention;
use crate::store::Store;
use crate::text::query_terms;
use crate::vector::Vector;

/// Most hits one recall gives: an answer, not an export.
const MOST_HITS: usize = 1000;
/// One text that holds so much of what is asked for by words is an answer whatever it means.
const ENOUGH_SHARE: f64 = 0.8;

/// What recall works with.
pub(crate) struct Means<'a> {
    pub store: &'a dyn Store,
    pub embedder: Option<&'a dyn Embedder>,
    /// What is known of the embedder, once it was measured.
    pub calibration: Option<&'a OnceLock<Calibration>>,
    pub retention: &'a Retention,
    pub now: Timestamp,
}

/// Answers a request.
pub(crate) async fn recall(means: &Means<'_>, request: &RecallRequest) -> Result<Recalled> {
    if request.limit == 0 || request.limit > MOST_HITS {
        return Err(Error::invalid(format!(
            "a recall gives 1 to {MOST_HITS} hits, not {}",
            request.limit
        )));
    }
    if request.mode == Mode::Recent || asks_nothing(&request.query) {
        return newest(means, request).await;
    }
    let mut trace = Trace {
        mode: request.mode,
        lanes: Vec::new(),
        terms: query_terms(&request.query),
        found: 0,
        model: None,
        pending: 0,
        period: period(&request.query, means.now),
        notes: Vec::new(),
    };
    let mut meaning = meaning(means, request, &mut trace).await?;
    let gathered = gather(means, request, &mut meaning, &mut trace).await?;
    let mut setting = Setting {
        calibration: meaning.map(|known| known.calibration),
        words: request.mode != Mode::Vector,
        to_model: manner::is_to_model(&request.query),
        goes_on: manner::goes_on(&request.query),
        spoken_of: None,
        asked: 0.0,
        at: request.filter.until.map_or(means.now, |until| until.min(means.now)),
    };
    let Gathered { candidates, lanes, pending, indexed, corpus } = gathered;
    setting.spoken_of = trace.period.map(|period| SpokenOf::new(period, &candidates));
    setting.asked = corpus.rarities().iter().sum();
    (trace.lanes, trace.pending, trace.found) = (lanes, pending, candidates.len());
    if !is_answered(&candidates, &setting, indexed) {
        trace.found = 0;
        return Ok(Recalled { hits: Vec::new(), trace });
    }
    let hits = answer::hits(means.store, request, &trace.terms, (&setting, &candidates)).await?;
    Ok(Recalled { hits, trace })
}

/// Asks the lanes: again without meanings where the store cannot compare them, and again for words
/// that are spelled alike where it knows none of those asked for.
async fn gather(
    means: &Means<'_>,
    request: &RecallRequest,
    meaning: &mut Option<Meaning>,
    trace: &mut Trace,
) -> Result<Gathered> {
    let by_words = request.mode != Mode::Vector;
    let gathered = match ask(means, request, meaning.as_ref(), trace).await {
        // A store that cannot compare vectors still finds words; one that is away fails again.
        Err(error) if error.kind() == Kind::Unavailable && by_words && meaning.is_some() => {
            let gathered = ask(means, request, None, trace).await?;
            (*meaning, trace.model) = (None, None);
            trace.notes.push(format!("answered from text alone: {error}"));
            gathered
        }
        gathered => gathered?,
    };
    if !by_words || gathered.corpus.frequencies.iter().any(|documents| *documents > 0) {
        return Ok(gathered);
    }
    let meant = spelling::meant(means.store, &request.filter, &trace.terms).await?;
    let Some(terms) = meant else { return Ok(gathered) };
    trace.notes.push(format!(
        "no word of the query is known; read as words that are spelled alike: {}",
        terms.join(", ")
    ));
    trace.terms = terms;
    ask(means, request, meaning.as_ref(), trace).await
}

async fn ask(
    means: &Means<'_>,
    request: &RecallRequest,
    meaning: Option<&Meaning>,
    trace: &Trace,
) -> Result<Gathered> {
    let by_words = request.mode != Mode::Vector;
    let sought = Sought {
        terms: if by_words { &trace.terms } else { &[] },
        meaning: meaning.map(|known| (known.model.clone(), known.vector.clone())),
        period: trace.period,
    };
    lanes::gather(means.store, request, &sought).await
}

async fn newest(means: &Means<'_>, request: &RecallRequest) -> Result<Recalled> {
    let found = lanes::recent(means.store, request, means.now, means.retention).await?;
    let trace = Trace {
        mode: request.mode,
        lanes: vec![Lane::Recent],
        terms: query_terms(&request.query),
        found: found.len(),
        model: None,
        pending: 0,
        period: None,
        notes: Vec::new(),
    };
    let hits = found.iter().map(|memory| answer::newest(memory, means.now));
    Ok(Recalled { hits: hits.take(request.limit).collect(), trace })
}

/// A query as a model understands it.
struct Meaning {
    model: crate::id::ModelId,
    vector: Vector,
    calibration: Calibration,
}

/// Embeds the query, where meaning is asked for. A model that cannot be asked is noted; only
/// a request for meaning alone fails with it.
async fn meaning(
    means: &Means<'_>,
    request: &RecallRequest,
    trace: &mut Trace,
) -> Result<Option<Meaning>> {
    let Some(embedder) = means.embedder.filter(|_| request.mode != Mode::Text) else {
        if request.mode == Mode::Vector {
            return Err(Error::unavailable("there is no embedding model to compare meanings with")
                .with_hint("set embeddings.provider, or recall by --mode text"));
        }
        return Ok(None);
    };
    match understood(means, embedder, &request.query).await {
        Ok(meaning) => {
            trace.model = Some(meaning.model.clone());
            Ok(Some(meaning))
        }
        Err(error) if request.mode == Mode::Vector => Err(error),
        Err(error) => {
            trace.notes.push(format!("answered from text alone: {error}"));
            Ok(None)
        }
    }
}

async fn understood(means: &Means<'_>, embedder: &dyn Embedder, query: &str) -> Result<Meaning> {
    let info = embedder.info();
    let vector = embedder.embed(Purpose::Query, &[query]).await?.into_iter().next();
    let vector = vector.ok_or_else(|| Error::internal("the embedder gave no vector"))?;
    let measured = means.calibration.and_then(OnceLock::get).copied();
    let calibration = match Calibration::known(&info.origin).or(measured) {
        Some(known) => known,
        None => {
            let measured = Calibration::measure(embedder).await?;
            means.calibration.map_or(measured, |cell| *cell.get_or_init(|| measured))
        }
    };
    Ok(Meaning { model: info.id, vector, calibration })
}

/// Whether anything at all is about what was asked: the nearest text lies as near as an answer
/// does, where words in common make up for a part, or words leave no doubt, or it is not known
/// yet where something lies.
fn is_answered(candidates: &[Candidate], setting: &Setting, documents: u64) -> bool {
    let Some(known) = setting.calibration else { return true };
    if candidates.iter().any(|one| one.cosine.is_none() || one.is_key) {
        return true;
    }
    let most = |of: &dyn Fn(&Candidate) -> f64| candidates.iter().map(of).fold(0.0, f64::max);
    let seen = Seen {
        cosine: most(&|one| one.cosine.unwrap_or_default()),
        share: most(&|one| one.share),
        information: most(&|one| one.information),
    };
    seen.share >= ENOUGH_SHARE || known.is_answer(&seen, documents, setting.goes_on)
}

/// Whether a query names nothing to look for, so that the newest answers it.
pub(crate) fn asks_nothing(query: &str) -> bool {
    matches!(query.trim(), "" | "*")
}
