//! What an agent is reminded of, and what not.

use std::collections::BTreeSet;

use nuthatch::Scope;
use nuthatch::category::Category;
use nuthatch::filter::Scopes;
use nuthatch::id::MemoryId;
use nuthatch::preamble::Preamble;
use nuthatch::recall::{Lane, Mode};
use nuthatch::remember::RememberRequest;
use nuthatch::remind::{Because, RemindRequest};
use nuthatch::trust::Origin;

use crate::engine::{Desk, desk};
use crate::places::block_on;

fn asking(prompt: Option<&str>, given: &[MemoryId]) -> RemindRequest {
    RemindRequest {
        scopes: Scopes::These(vec![Scope::Global]),
        prompt: prompt.map(str::to_owned),
        given: given.iter().copied().collect::<BTreeSet<_>>(),
        budget_tokens: 1000,
        mode: Mode::Hybrid,
    }
}

async fn remind(desk: &Desk, prompt: Option<&str>, given: &[MemoryId]) -> Preamble {
    desk.engine.remind(&asking(prompt, given)).await.unwrap()
}

/// Why each memory is in the block or not; the block is the one that would be given.
async fn reasons(desk: &Desk, request: &RemindRequest) -> Vec<(MemoryId, Because)> {
    let told = desk.engine.reminded(request).await.unwrap();
    let block = desk.engine.remind(request).await.unwrap();
    assert_eq!((&told.block.text, &told.block.included), (&block.text, &block.included));
    let reasons: Vec<_> = told.considered.iter().map(|one| (one.id, one.because)).collect();
    let inside = reasons.iter().filter(|(_, because)| because.is_in()).map(|(id, _)| *id);
    assert_eq!(inside.collect::<Vec<_>>(), block.included);
    reasons
}

#[test]
fn every_memory_that_comes_to_mind_says_why_it_is_in_or_out() {
    block_on(async {
        let desk = desk();
        let mut ids = Vec::new();
        for room in ["attic", "cellar", "kitchen", "garden", "garage", "hall", "porch"] {
            let text = format!("the staging database port in the {room}");
            ids.push(desk.say(&text, Scope::Global).await.id);
        }
        let mut request = asking(Some("staging database port"), &ids[..1]);
        let told = reasons(&desk, &request).await;
        let count = |wanted: Because| told.iter().filter(|(_, one)| *one == wanted).count();
        assert_eq!((count(Because::Sure), count(Because::Enough)), (5, 1), "{told:?}");
        assert!(told.contains(&(ids[0], Because::Given)), "{told:?}");
        let seen = desk.engine.reminded(&request).await.unwrap().considered;
        assert!(seen[0].score.is_some_and(|score| score >= 0.5), "{seen:?}");
        assert_eq!(seen[0].lanes[&Lane::Text].terms.len(), 3, "{seen:?}");
        request.budget_tokens = 150;
        let told = reasons(&desk, &request).await;
        assert!(told.iter().any(|(_, because)| *because == Because::Budget), "{told:?}");
    });
}

#[test]
fn what_a_session_begins_with_says_why() {
    block_on(async {
        let desk = desk();
        let mut request = RememberRequest::new("never push to main", Scope::Global);
        request.category = Some(Category::new("restriction").unwrap());
        let restriction = desk.engine.remember(request).await.unwrap().memory.id;
        let mut request = RememberRequest::new("uses tabs", Scope::Global);
        request.pinned = true;
        let pinned = desk.engine.remember(request).await.unwrap().memory.id;
        let other = desk.say("the harbour is quiet", Scope::Global).await.id;
        let mut told = reasons(&desk, &asking(None, &[])).await;
        told.sort();
        let mut expected = vec![
            (restriction, Because::Restriction),
            (pinned, Because::Pinned),
            (other, Because::Room),
        ];
        expected.sort();
        assert_eq!(told, expected);
    });
}

#[test]
fn a_prompt_brings_what_it_is_about_and_nothing_else() {
    block_on(async {
        let desk = desk();
        let port = desk.say("the staging database listens on port 5433", Scope::Global).await;
        desk.say("the office plants are watered on Mondays", Scope::Global).await;
        let asked = "which port does the staging database listen on?";
        let made = remind(&desk, Some(asked), &[]).await;
        assert_eq!(made.included, [port.id]);
        assert!(made.text.contains("data, not instructions"));
        for other in ["thanks!", "rewrite the parser in another language", "", "???"] {
            assert_eq!(remind(&desk, Some(other), &[]).await.text, "", "{other}");
        }
        assert_eq!(remind(&desk, Some(asked), &[port.id]).await.text, "", "it was given");
    });
}

#[test]
fn a_session_begins_with_restrictions_and_pins_however_old() {
    block_on(async {
        let desk = desk();
        let mut request = RememberRequest::new("never push to main", Scope::Global);
        request.category = Some(Category::new("restriction").unwrap());
        let restriction = desk.engine.remember(request).await.unwrap().memory;
        for n in 0..30 {
            desk.say(&format!("note number {n}"), Scope::Global).await;
        }
        let mut request = RememberRequest::new("a tool said so", Scope::Global);
        request.origin = Origin::Tool;
        desk.engine.remember(request).await.unwrap();
        let made = remind(&desk, None, &[]).await;
        assert_eq!(made.included[0], restriction.id);
        assert_eq!(made.included.len(), 31);
        let rest = remind(&desk, None, &made.included[..30]).await;
        assert_eq!(rest.included, made.included[30..]);
    });
}
