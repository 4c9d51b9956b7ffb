//! A store with something of everything in it, and one of each change to make there.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use nuthatch::category::Category;
use nuthatch::change::{Change, Patch};
use nuthatch::id::SessionId;
use nuthatch::memory::{Memory, Record, Version};
use nuthatch::scope::Scope;
use nuthatch::session::{Role, Session, Turn};

use super::probe::{Probe, editing, opening, remembering, replacing, session_id};

/// What is there to be changed.
pub(crate) struct Scene {
    /// Has a key and one version.
    pub(crate) keyed: Memory,
    /// Current, without a key.
    pub(crate) plain: Memory,
    /// Replaced by `plain`.
    pub(crate) replaced: Memory,
    /// A day's log.
    pub(crate) daily: Memory,
    /// A conversation with turns, a channel, and a memory of its scope.
    pub(crate) session: SessionId,
}

impl Scene {
    /// Furnishes an empty store.
    pub(crate) async fn furnish(probe: &Probe) -> Scene {
        probe.say(probe.keyed("editor", "writes in vim every morning")).await;
        let keyed = probe.say(probe.keyed("editor", "writes in helix every morning")).await.memory;
        let replaced = probe.keep("deploys on mondays").await;
        let plain = probe.keep("deploys on fridays").await;
        probe.supersede(replaced.id, Some(plain.id)).await;
        let daily = Memory { category: Category::daily(), ..probe.memory("fixed the harbour map") };
        let daily = probe.say(daily).await.memory;
        let session = probe.open_session("telegram", "42", "first-session").await.id;
        let scope = Scope::Session(session.clone());
        let threaded = Memory { scope, ..probe.memory("was asked about granite") };
        probe.say(threaded).await;
        let turns = vec![turn(&session, 0, "hello there", probe), turn(&session, 1, "hi", probe)];
        probe.apply(vec![Change::PutTurns { turns }]).await;
        let replaced = probe.get(replaced.id).await;
        Scene { keyed, plain, replaced, daily, session }
    }

    /// One change of each kind that does something here, and for some kinds more than one
    /// way of doing it.
    pub(crate) fn one_of_each(&self, probe: &Probe) -> Vec<(&'static str, Change)> {
        let patch = Patch { pinned: Some(true), ..Patch::default() };
        let label = BTreeMap::from([("label".to_owned(), "x".to_owned())]);
        let labels = Patch { metadata: label, ..Patch::default() };
        let category = Patch { category: Some(Category::daily()), ..Patch::default() };
        let text = Patch { content: Some("deploys at noon".into()), ..Patch::default() };
        let before = probe.now() + SignedDuration::from_hours(1);
        vec![
            ("remember", remembering(probe.memory("sails at dawn"))),
            ("remember by key", remembering(probe.keyed("editor", "writes in emacs"))),
            ("remember again", remembering(probe.memory("deploys on fridays"))),
            ("remember instead", replacing(probe.memory("sails at dusk"), vec![self.plain.id])),
            ("edit text", editing(self.plain.id, text)),
            ("edit category", editing(self.plain.id, category)),
            ("edit pin", editing(self.plain.id, patch)),
            ("edit metadata", editing(self.plain.id, labels)),
            ("supersede", Change::Supersede { old: self.daily.id, by: Some(self.plain.id) }),
            ("undo supersede", Change::Supersede { old: self.replaced.id, by: None }),
            ("use", Change::Use { ids: vec![self.plain.id, probe.fresh_id()] }),
            ("forget", Change::Forget { ids: vec![self.keyed.id, probe.fresh_id()] }),
            ("expire", Change::Expire { category: Category::daily(), before }),
            ("restore", Change::Restore(Box::new(record(probe)))),
            ("open session again", opening("telegram", "42", "second-session")),
            ("open another session", opening("telegram", "43", "second-session")),
            ("put session", Change::PutSession(Box::new(session(probe)))),
            ("renew session", Change::RenewSession(Box::new(session(probe)))),
            ("put turns", Change::PutTurns { turns: vec![turn(&self.session, 1, "bye", probe)] }),
            ("forget session", Change::ForgetSession { id: self.session.clone() }),
            ("expire sessions", Change::ExpireSessions { idle_since: before }),
        ]
    }
}

fn turn(session: &SessionId, seq: u64, text: &str, probe: &Probe) -> Turn {
    Turn {
        session: session.clone(),
        seq,
        at: probe.now(),
        role: Role::User,
        text: text.into(),
        asked: None,
    }
}

fn session(probe: &Probe) -> Session {
    Session { title: Some("about ships".into()), ..Session::new(session_id("third"), probe.now()) }
}

fn record(probe: &Probe) -> Record {
    let memory = probe.memory("was restored");
    let version = Version {
        memory_id: memory.id,
        number: 1,
        key: None,
        content: "was lost".into(),
        category: Category::default(),
        written_at: memory.created_at,
        replaced_at: memory.updated_at,
    };
    Record { memory, versions: vec![version] }
}
