//! Durable work: exchanged only as it was seen, leased to one, tried three times.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use nuthatch::error::Kind;
use nuthatch::id::ProjectId;
use nuthatch::jobs::{self, Claim, Finish, Hold, MOST_TRIES, NotNow, Wanted};
use nuthatch::store::{Job, JobKey, JobKind, JobState, JobSwap, Swapped};
use uuid::Uuid;

use super::bench::Bench;
use super::drive;
use super::probe::{Probe, must};

const LEASE: SignedDuration = SignedDuration::from_secs(120);

fn key(name: &str) -> JobKey {
    must("naming a job", JobKey::new(JobKind::Extract, name))
}

fn wanted(name: &str, watermark: &str) -> Wanted {
    let project = must("naming a project", ProjectId::new("harbour"));
    Wanted { key: key(name), project: Some(project), watermark: watermark.to_owned() }
}

impl Probe {
    fn hold(&self, owner: u128) -> Hold {
        Hold { owner: Uuid::from_u128(owner), at: self.now(), lease: LEASE }
    }

    async fn want(&self, name: &str, watermark: &str) -> Job {
        let wanted = wanted(name, watermark);
        must("wanting a job", jobs::want(self.store(), &wanted, self.now()).await)
    }

    async fn claim(&self, name: &str, owner: u128) -> Claim {
        must("claiming", jobs::claim(self.store(), &key(name), &self.hold(owner)).await)
    }

    async fn mine(&self, name: &str, owner: u128) -> Job {
        match self.claim(name, owner).await {
            Claim::Mine(job) => *job,
            Claim::NotNow(why) => panic!("{name} was not to be had: {why:?}"),
        }
    }

    async fn finish(&self, name: &str, owner: u128, watermark: &str) -> nuthatch::Result<Job> {
        let done = Finish { watermark: watermark.to_owned(), ..Finish::default() };
        jobs::finish(self.store(), &key(name), &self.hold(owner), &done).await
    }
}

pub async fn every_field_of_a_job_comes_back_after_reopening(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let at = probe.now();
    let job = Job {
        project: wanted("s", "w").project,
        state: JobState::Running,
        done_watermark: Some("w0 \"quoted\"".into()),
        owner: Some(Uuid::from_u128(7)),
        lease_until: Some(at + LEASE),
        tries: 2,
        retry_at: Some(at),
        last_error: Some("die Verbindung riß ab".into()),
        finished_at: Some(at),
        marks: BTreeSet::from(["a1".to_owned(), "b2".to_owned()]),
        notes: [("through".to_owned(), "41".to_owned())].into(),
        ..Job::new(key("claude-code:ünï/../s 1"), "w1", at)
    };
    let swap = JobSwap::of(None, job.clone());
    assert_eq!(must("storing", probe.store().swap_job(&swap).await), Swapped::Yes);
    let probe = probe.reopen(bench).await;
    let found = must("reading", probe.store().job(&job.key).await);
    assert_eq!(found, Some(Job { revision: 1, ..job }));
    assert_eq!(must("reading", probe.store().job(&key("another")).await), None);
}

pub async fn a_job_is_exchanged_only_as_it_was_seen(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let other = probe.again(bench).await;
    let seen = probe.want("s", "w1").await;
    let swap = JobSwap::of(None, seen.clone());
    assert_eq!(must("making twice", other.store().swap_job(&swap).await), Swapped::Overtaken);
    let swap = JobSwap::of(Some(&seen), Job { tries: 1, ..seen.clone() });
    assert_eq!(must("exchanging", other.store().swap_job(&swap).await), Swapped::Yes);
    assert_eq!(must("exchanging", probe.store().swap_job(&swap).await), Swapped::Overtaken);
    let removal = JobSwap::removal(&seen);
    assert_eq!(must("removing", probe.store().swap_job(&removal).await), Swapped::Overtaken);
    let found = must("reading", probe.store().job(&seen.key).await).expect("it is there");
    assert_eq!((found.tries, found.revision), (1, 2));
}

pub async fn jobs_are_listed_by_kind_and_name(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    assert_eq!(must("listing", probe.store().jobs().await), []);
    for (kind, name) in [
        (JobKind::Writeback, "a"),
        (JobKind::Extract, "b"),
        (JobKind::Extract, "a"),
        (JobKind::Consolidate, "z"),
    ] {
        let key = must("naming", JobKey::new(kind, name));
        let wanted = Wanted { key, project: None, watermark: "w".into() };
        must("wanting", jobs::want(probe.store(), &wanted, probe.now()).await);
    }
    let listed = must("listing", probe.reopen(bench).await.store().jobs().await);
    let names: Vec<String> = listed.iter().map(|job| job.key.to_string()).collect();
    assert_eq!(names, ["consolidate z", "extract a", "extract b", "writeback a"]);
}

pub async fn a_job_can_be_removed_and_wanted_again(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.want("s", "w1").await;
    assert!(must("removing", jobs::remove(probe.store(), &key("s")).await));
    assert!(!must("removing", jobs::remove(probe.store(), &key("s")).await));
    let claim = probe.claim("s", 1).await;
    assert_eq!(claim, Claim::NotNow(NotNow::Unknown));
    assert_eq!(probe.want("s", "w1").await.revision, 1);
}

