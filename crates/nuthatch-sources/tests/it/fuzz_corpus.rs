//! What fuzzing has come up with stays harmless: the corpus of its target, as a test.

use std::fs;
use std::path::Path;

#[path = "../../../../fuzz/imports.rs"]
mod imports;
#[path = "../../../../fuzz/transcripts.rs"]
pub(crate) mod transcripts;

#[test]
fn the_importer_survives_its_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/importer");
    let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
    assert!(files.len() > 30, "{}", files.len());
    for file in files {
        imports::importer(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
}

#[test]
fn the_readers_of_sessions_survive_their_corpora() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut read = 0;
    for folder in fs::read_dir(corpora).unwrap().map(|folder| folder.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(agent) = name.strip_prefix("session_") else { continue };
        for file in fs::read_dir(&folder).unwrap() {
            transcripts::reader(&agent.replace('_', "-"), &fs::read(file.unwrap().path()).unwrap());
            read += 1;
        }
    }
    assert!(read > 20, "{read}");
}
