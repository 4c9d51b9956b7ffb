//! `nuthatch model`: embedding models from files.
//!
//! A model that is added is copied into the data folder and checked before; which one is used
//! is said in the configuration, because every vector depends on it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use nuthatch::embedder::{Embedder as _, EmbedderInfo};
use nuthatch::error::{Error, Result};
use nuthatch_models::FileModel;

use crate::cli::Globals;
use crate::embedder::{self, MODELS, WEIGHTS};
use crate::output::{Format, Output};
use crate::render;
use crate::wiring::Site;

const VOCABULARY: &str = "vocab.txt";

const EXAMPLES: &str = "\
Examples:
  $ nuthatch model list
  $ nuthatch model list --json";

/// Arguments of `model`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ModelArgs {
    #[command(subcommand)]
    action: Action,
}

/// What can be done with models.
#[derive(Debug, Subcommand)]
enum Action {
    /// Check a model's file and copy it into the data folder
    Add {
        /// A safetensors file; its vocabulary inside, or as vocab.txt beside it
        file: PathBuf,
    },
    /// List the models that were added
    List,
    /// Show the model in use
    Show,
}

/// Adds, lists or shows.
pub async fn run(args: &ModelArgs, globals: &Globals, out: &mut Output) -> Result<()> {
    let site = Site::find(globals)?;
    let folder = site.config.places().data_dir.join(MODELS);
    match &args.action {
        Action::Add { file } => {
            let info = add(file, &folder)?;
            out.answer(&info, |out, info| {
                out.say(format_args!("added {}", line(info)))?;
                out.say(format_args!(
                    "use it with provider = \"file\" and model = \"{}\" in [embeddings], then \
                     nuthatch reindex --missing",
                    name_of(info)
                ))
            })
        }
        Action::List => {
            let models = added(&folder)?;
            if models.is_empty() && out.format() == Format::Human {
                out.line("no model was added")?;
            }
            out.answer(&models, |out, models| {
                models.iter().try_for_each(|model| out.line(line(model)))
            })
        }
        Action::Show => {
            let settings = &site.config.settings().embeddings;
            let opened = embedder::opened(settings, &site.config.places().data_dir).await?;
            let info = opened.map(|embedder| embedder.info()).ok_or_else(|| {
                Error::not_found("no embedding model is in use").with_hint("see [embeddings]")
            })?;
            out.answer(&info, |out, info| out.line(line(info)))
        }
    }
}

fn line(info: &EmbedderInfo) -> String {
    let text =
        format!("{}  {} dimensions, {}, {}", info.id, info.dimensions, info.origin, info.licence);
    render::visible(&text)
}

/// The folder of a model: its id, in characters that every file system takes.
fn name_of(info: &EmbedderInfo) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    info.id.as_str().chars().map(plain).collect()
}

fn add(file: &Path, folder: &Path) -> Result<EmbedderInfo> {
    let info = FileModel::open(file)?.info();
    let place = folder.join(name_of(&info));
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("cannot keep the model in {}: {error}", place.display()))
            .with_source(error)
    };
    fs::create_dir_all(&place).map_err(failed)?;
    let vocabulary = file.with_file_name(VOCABULARY);
    if vocabulary.is_file() {
        fs::copy(&vocabulary, place.join(VOCABULARY)).map_err(failed)?;
    }
    // Under its last name only when it is whole.
    let partial = place.join("model.partial");
    fs::copy(file, &partial).map_err(failed)?;
    fs::rename(&partial, place.join(WEIGHTS)).map_err(failed)?;
    Ok(info)
}

/// The models that were added; what is no model is passed over.
fn added(folder: &Path) -> Result<Vec<EmbedderInfo>> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path().join(WEIGHTS))).collect();
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files.iter().filter_map(|file| Some(FileModel::open(file).ok()?.info())).collect())
}
