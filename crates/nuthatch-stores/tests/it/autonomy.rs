//! Autonomous memory over a real store and real documents, with sessions, models and time that
//! a test decides.

mod bench;
mod models;

use futures_util::future::{join, join_all};
use jiff::SignedDuration;
use nuthatch::autonomy::{Afterwards, RunMode, RunRequest};
use nuthatch::error::Kind;
use nuthatch::filter::{Filter, Page};
use nuthatch::id::SessionId;
use nuthatch::shelf::{MEMORY, SUMMARY};
use nuthatch::store::{JobKind, JobState};
use nuthatch::transcript::{Event, What};

use crate::places::block_on;
use bench::{Bench, said};

fn hours(hours: i64) -> SignedDuration {
    SignedDuration::from_hours(hours)
}

#[test]
fn a_session_becomes_memories_and_documents_and_nothing_is_done_twice() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(20), said(&["remember that the staging server uses port 8443"]));
        let ran = bench.run().await;
        assert_eq!((ran.sessions.len(), ran.sessions[0].stored), (1, 1), "{ran:?}");
        let memory = bench.memories().await.remove(0);
        let source = memory.source.clone().expect("it says where it comes from");
        assert_eq!(source.session.expect("a session").as_str(), "s1");
        assert!(!source.turns.is_empty() && memory.trust == nuthatch::trust::Trust::Inferred);
        let files = bench.files();
        assert!(files[MEMORY].contains("8443") && files[SUMMARY].contains("8443"), "{files:?}");
        assert!(bench.autonomy.view().unwrap().text.contains("8443"));
        let (told, before) = (bench.told(), bench.bytes());
        let again = bench.run().await;
        assert_eq!((again.sessions.len(), again.tokens), (0, 0));
        assert_eq!(again.skipped[0].reason.as_deref(), Some("done"));
        assert_eq!(again.projects[0].state, "unchanged");
        assert_eq!(
            (bench.told(), bench.bytes()),
            (told, before),
            "no byte changed, nothing was read"
        );
    });
}

#[test]
fn what_was_said_in_a_session_that_was_learnt_from_can_be_found() {
    block_on(async {
        let bench = Bench::new();
        let mut events = said(&["the harbour crane is painted green"]).unwrap();
        events[1].aside = true;
        bench.session("s1", hours(20), Some(events));
        bench.run().await;
        assert_eq!(bench.memories().await, [], "nothing of it is worth keeping");
        let session = SessionId::new("s1").unwrap();
        let turns = bench.engine().turns(&session, Page::first(10)).await.unwrap();
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["the harbour crane is painted green", "(aside) All right."]);
    });
}

/// A command, and what came of it.
fn ran(seq: u64, command: &str, failed: bool, output: &str) -> [Event; 2] {
    let event = |seq, what| Event { seq, at: None, model: None, usage: None, aside: false, what };
    let (id, input) = (seq.to_string(), format!("{{\"command\": \"{command}\"}}"));
    let call = What::ToolCall { id: id.clone(), name: "Bash".into(), input };
    [event(seq, call), event(seq + 1, What::ToolResult { id, failed, output: output.into() })]
}

#[test]
fn a_failure_and_its_fix_belong_together_although_a_run_came_between() {
    block_on(async {
        let bench = Bench::new();
        let mut events = said(&["run the script"]).unwrap();
        let missing = "bash: python: command not found";
        events.extend(ran(2, "python make.py", true, missing));
        bench.session("s1", hours(30), Some(events.clone()));
        assert_eq!(bench.run().await.sessions[0].stored, 0);
        events.extend(ran(4, "python3 make.py", false, "done"));
        bench.session("s1", hours(20), Some(events));
        let ran = bench.run().await;
        assert_eq!(ran.sessions[0].stored, 1, "{ran:?}");
        let memory = bench.memories().await.remove(0);
        assert!(memory.content.contains("`python3 make.py` works"), "{memory:?}");
        assert_eq!(memory.source.unwrap().turns, [2, 4]);
    });
}

