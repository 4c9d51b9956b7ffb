//! Stand-ins for the ports of the library, until they are there.
//! Deleted then.

use async_trait::async_trait;
use nuthatch::error::Result;

/// v
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector(pub Vec<i8>);
impl Vector {
    /// q
    pub fn quantise(v: &[f32]) -> Vector {
        let m = v.iter().fold(0f32, |a, b| a.max(b.abs()));
        Vector(v.iter().map(|x| (x / m * 127.0).round() as i8).collect())
    }
}
/// id
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelId(pub String);
impl ModelId {
    /// n
    pub fn new(name: &str, version: &str, hash: &str) -> Self {
        ModelId(format!("{name}@{version}#{}", &hash[..16]))
    }
}
/// p
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// q
    Query,
    /// p
    Passage,
}
/// i
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct EmbedderInfo {
    pub id: ModelId,
    pub name: String,
    pub version: String,
    pub dimensions: usize,
    pub hash: String,
    pub licence: String,
    pub origin: String,
}
/// e
#[async_trait]
pub trait Embedder: Send + Sync {
    /// i
    fn info(&self) -> EmbedderInfo;
    /// e
    async fn embed(&self, purpose: Purpose, texts: &[&str]) -> Result<Vec<Vector>>;
}
