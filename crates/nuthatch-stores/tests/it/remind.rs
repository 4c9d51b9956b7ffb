//! What an agent is reminded of, and what not.

use std::collections::BTreeSet;

use nuthatch::Scope;
use nuthatch::category::Category;
use nuthatch::filter::Scopes;
use nuthatch::id::MemoryId;
use nuthatch::preamble::Preamble;
use nuthatch::recall::Mode;
use nuthatch::remember::RememberRequest;
use nuthatch::remind::RemindRequest;
use nuthatch::trust::Origin;

use crate::engine::{Desk, desk};
use crate::places::block_on;

async fn remind(desk: &Desk, prompt: Option<&str>, given: &[MemoryId]) -> Preamble {
    let request = RemindRequest {
        scopes: Scopes::These(vec![Scope::Global]),
        prompt: prompt.map(str::to_owned),
        given: given.iter().copied().collect::<BTreeSet<_>>(),
        budget_tokens: 1000,
        mode: Mode::Hybrid,
    };
    desk.engine.remind(&request).await.unwrap()
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