#[test]
fn looking_only_changes_nothing_at_all() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(20), said(&["remember that the staging server uses port 8443"]));
        let request = RunRequest { reach: bench.reach(), mode: RunMode::LookOnly };
        let ran = bench.autonomy.run(request).await.unwrap();
        assert_eq!((ran.dry_run, ran.sessions.len(), ran.estimate), (true, 1, Some(0)));
        assert_eq!(bench.store().jobs().await.unwrap(), []);
        assert_eq!(bench.engine().sessions(Page::first(9)).await.unwrap(), []);
        assert_eq!(bench.memories().await, []);
        assert!(bench.bytes().is_empty());
    });
}

#[test]
fn what_was_forgotten_does_not_come_back_when_the_session_goes_on() {
    block_on(async {
        let bench = Bench::new();
        let first = "remember that the staging server uses port 8443";
        bench.session("s1", hours(30), said(&[first]));
        bench.run().await;
        let id = bench.memories().await[0].id;
        bench.place().forget(&[id]).await.unwrap();
        assert!(!bench.everywhere().contains("8443"), "no document says it any more");
        bench.session("s1", hours(20), said(&[first, "remember that we deploy on fridays only"]));
        let ran = bench.run().await;
        assert_eq!((ran.sessions[0].stored, ran.sessions[0].known), (1, 1), "{ran:?}");
        let texts: Vec<String> =
            bench.memories().await.into_iter().map(|one| one.content).collect();
        assert!(texts.len() == 1 && texts[0].contains("fridays"), "{texts:?}");
        assert!(!bench.everywhere().contains("8443"));
    });
}

#[test]
fn many_forget_at_once_and_each_takes_its_own_out_of_the_documents() {
    block_on(async {
        let bench = Bench::new();
        for n in 0..12 {
            let text = format!("remember that the staging server uses port 84{n:02}");
            bench.session(&format!("s{n:02}"), hours(20 + n), said(&[&text]));
        }
        bench.run().await;
        let ids: Vec<_> = bench.memories().await.into_iter().map(|one| one.id).collect();
        let place = bench.place();
        let forgetting = ids[..10].chunks(1).map(|id| place.forget(id));
        for forgotten in join_all(forgetting).await {
            assert_eq!(forgotten.unwrap().forgotten.len(), 1);
        }
        let left = bench.memories().await;
        assert_eq!(left.len(), 2);
        let told = bench.everywhere();
        for n in 0..12 {
            let port = format!("84{n:02}");
            let is_kept = left.iter().any(|one| one.content.contains(&port));
            assert_eq!(told.contains(&port), is_kept, "{port}: {told}");
        }
    });
}

#[test]
fn a_project_without_memories_keeps_its_documents() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(20), said(&["remember that the staging server uses port 8443"]));
        bench.run().await;
        let before = bench.files();
        let ids: Vec<_> = bench.memories().await.iter().map(|one| one.id).collect();
        bench.engine().forget(&ids).await.unwrap();
        let id = nuthatch::id::SessionId::new("s1").unwrap();
        bench.engine().forget_session(id).await.unwrap();
        let ran = bench.run().await;
        assert_eq!(ran.projects[0].state, "unchanged");
        assert_eq!(bench.files(), before);
    });
}

#[test]
fn sets_are_listed_compared_and_taken_back() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(30), said(&["remember that the staging server uses port 8443"]));
        bench.run().await;
        bench.session("s2", hours(20), said(&["remember that we deploy on fridays only"]));
        bench.run().await;
        assert_eq!(bench.autonomy.log().unwrap().len(), 2);
        let diff = bench.autonomy.diff(None, None).unwrap();
        assert!(diff.contains("fridays") && !diff.contains("-- the staging"), "{diff}");
        assert_eq!(bench.autonomy.undo(None).unwrap(), 3);
        assert!(!bench.files()[MEMORY].contains("fridays"));
        let same = bench.run().await;
        assert_eq!(same.projects[0].state, "unchanged", "what was taken back stays so");
        let rebuilt = bench.autonomy.rebuild(bench.autonomy.project()).await.unwrap();
        assert_eq!(rebuilt.state, "published");
        assert!(bench.files()[MEMORY].contains("fridays"));
    });
}

