//! Reads samples: JSON lines, plain or gzipped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::read::GzDecoder;
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

/// Every line of `path`, as JSON.
pub(crate) fn rows(path: &Path) -> anyhow::Result<Vec<Value>> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let reader: Box<dyn Read> = match path.extension() {
        Some(ending) if ending == "gz" => Box::new(GzDecoder::new(file)),
        _ => Box::new(file),
    };
    let lines = BufReader::new(reader).lines();
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

/// A text field of a row, empty where it is missing.
pub(crate) fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}
