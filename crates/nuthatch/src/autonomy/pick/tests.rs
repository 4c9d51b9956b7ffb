//! Each reason on its own, and all of them among seventy sessions.

use super::*;
use crate::transcript::SessionHead;

fn now() -> Timestamp {
    "2026-03-10T12:00:00Z".parse().unwrap()
}

fn project() -> ProjectId {
    ProjectId::new("harbour").unwrap()
}

fn session(name: &str, idle: SignedDuration) -> Candidate {
    let head = SessionHead { id: name.into(), agent: "claude-code".into(), ..Default::default() };
    Candidate {
        kind: JobKind::Extract,
        head,
        project: Some(project()),
        place: format!("/sessions/{name}.jsonl"),
        watermark: "w1".into(),
        active_at: now() - idle,
    }
}

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

fn job(of: &Candidate, change: impl FnOnce(&mut Job)) -> Job {
    let mut job = Job::new(of.key().unwrap(), of.watermark.clone(), now());
    change(&mut job);
    job
}

fn picked(candidates: Vec<Candidate>, jobs: &[Job]) -> (Vec<String>, Vec<(String, Skip)>) {
    let reach = Reach::Project(project());
    let picked = pick(candidates, jobs, &reach, &Settings::default(), now());
    let due = picked.due.into_iter().map(|one| one.head.id).collect();
    (due, picked.skipped.into_iter().map(|(one, skip)| (one.head.id, skip)).collect())
}

fn skip(candidate: Candidate, jobs: &[Job]) -> Option<Skip> {
    picked(vec![candidate], jobs).1.pop().map(|(_, skip)| skip)
}

#[test]
fn age_and_idleness_have_exact_edges() {
    let days = |n: i64| hours(24 * n);
    let minute = SignedDuration::from_mins(1);
    assert_eq!(skip(session("a", days(30)), &[]), None);
    assert_eq!(skip(session("a", days(30) + minute), &[]), Some(Skip::TooOld));
    assert_eq!(skip(session("a", hours(12)), &[]), None);
    assert_eq!(skip(session("a", hours(12) - minute), &[]), Some(Skip::TooFresh));
    assert_eq!(skip(session("a", SignedDuration::from_mins(4)), &[]), Some(Skip::Running));
    assert_eq!(skip(session("a", -hours(1)), &[]), Some(Skip::Running), "a clock that is ahead");
}

#[test]
fn a_job_speaks_against_a_session_only_while_nothing_changed() {
    let one = session("a", hours(20));
    let done = job(&one, |job| {
        job.state = JobState::Done;
        job.done_watermark = Some("w1".into());
    });
    assert_eq!(skip(one.clone(), std::slice::from_ref(&done)), Some(Skip::Done));
    let until = now() + hours(1);
    let waits = job(&one, |job| job.retry_at = Some(until));
    assert_eq!(skip(one.clone(), std::slice::from_ref(&waits)), Some(Skip::Waiting { until }));
    let error = job(&one, |job| job.state = JobState::Error);
    assert_eq!(skip(one.clone(), std::slice::from_ref(&error)), Some(Skip::GivenUp));
    let changed = Candidate { watermark: "w2".into(), ..one.clone() };
    for job in [done, waits, error] {
        assert_eq!(skip(changed.clone(), &[job]), None);
    }
    let gone = job(&one, |job| {
        job.notes.insert(FORGOTTEN.into(), "yes".into());
    });
    assert_eq!(skip(changed.clone(), &[gone]), Some(Skip::Forgotten), "whatever happens in it");
    let mut running = job(&one, |job| job.state = JobState::Running);
    running.lease_until = Some(until);
    assert_eq!(skip(changed.clone(), &[running.clone()]), Some(Skip::Running));
    running.lease_until = Some(now());
    assert_eq!(skip(changed, &[running]), None, "a lease that has ended");
}

#[test]
fn other_projects_and_parts_are_left_alone() {
    let other = Candidate { project: None, ..session("a", hours(20)) };
    assert_eq!(skip(other.clone(), &[]), Some(Skip::Elsewhere));
    let reach = Reach::AllProjects;
    let picked = pick(vec![other], &[], &reach, &Settings::default(), now());
    assert_eq!(picked.due.len(), 1);
    let mut part = session("b", hours(20));
    part.head.parent = Some("a".into());
    assert_eq!(skip(part, &[]), Some(Skip::Part));
}

#[test]
fn sixty_four_means_sixty_four_and_the_newest_come_first() {
    let candidates: Vec<Candidate> =
        (0..70).map(|n| session(&format!("s{n:02}"), hours(13 + n))).collect();
    let (due, skipped) = picked(candidates, &[]);
    assert_eq!(due.len(), 64);
    assert_eq!((due[0].as_str(), due[63].as_str()), ("s63", "s00"), "worked through oldest first");
    let names: Vec<&str> = skipped.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["s64", "s65", "s66", "s67", "s68", "s69"]);
    assert!(skipped.iter().all(|(_, skip)| *skip == Skip::OverCap));
}

#[test]
fn what_is_not_done_takes_no_place_under_the_cap() {
    let mut candidates: Vec<Candidate> =
        (0..64).map(|n| session(&format!("s{n:02}"), hours(13 + n))).collect();
    candidates.push(session("old", hours(24 * 31)));
    candidates.push(session("fresh", hours(1)));
    let done = session("done", hours(13));
    let jobs = [job(&done, |job| job.done_watermark = Some("w1".into()))];
    candidates.push(done);
    let mut completed = session("queued", SignedDuration::ZERO);
    completed.kind = JobKind::Writeback;
    candidates.push(completed);
    let (due, skipped) = picked(candidates, &jobs);
    assert_eq!(due.len(), 65, "what was completed here comes on top");
    assert_eq!(skipped.len(), 3);
}
