//! What fuzzing has come up with stays harmless: the corpus of its target, as a test.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/templates.rs"]
mod templates;

#[test]
fn the_expander_survives_its_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/expander");
    let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
    assert!(files.len() > 30, "{}", files.len());
    for file in files {
        templates::expander(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
}
