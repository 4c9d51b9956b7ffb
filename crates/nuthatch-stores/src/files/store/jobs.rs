//! Jobs beside the files: one small file each, replaced whole under the store's lock.
//!
//! They are not derived from anything, and an index that is made anew leaves them alone.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use nuthatch::error::{Error, Result};
use nuthatch::store::{Job, JobKey, JobSwap, Swapped};

use super::Shared;
use crate::disk;

/// The folder of jobs in the folder of everything that is not for people.
pub const JOBS: &str = "jobs";

/// Every job, by kind and name.
pub fn all(shared: &Shared) -> Result<Vec<Job>> {
    let folder = shared.state.join(JOBS);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|error| disk::io_error("list", &folder, error))?,
    };
    let mut jobs = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| disk::io_error("list", &folder, error))?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            // One that was removed meanwhile is none.
            jobs.extend(read(&path)?);
        }
    }
    jobs.sort_by(|a, b| (a.key.kind.name(), &a.key.name).cmp(&(b.key.kind.name(), &b.key.name)));
    Ok(jobs)
}

/// One job.
pub fn one(shared: &Shared, key: &JobKey) -> Result<Option<Job>> {
    read(&file_of(shared, key))
}

/// Names are foreign text: the file is named by a hash of it.
fn file_of(shared: &Shared, key: &JobKey) -> PathBuf {
    let hash = blake3::hash(key.name.as_bytes()).to_hex();
    shared.state.join(JOBS).join(format!("{}-{}.json", key.kind.name(), &hash[..32]))
}

fn read(path: &Path) -> Result<Option<Job>> {
    let Some(bytes) = disk::read_regular(path)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        Error::unavailable(format!("the job in {} cannot be read", path.display()))
            .with_hint("a newer version of nuthatch may have written it; nothing was changed")
            .with_source(error)
    })
}

/// Exchanges a job, if it is as it was seen.
pub fn swap(shared: &Shared, swap: &JobSwap) -> Result<Swapped> {
    let _guard = shared.lock()?;
    let path = file_of(shared, &swap.key);
    if read(&path)?.map(|job| job.revision) != swap.seen {
        return Ok(Swapped::Overtaken);
    }
    let folder = shared.state.join(JOBS);
    let Some(job) = swap.stored() else {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(disk::io_error("remove", &path, error));
            }
            _ => {}
        }
        disk::sync_dir(&folder)?;
        return Ok(Swapped::Yes);
    };
    disk::create_private_dir(&folder)?;
    let bytes = serde_json::to_vec(&job)
        .map_err(|error| Error::internal("a job cannot be written as JSON").with_source(error))?;
    // Whoever dies here leaves a file that the next writer replaces.
    let fresh = path.with_extension("new");
    disk::write_new(&fresh, &bytes)?;
    fs::rename(&fresh, &path).map_err(|error| disk::io_error("replace", &path, error))?;
    disk::sync_dir(&folder)?;
    Ok(Swapped::Yes)
}
