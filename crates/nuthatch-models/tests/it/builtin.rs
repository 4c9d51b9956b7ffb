//! The built-in model: it is there or says that it is not.

use nuthatch::error::Kind;
use nuthatch_models::Builtin;

#[cfg(not(feature = "builtin"))]
#[test]
fn a_build_without_weights_says_so() {
    let error = Builtin::new().err().expect("there are no weights");
    assert_eq!(error.kind(), Kind::Unavailable);
    assert!(error.hint().is_some());
}
