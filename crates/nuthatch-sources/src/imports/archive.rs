//! Archives, read entry by entry and never unpacked to disk.
//!
//! Names that lead out of the archive are passed over, and an archive that unpacks to far more
//! than any text does is given up: it was made to do harm.

use std::fs::File;
use std::io::{self, Read};

use nuthatch::error::{Error, Result};
use nuthatch::interchange::{Format, Telling};
use zip::ZipArchive;

use super::Watch;
use super::meaning::{Entry, Whole};

/// Text packs ten times, lists of words thirty times.
const MOST_RATIO: u64 = 100;
/// Less than this harms nobody, whatever it was packed into.
const HARMLESS: u64 = 16 << 20;
/// Entries that are looked at.
const MOST_ENTRIES: usize = 100_000;

pub(super) fn read(
    file: File,
    size: u64,
    format: Option<Format>,
    telling: &mut Telling<'_>,
    watch: &mut Watch<'_>,
) -> Result<()> {
    let mut archive = ZipArchive::new(io::BufReader::new(file))
        .map_err(|error| Error::invalid(format!("the archive cannot be read: {error}")))?;
    if archive.len() > MOST_ENTRIES {
        return Err(Error::invalid("the archive has too many entries"));
    }
    let mut left = HARMLESS.max(size.saturating_mul(MOST_RATIO));
    let mut packed = 0;
    let mut whole = Whole::default();
    for place in 0..archive.len() {
        let entry = match archive.by_index(place) {
            Ok(entry) => entry,
            Err(error) => {
                let error = Error::invalid(error.to_string());
                whole.trouble(&format!("entry {place}"), &error);
                continue;
            }
        };
        packed += entry.compressed_size();
        if entry.is_dir() {
            continue;
        }
        let name = entry.name().map(|name| name.into_owned()).unwrap_or_default();
        let is_inside = entry.enclosed_name().is_some_and(|name| !name.as_os_str().is_empty());
        if !is_inside || name.is_empty() || name.contains('\\') {
            telling.skip("entries whose names lead out of the archive");
            continue;
        }
        let bounded = Bounded { input: entry, left: &mut left };
        let taken = Entry { name: &name, around: "", format };
        whole.take(&taken, bounded, telling)?;
        if left == 0 {
            return Err(Error::invalid(format!("{name} unpacks to far more than text does"))
                .with_hint("it was made to fill memory; unpack it yourself if you trust it"));
        }
        watch(packed.min(size), size);
    }
    whole.finish()
}

/// Ends with an error once too much was unpacked, by all entries together.
struct Bounded<'l, R> {
    input: R,
    left: &'l mut u64,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if *self.left == 0 {
            return Ok(0);
        }
        let most = buffer.len().min(usize::try_from(*self.left).unwrap_or(usize::MAX));
        let count = self.input.read(&mut buffer[..most]).map_err(|error| {
            // A wrong checksum or a broken stream is the entry's fault.
            io::Error::new(io::ErrorKind::InvalidData, error)
        })?;
        *self.left -= count as u64;
        Ok(count)
    }
}
