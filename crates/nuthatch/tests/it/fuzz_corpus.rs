//! What fuzzing has come up with stays harmless: the corpus of each target, as a test.
//!
//! The corpora lie in `fuzz/corpus`, made small by the fuzzer itself; texts that once broke
//! something are among them, under a name that begins with `found`.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../../fuzz/checks.rs"]
mod checks;

/// Every text of a corpus, with the file it lies in.
fn corpus(target: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).expect("the corpus is part of the repository");
    let read = files.map(|file| {
        let path = file.expect("a readable entry").path();
        let text = fs::read_to_string(&path).expect("a corpus of texts");
        (path, text)
    });
    read.collect()
}

#[test]
fn the_scanner_survives_its_corpus() {
    let corpus = corpus("scanner");
    assert!(corpus.len() > 50, "{}", corpus.len());
    corpus.iter().for_each(|(_, text)| checks::scanner(text));
}

#[test]
fn the_sanitiser_survives_its_corpus() {
    let corpus = corpus("sanitiser");
    assert!(corpus.len() > 50, "{}", corpus.len());
    corpus.iter().for_each(|(_, text)| checks::sanitiser(text));
}

#[test]
fn the_invocation_parser_survives_its_corpus() {
    let corpus = corpus("invocation");
    assert!(corpus.len() > 30, "{}", corpus.len());
    corpus.iter().for_each(|(_, text)| checks::invocation(text));
}
