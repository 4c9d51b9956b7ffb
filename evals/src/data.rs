//! Reads samples: JSON, whole or by lines, plain or gzipped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The files of JSON lines in `folder`, by name.
pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| format!("reading {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
    });
    files.sort();
    Ok(files)
}

/// The file `name` in `folder`, plain or gzipped, if it is there.
pub(crate) fn present(folder: &Path, name: &str) -> Option<PathBuf> {
    let forms = [folder.join(name), folder.join(format!("{name}.gz"))];
    forms.into_iter().find(|path| path.is_file())
}

/// Every line of `path`, as JSON.
pub(crate) fn rows(path: &Path) -> anyhow::Result<Vec<Value>> {
    let lines = BufReader::new(reader(path)?).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

/// `path` as one JSON value.
pub(crate) fn whole<T: DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    let parsed = serde_json::from_reader(BufReader::new(reader(path)?));
    parsed.with_context(|| format!("reading {}", path.display()))
}

fn reader(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    Ok(match path.extension() {
        Some(ending) if ending == "gz" => Box::new(GzDecoder::new(file)),
        _ => Box::new(file),
    })
}

/// A text field of a row, empty where it is missing.
pub(crate) fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}
