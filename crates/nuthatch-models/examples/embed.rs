//! Embeds lines of JSON and prints one vector a line, to compare a model with its original.
//!
//! `cargo run --release -p nuthatch-models --example embed -- WEIGHTS [query|passage|plain] < texts.jsonl`
//! where a line is a string, or an object with `text`. `plain` adds no prefix.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufRead, stdin};
use std::path::Path;
use std::time::Instant;

use nuthatch::embedder::Purpose;
use nuthatch_models::FileModel;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which weights?")?;
    let purpose = match arguments.next().as_deref() {
        Some("plain") => None,
        Some("query") => Some(Purpose::Query),
        _ => Some(Purpose::Passage),
    };
    let mut texts = Vec::new();
    for line in stdin().lock().lines() {
        let value: serde_json::Value = serde_json::from_str(&line?)?;
        let text = value.as_str().or_else(|| value["text"].as_str()).ok_or("a line has no text")?;
        texts.push(text.to_owned());
    }
    let begun = Instant::now();
    let model = FileModel::open(Path::new(&path))?;
    eprintln!("read in {:?}", begun.elapsed());
    let begun = Instant::now();
    for texts in texts.chunks(64) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = model.directions(purpose, &texts)?;
        for vector in vectors {
            println!("{}", serde_json::to_string(&vector)?);
        }
    }
    let spent = begun.elapsed();
    let each = texts.len() as f64 / spent.as_secs_f64();
    eprintln!("{} texts in {spent:?}, {each:.0} a second", texts.len());
    Ok(())
}
