//! Keeps what was loaded for as long as nothing it came from has changed.
//!
//! A file that was missing counts, too: one that appears is seen at the next look.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use nuthatch::error::Result;

use super::disk::Disk;
use super::load::load;
use super::{FilesRequest, Loaded};

/// A process asks about a handful of places; more are dropped at once.
const MOST_PLACES: usize = 64;

/// Context files, read once as long as they stay as they are.
#[derive(Debug, Default)]
pub struct ContextFiles {
    places: Mutex<BTreeMap<FilesRequest, (Arc<Loaded>, Disk)>>,
}

impl ContextFiles {
    /// What stands at a place. A change of any file of the chain, an import or a file that
    /// was missing included, is seen.
    ///
    /// # Errors
    /// `not_found` when there is no such project, `invalid` when the target is not in it.
    pub fn load(&self, request: &FilesRequest) -> Result<Arc<Loaded>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((loaded, disk)) = places.get(request)
            && disk.holds()
        {
            return Ok(Arc::clone(loaded));
        }
        let (loaded, disk) = load(request)?;
        let loaded = Arc::new(loaded);
        if places.len() >= MOST_PLACES {
            places.clear();
        }
        places.insert(request.clone(), (Arc::clone(&loaded), disk));
        Ok(loaded)
    }
}
