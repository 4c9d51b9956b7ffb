//! Context files and sources as parts of a context.
//!
//! What could not be had is a note; nothing here fails the context. Context files are the
//! project's own words; what comes from elsewhere is somebody's text and stands in a block.

use async_trait::async_trait;
use nuthatch::clock::Clock;
use nuthatch::context::{ContextRequest, ContextSource, Cut, Form, Gathered, Item, Note, Section};
use nuthatch::error::Result;

use crate::files::{ContextFiles, FilesRequest};
use crate::source::{Address, Freshness, Sources};

/// The context files of a place.
pub struct FilesSource {
    /// What was loaded before.
    pub files: ContextFiles,
    /// Where.
    pub request: FilesRequest,
}

#[async_trait]
impl ContextSource for FilesSource {
    fn name(&self) -> &str {
        "files"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let loaded = match self.files.load(&self.request) {
            Ok(loaded) => loaded,
            Err(error) => {
                let notes = vec![Note::new("context files", error.to_string())];
                return Ok(Gathered { items: Vec::new(), notes });
            }
        };
        let items = loaded.files.iter().map(|file| {
            let text = file.text.trim();
            Item::new(Section::Files, &file.name, text, Form::Words).cut(Cut::End)
        });
        let notes = loaded.notes.iter().map(|note| Note::new(&note.file, &note.text));
        Ok(Gathered { items: items.collect(), notes: notes.collect() })
    }
}

/// Sources outside the project's memory.
pub struct OutsideSource<C> {
    /// The way to them.
    pub sources: Sources,
    /// Which ones.
    pub addresses: Vec<Address>,
    /// What is wrong with how they are configured.
    pub wrong: Vec<String>,
    /// The time, which decides what is recent.
    pub clock: C,
}

#[async_trait]
impl<C: Clock> ContextSource for OutsideSource<C> {
    fn name(&self) -> &str {
        "sources"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        gathered.notes.extend(self.wrong.iter().map(|why| Note::new("sources", why)));
        for address in &self.addresses {
            let one = self.sources.gather(address, Freshness::Usual, self.clock.now());
            gathered.notes.extend(one.note.map(|note| Note::new(&one.source, note)));
            if let Some(text) = one.text.filter(|text| !text.trim().is_empty()) {
                let text =
                    if one.title == one.source { text } else { format!("{}\n\n{text}", one.title) };
                let item = Item::new(Section::Sources, one.source, text, Form::Verbatim);
                gathered.items.push(item.cut(Cut::End));
            }
        }
        Ok(gathered)
    }
}