pub async fn a_lease_is_exclusive(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let other = probe.again(bench).await;
    probe.want("s", "w1").await;
    probe.mine("s", 1).await;
    let until = probe.now() + LEASE;
    assert_eq!(other.claim("s", 2).await, Claim::NotNow(NotNow::Running { until }));
    probe.clock().advance(SignedDuration::from_secs(119));
    let renewed = must("renewing", jobs::renew(probe.store(), &key("s"), &probe.hold(1)).await);
    assert_eq!(renewed.lease_until, Some(probe.now() + LEASE));
    probe.clock().advance(SignedDuration::from_secs(100));
    assert!(matches!(other.claim("s", 2).await, Claim::NotNow(NotNow::Running { .. })));
}

pub async fn an_expired_lease_is_taken_over(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.want("s", "w1").await;
    probe.mine("s", 1).await;
    probe.clock().advance(LEASE);
    let probe = probe.reopen(bench).await;
    let taken = probe.mine("s", 2).await;
    assert_eq!((taken.owner, taken.tries), (Some(Uuid::from_u128(2)), 2));
    must("finishing", probe.finish("s", 2, "w1").await);
}

pub async fn three_tries_with_growing_pauses_and_then_no_more(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.want("s", "w1").await;
    let mut pauses = Vec::new();
    for _ in 0..MOST_TRIES {
        let hold = probe.hold(1);
        probe.mine("s", 1).await;
        let job = must("failing", jobs::fail(probe.store(), &key("s"), &hold, "no answer").await);
        assert_eq!(job.last_error.as_deref(), Some("no answer"));
        if let Some(until) = job.retry_at {
            assert_eq!(probe.claim("s", 1).await, Claim::NotNow(NotNow::Waiting { until }));
            pauses.push(until.duration_since(probe.now()));
            probe.clock().advance(until.duration_since(probe.now()));
        }
    }
    assert!(pauses.len() == 2 && pauses[0] < pauses[1], "{pauses:?}");
    probe.clock().advance(SignedDuration::from_hours(1000));
    assert_eq!(probe.claim("s", 1).await, Claim::NotNow(NotNow::GivenUp));
    let kept = must("reading", probe.store().job(&key("s")).await).expect("it is there");
    assert_eq!(kept.state, JobState::Error);
    probe.want("s", "w2").await;
    assert_eq!(probe.mine("s", 1).await.tries, 1);
}

pub async fn only_the_owner_renews_and_finishes(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.want("s", "w1").await;
    probe.mine("s", 1).await;
    probe.clock().advance(LEASE);
    probe.mine("s", 2).await;
    let late = probe.hold(1);
    let refused = [
        jobs::renew(probe.store(), &key("s"), &late).await,
        jobs::fail(probe.store(), &key("s"), &late, "late").await,
        jobs::put_back(probe.store(), &key("s"), &late, "late").await,
        probe.finish("s", 1, "w1").await,
    ];
    for answer in refused {
        assert_eq!(answer.map_err(|error| error.kind()), Err(Kind::Conflict));
    }
    let kept = must("reading", probe.store().job(&key("s")).await).expect("it is there");
    assert_eq!((kept.owner, kept.state), (Some(Uuid::from_u128(2)), JobState::Running));
}

pub async fn a_job_is_done_once_for_each_watermark(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    probe.want("s", "w1").await;
    probe.mine("s", 1).await;
    let job = must("finishing", probe.finish("s", 1, "w1").await);
    assert_eq!((job.state, job.finished_at), (JobState::Done, Some(probe.now())));
    let probe = probe.reopen(bench).await;
    probe.want("s", "w1").await;
    assert_eq!(probe.claim("s", 1).await, Claim::NotNow(NotNow::Done));
    probe.want("s", "w2").await;
    probe.mine("s", 1).await;
    probe.want("s", "w3").await;
    let job = must("finishing", probe.finish("s", 1, "w2").await);
    assert_eq!((job.state, job.done_watermark.as_deref()), (JobState::Pending, Some("w2")));
    assert_eq!(probe.mine("s", 1).await.watermark, "w3");
}

/// Each thread has a handle and a runtime of its own, as processes have.
pub async fn of_many_workers_each_job_has_one(bench: &dyn Bench) {
    const WORKERS: u128 = 6;
    let probe = Probe::open(bench).await;
    let names: Vec<String> = (0..8).map(|n| format!("s{n}")).collect();
    for name in &names {
        probe.want(name, "w1").await;
    }
    let (names, probe) = (&names, &probe);
    let claimed: Vec<String> = std::thread::scope(|threads| {
        let work = |worker: u128| {
            let mut mine = Vec::new();
            drive(async {
                let own = probe.again(bench).await;
                for name in names {
                    if let Claim::Mine(job) = own.claim(name, worker + 1).await {
                        must("finishing", own.finish(name, worker + 1, "w1").await);
                        mine.push(job.key.name);
                    }
                }
            });
            mine
        };
        let workers: Vec<_> = (0..WORKERS).map(|n| threads.spawn(move || work(n))).collect();
        let ended = workers.into_iter().map(|worker| worker.join().expect("a worker ends"));
        ended.flatten().collect()
    });
    let mut sorted = claimed;
    sorted.sort();
    assert_eq!(&sorted, names, "each job was done by one worker");
}

pub async fn jobs_leave_everything_else_alone(bench: &dyn Bench) {
    let probe = Probe::open(bench).await;
    let memory = probe.keep("deploys on fridays").await;
    probe.want("s", "w1").await;
    probe.mine("s", 1).await;
    must("finishing", probe.finish("s", 1, "w1").await);
    must("reindexing", probe.store().reindex(&|_, _| ()).await);
    assert_eq!(probe.texts().await.len(), 1);
    assert_eq!(probe.get(memory.id).await, memory);
    assert_eq!(must("listing", probe.store().jobs().await).len(), 1);
}
