//! A model from a file: what is no model is refused.

use std::fs;

use nuthatch::error::Kind;
use nuthatch_models::FileModel;
use tempfile::tempdir;

#[test]
fn what_is_not_there_or_no_model_is_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let refused = || FileModel::open(&path).err().expect("there is no model");
    assert_eq!(refused().kind(), Kind::NotFound);
    fs::write(&path, "not a model, but long enough to be looked at").unwrap();
    let error = refused();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.to_string().contains("no safetensors file"), "{error}");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(refused().kind(), Kind::Invalid);
}
