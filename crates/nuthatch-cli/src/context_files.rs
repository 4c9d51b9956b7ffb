//! Context files such as `AGENTS.md` as a source of a context.

use async_trait::async_trait;
use nuthatch::context::{ContextRequest, ContextSource, Cut, Form, Gathered, Item, Note, Section};
use nuthatch::error::Result;
use nuthatch_sources::files::{ContextFiles, FilesRequest, Product};

use crate::wiring::Site;

/// The context files of a place.
pub struct FilesSource {
    files: ContextFiles,
    request: FilesRequest,
}

impl FilesSource {
    /// Those that hold where a command was started.
    pub fn of(site: &Site) -> FilesSource {
        let root = site.root.folder.clone();
        let here = std::env::current_dir().ok().filter(|here| here.starts_with(&root));
        let places = site.config.places();
        let request = FilesRequest {
            product: Product::Nuthatch,
            names: site.config.settings().context.files.clone(),
            target: here.unwrap_or_else(|| root.clone()),
            root,
            user: places.config_file.parent().map(ToOwned::to_owned),
            home: places.home.clone(),
            allowed: Vec::new(),
        };
        FilesSource { files: ContextFiles::default(), request }
    }
}

#[async_trait]
impl ContextSource for FilesSource {
    fn name(&self) -> &str {
        "files"
    }

    async fn gather(&self, _: &ContextRequest) -> Result<Gathered> {
        let loaded = match self.files.load(&self.request) {
            Ok(loaded) => loaded,
            // Context files help; a context without them is better than none.
            Err(error) => {
                let notes = vec![Note::new("context files", error.to_string())];
                return Ok(Gathered { items: Vec::new(), notes });
            }
        };
        let item = |file: &nuthatch_sources::files::ContextFile| {
            let text = file.text.clone();
            Item::new(Section::Files, file.name.clone(), text, Form::Words).cut(Cut::End)
        };
        Ok(Gathered {
            items: loaded.files.iter().map(item).collect(),
            notes: loaded.notes.iter().map(|n| Note::new(n.file.clone(), n.text.clone())).collect(),
        })
    }
}
