//! What fuzzing has come up with stays harmless: the corpus of its target, as a test.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/imports.rs"]
mod imports;

#[test]
fn the_importer_survives_its_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/importer");
    let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
    assert!(files.len() > 30, "{}", files.len());
    for file in files {
        imports::importer(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
}
