//! Each step on its own, with times that a test decides.

use super::*;
use crate::store::JobKind;

const LEASE: SignedDuration = SignedDuration::from_secs(120);
const ME: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_773_144_000 + second).unwrap()
}

fn key() -> JobKey {
    JobKey::new(JobKind::Extract, "claude-code:s1").unwrap()
}

fn want(watermark: &str) -> Wanted {
    Wanted { key: key(), project: None, watermark: watermark.into() }
}

fn fresh() -> Job {
    wanted(None, &want("w1"), at(0)).unwrap()
}

fn done_for(watermark: &str) -> Finish {
    Finish { watermark: watermark.into(), ..Finish::default() }
}

#[test]
fn a_job_wanted_again_for_the_same_input_is_left_alone() {
    assert_eq!(wanted(Some(&fresh()), &want("w1"), at(5)), None);
    let mine = claimed(&fresh(), ME, at(1), LEASE).unwrap();
    let done = finished(&mine, ME, at(2), &done_for("w1")).unwrap();
    assert_eq!(wanted(Some(&done), &want("w1"), at(5)), None);
    assert_eq!(claimed(&done, OTHER, at(3), LEASE), Err(NotNow::Done));
}

#[test]
fn another_input_makes_a_job_wait_again_with_all_its_tries() {
    let mut job = fresh();
    for _ in 0..MOST_TRIES {
        let mine = claimed(&job, ME, job.retry_at.unwrap_or(at(0)), LEASE).unwrap();
        job = failed(&mine, ME, at(1), "no").unwrap();
    }
    assert_eq!(job.state, JobState::Error);
    assert_eq!(claimed(&job, ME, at(9_999_999), LEASE), Err(NotNow::GivenUp));
    let job = wanted(Some(&job), &want("w2"), at(10)).unwrap();
    assert_eq!((job.state, job.tries, &job.last_error), (JobState::Pending, 0, &None));
    assert!(claimed(&job, ME, at(10), LEASE).is_ok());
}

#[test]
fn a_lease_is_exclusive_until_it_ends() {
    let mine = claimed(&fresh(), ME, at(0), LEASE).unwrap();
    assert_eq!(claimed(&mine, OTHER, at(119), LEASE), Err(NotNow::Running { until: at(120) }));
    let mine = renewed(&mine, ME, at(100), LEASE).unwrap();
    assert!(claimed(&mine, OTHER, at(120), LEASE).is_err());
    let theirs = claimed(&mine, OTHER, at(220), LEASE).unwrap();
    assert_eq!((theirs.owner, theirs.tries), (Some(OTHER), 2));
    for ended in [
        renewed(&theirs, ME, at(221), LEASE),
        finished(&theirs, ME, at(221), &done_for("w1")),
        failed(&theirs, ME, at(221), "late"),
        put_back(&theirs, ME, at(221), "late"),
    ] {
        assert_eq!(ended.unwrap_err().kind(), crate::Kind::Conflict);
    }
}

#[test]
fn pauses_grow_and_a_worker_that_vanishes_each_time_is_not_replaced_for_ever() {
    let first = failed(&claimed(&fresh(), ME, at(0), LEASE).unwrap(), ME, at(0), "no").unwrap();
    assert_eq!(first.retry_at, Some(at(120)));
    assert_eq!(claimed(&first, ME, at(119), LEASE), Err(NotNow::Waiting { until: at(120) }));
    let second = failed(&claimed(&first, ME, at(120), LEASE).unwrap(), ME, at(120), "no").unwrap();
    assert_eq!(second.retry_at, Some(at(120 + 480)));
    let third = claimed(&second, ME, at(600), LEASE).unwrap();
    assert_eq!(claimed(&third, OTHER, at(720), LEASE), Err(NotNow::GivenUp));
    assert_eq!(settled(&third, at(719)), None);
    assert_eq!(settled(&third, at(720)).unwrap().state, JobState::Error);
}

#[test]
fn what_was_wanted_meanwhile_is_done_next() {
    let mine = claimed(&fresh(), ME, at(0), LEASE).unwrap();
    let newer = wanted(Some(&mine), &want("w2"), at(1)).unwrap();
    assert_eq!(newer.state, JobState::Running);
    let done = finished(&newer, ME, at(2), &done_for("w1")).unwrap();
    assert_eq!((done.state, done.done_watermark.as_deref()), (JobState::Pending, Some("w1")));
    assert!(claimed(&done, ME, at(2), LEASE).is_ok());
}

#[test]
fn a_job_put_back_has_lost_no_try() {
    let mine = claimed(&fresh(), ME, at(0), LEASE).unwrap();
    let back = put_back(&mine, ME, at(1), "the budget of the day is spent").unwrap();
    assert_eq!((back.state, back.tries, back.retry_at), (JobState::Pending, 0, None));
}

#[test]
fn a_failure_is_kept_in_one_short_line_without_secrets() {
    let secret = format!("gh{}_{}", "p", "A1b2C3d4E5".repeat(4));
    let mine = claimed(&fresh(), ME, at(0), LEASE).unwrap();
    let why = format!("it said\n{secret} {}", "x".repeat(5000));
    let kept = failed(&mine, ME, at(1), &why).unwrap().last_error.unwrap();
    assert!(!kept.contains(&secret[..12]) && !kept.contains('\n'), "{kept}");
    assert!(kept.chars().count() <= 300);
}
