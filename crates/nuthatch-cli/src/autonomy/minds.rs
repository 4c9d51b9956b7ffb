//! The models of the configuration, and the user's own prompts.
//!
//! Prompts are files of fixed names in the folder `prompts` beside the configuration file.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use nuthatch::autonomy::ports::Minds;
use nuthatch::error::{Error, Result};
use nuthatch::model::{Ceiling, ChatModel, Ledger};
use nuthatch::prompts::{FILES, Prompts};

use crate::models;
use crate::spend::SpendLog;
use crate::wiring::Site;

/// What the user configured.
pub struct Configured {
    site: Arc<Site>,
}

impl Configured {
    /// As a place has it.
    pub fn new(site: Arc<Site>) -> Configured {
        Configured { site }
    }
}

impl Minds for Configured {
    fn extraction(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        models::open(&self.site.config.settings().models.default)
    }

    fn consolidation(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        models::open(&self.site.config.settings().models.smol)
    }

    fn prompts(&self) -> Result<Prompts> {
        let mut prompts = Prompts::default();
        let Some(folder) = self.site.config.places().config_file.parent() else {
            return Ok(prompts);
        };
        for (name, _) in FILES {
            let path = folder.join("prompts").join(name);
            match fs::read_to_string(&path) {
                Ok(text) => prompts.replace(name, text)?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let message = format!("cannot read the prompt {}: {error}", path.display());
                    return Err(Error::unavailable(message)
                        .with_hint("mend it, or remove it to use the built-in one")
                        .with_source(error));
                }
            }
        }
        Ok(prompts)
    }

    fn ceiling(&self) -> Ceiling {
        self.site.config.settings().budget
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::new(SpendLog::at(&self.site.config.places().data_dir))
    }
}