#[test]
fn clearing_takes_what_was_learnt_here_and_nothing_else() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(20), said(&["remember that the staging server uses port 8443"]));
        bench.run().await;
        bench.remember("the user said this").await;
        let gone = bench.autonomy.clear(Afterwards::StayAway).await.unwrap();
        assert_eq!((gone.memories, gone.shelf.generations), (1, 1));
        assert_eq!(bench.memories().await.len(), 1);
        assert!(!bench.everywhere().contains("8443"));
        assert!(bench.run().await.sessions.is_empty(), "it does not come back by itself");
        assert!(!bench.everywhere().contains("8443"));
        bench.autonomy.clear(Afterwards::LearnAnew).await.unwrap();
        assert_eq!(bench.run().await.sessions[0].stored, 1, "unless that is wanted");
    });
}

#[test]
fn two_runs_at_once_do_each_session_once() {
    block_on(async {
        let bench = Bench::new();
        for n in 0..12 {
            let text = format!("remember that the staging server uses port 84{n:02}");
            bench.session(&format!("s{n:02}"), hours(20 + n), said(&[&text]));
        }
        let other = bench.another();
        let request = || RunRequest { reach: bench.reach(), mode: RunMode::Work };
        let (a, b) = join(bench.autonomy.run(request()), other.run(request())).await;
        let (a, b) = (a.unwrap(), b.unwrap());
        let done = a.sessions.len() + b.sessions.len();
        assert_eq!((done, bench.told()), (12, 12), "{a:?} {b:?}");
        assert_eq!(bench.memories().await.len(), 12);
        assert!(a.sessions.iter().chain(&b.sessions).all(|one| one.error.is_none()));
    });
}

#[test]
fn a_session_that_cannot_be_read_is_tried_three_times_and_then_left() {
    block_on(async {
        let bench = Bench::new();
        bench.broken_session("s1", hours(20));
        for tries in 1..=3 {
            let ran = bench.run().await;
            assert!(ran.sessions[0].error.is_some(), "{ran:?}");
            let job = bench.job(JobKind::Extract, "claude-code:s1").await;
            assert_eq!(job.tries, tries);
            assert_eq!(bench.run().await.sessions.len(), 0, "it pauses");
            bench.pass(hours(1));
        }
        assert_eq!(bench.job(JobKind::Extract, "claude-code:s1").await.state, JobState::Error);
        let ran = bench.run().await;
        assert_eq!(ran.skipped[0].reason.as_deref(), Some("given_up"));
    });
}

#[test]
fn hand_written_skills_and_hand_made_changes_survive() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(30), said(&["remember that the staging server uses port 8443"]));
        bench.run().await;
        bench.write("skills/mine/SKILL.md", "---\nname: mine\ndescription: x\n---\nby hand\n");
        bench.session("s2", hours(20), said(&["remember that we deploy on fridays only"]));
        bench.run().await;
        assert!(bench.files()["skills/mine/SKILL.md"].contains("by hand"));
        bench.autonomy.clear(Afterwards::StayAway).await.unwrap();
        assert!(bench.files()["skills/mine/SKILL.md"].contains("by hand"));
    });
}

#[test]
fn what_is_learnt_pushes_nothing_out() {
    block_on(async {
        let bench = Bench::limited(2);
        bench.remember_globally("the user's first").await;
        bench.remember_globally("the user's second").await;
        bench.session("s1", hours(20), said(&["remember that my name is Ada and I work in Turin"]));
        bench.run().await;
        let listed = bench.engine().list(&Filter::everything(), Page::first(10)).await.unwrap();
        let kept = listed.memories.iter().filter(|one| one.content.contains("the user's")).count();
        assert_eq!(kept, 2);
    });
}

#[test]
fn an_address_is_read_and_nothing_else() {
    block_on(async {
        let bench = Bench::new();
        bench.session("s1", hours(20), said(&["remember that the staging server uses port 8443"]));
        bench.run().await;
        let place = bench.place();
        for address in
            ["memory://root", "memory://root/MEMORY.md", "memory://root/memory_summary.md"]
        {
            let read = place.read(&address.parse().unwrap()).await.unwrap();
            assert!(read.text.contains("8443"), "{address}");
        }
        let missing = place.read(&"memory://root/skills/none/SKILL.md".parse().unwrap()).await;
        assert_eq!(missing.unwrap_err().kind(), Kind::NotFound);
    });
}
