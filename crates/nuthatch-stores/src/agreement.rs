//! What two stores agreed on last, as a file of its own for each pair.
//!
//! One line for each memory, without a word of what it says. A file that is not there, or that
//! cannot be read, means that they meet for the first time: slower, and never wrong.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use nuthatch::error::Result;
use nuthatch::id::MemoryId;
use nuthatch::sync::{Agreed, Agreement, Agreements};
use serde::{Deserialize, Serialize};

use crate::disk;

/// Keeps what one pair of stores agreed on.
#[derive(Clone, Debug)]
pub struct DiskAgreements {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Line {
    id: MemoryId,
    #[serde(flatten)]
    agreed: Agreed,
}

impl DiskAgreements {
    /// The file in `folder` for the stores of these two addresses, in whichever order.
    #[must_use]
    pub fn of(folder: &Path, one: &str, other: &str) -> Self {
        let (first, second) = if one <= other { (one, other) } else { (other, one) };
        // Addresses hold what no file name can, and nobody reads these.
        let name = MemoryId::derived(&["agreement", first, second]).0.simple();
        DiskAgreements { path: folder.join(format!("{name}.jsonl")) }
    }
}

impl Agreements for DiskAgreements {
    fn last(&self) -> Result<Agreement> {
        let Ok(file) = fs::File::open(&self.path) else { return Ok(Agreement::new()) };
        let lines = BufReader::new(file).lines().map_while(std::io::Result::ok);
        let known = lines.map_while(|line| serde_json::from_str::<Line>(&line).ok());
        Ok(known.map(|line| (line.id, line.agreed)).collect())
    }

    fn keep(&self, agreement: &Agreement) -> Result<()> {
        let failed = |error: std::io::Error| disk::io_error("write", &self.path, error);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        disk::create_private_dir(folder)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let mut out = BufWriter::new(draft.as_file_mut());
        for (id, agreed) in agreement {
            let line = Line { id: *id, agreed: agreed.clone() };
            serde_json::to_writer(&mut out, &line).map_err(|error| failed(error.into()))?;
            out.write_all(b"\n").map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        draft.as_file().sync_all().map_err(failed)?;
        draft.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use nuthatch::Memory;
    use nuthatch::scope::Scope;

    use super::*;

    fn agreement() -> Agreement {
        let id = |n: u8| MemoryId::derived(&[&n.to_string()]);
        let memory = |n| Memory::new(id(n), "a secret plan", Scope::Global, Timestamp::UNIX_EPOCH);
        (0..9).map(|n| (id(n), Agreed::of(&memory(n)))).collect()
    }

    #[test]
    fn a_pair_finds_its_agreement_again_from_either_side() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("sync");
        let of = |one, other| DiskAgreements::of(&place, one, other);
        assert_eq!(of("sqlite:a", "postgres:b").last().unwrap(), Agreement::new());
        of("sqlite:a", "postgres:b").keep(&agreement()).unwrap();
        assert_eq!(of("postgres:b", "sqlite:a").last().unwrap(), agreement());
        assert_eq!(of("postgres:b", "sqlite:c").last().unwrap(), Agreement::new());
        let path = of("sqlite:a", "postgres:b").path;
        assert!(!fs::read_to_string(&path).unwrap().contains("plan"));
    }

    #[test]
    fn a_torn_file_is_believed_as_far_as_it_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let pair = DiskAgreements::of(folder.path(), "a", "b");
        pair.keep(&agreement()).unwrap();
        let bytes = fs::read(&pair.path).unwrap();
        fs::write(&pair.path, &bytes[..bytes.len() / 2]).unwrap();
        let last = pair.last().unwrap();
        assert!(last.len() < 9 && last.iter().all(|(id, one)| agreement().get(id) == Some(one)));
        fs::write(&pair.path, b"\xff\xfe").unwrap();
        assert_eq!(pair.last().unwrap(), Agreement::new());
    }
}
