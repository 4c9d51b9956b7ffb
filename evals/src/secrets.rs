//! The secret scanner: what it finds, what it should not have found, how long it takes.
//!
//! A sample counts as found when anything at all is found in it. Rules can be split into
//! thirds by their name, so that figures come from rules nobody tuned on. Other scanners
//! can be run beside ours on the same samples (see `peers`).

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nuthatch::guard::secrets::scan;
use serde_json::Value;

use crate::data::{field, files, rows};
use crate::peers::{self, Peer};

/// What to measure.
pub(crate) struct Options {
    pub(crate) data: PathBuf,
    pub(crate) ordinary: Vec<PathBuf>,
    pub(crate) third: Option<u32>,
    pub(crate) wrong: bool,
    pub(crate) peers: Option<PathBuf>,
}

/// Where a sample is counted: its file, its carrier and its label.
type Key = (String, String, i64);

/// Prints the tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let begun = Instant::now();
    black_box(scan("nothing"));
    let first = begun.elapsed().as_secs_f64() * 1e3;
    let (mut keys, mut texts) = (Vec::new(), Vec::new());
    for path in files(&options.data)? {
        let file = stem(&path);
        for row in rows(&path)? {
            if options.third.is_none_or(|third| third == third_of(field(&row, "rule"))) {
                let label = row.get("label").and_then(Value::as_i64).unwrap_or(0);
                let carrier = if label == 1 { field(&row, "carrier") } else { "" };
                keys.push((file.clone(), carrier.to_owned(), label));
                texts.push(field(&row, "text").to_owned());
                judge(&file, &row, label, options)?;
            }
        }
    }
    let ours = texts.iter().enumerate().filter(|(_, text)| !scan(text).is_empty());
    let ours = Peer {
        name: "nuthatch",
        about: Ok(env!("CARGO_PKG_VERSION").to_owned()),
        found: ours.map(|(at, _)| at).collect(),
    };
    let mut scanners = vec![ours];
    if let Some(folder) = &options.peers {
        scanners.extend(peers::run(folder, &texts)?);
    }
    print(&keys, &scanners)?;
    for folder in &options.ordinary {
        ordinary(folder, options.wrong)?;
    }
    writeln!(stdout(), "{:<20} {first:>9.3} ms", "first call")?;
    speed()
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// The third that a rule belongs to, by a hash of its name that never changes.
fn third_of(rule: &str) -> u32 {
    rule.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte))) % 3
}

/// Prints the sample when we judge it wrongly, and this is wanted.
fn judge(file: &str, row: &Value, label: i64, options: &Options) -> anyhow::Result<()> {
    if !options.wrong {
        return Ok(());
    }
    let found = scan(field(row, "text"));
    if found.is_empty() == (label == 1) {
        let rules: Vec<&str> = found.iter().map(|finding| finding.rule.as_ref()).collect();
        let what = if label == 1 { "missed" } else { "false alarm" };
        let text: String = field(row, "text").chars().take(300).collect();
        let (rule, carrier) = (field(row, "rule"), field(row, "carrier"));
        writeln!(stdout(), "{what} {file} {rule} {carrier} {rules:?} {text:?}")?;
    }
    Ok(())
}

fn print(keys: &[Key], scanners: &[Peer]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    let mut cells: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (at, (file, carrier, label)) in keys.iter().enumerate() {
        for carrier in ["all", carrier].into_iter().filter(|name| !name.is_empty()) {
            let key = (file.clone(), carrier.to_owned(), *label);
            cells.entry(key).or_default().push(at);
        }
    }
    write!(out, "{:<16} {:<15} {:>5} {:>6}", "file", "carrier", "label", "of")?;
    for scanner in scanners {
        write!(out, " {:>21}", scanner.name)?;
    }
    writeln!(out)?;
    for ((file, carrier, label), samples) in &cells {
        write!(out, "{file:<16} {carrier:<15} {label:>5} {:>6}", samples.len())?;
        for scanner in scanners {
            let found = samples.iter().filter(|at| scanner.found.contains(at)).count();
            let share = 100.0 * found as f64 / samples.len() as f64;
            match scanner.about {
                Ok(_) => write!(out, " {found:>12} {share:>6.1} %")?,
                Err(_) => write!(out, " {:>21}", "not measured")?,
            }
        }
        writeln!(out)?;
    }
    for Peer { name, about, .. } in scanners {
        match about {
            Ok(version) => writeln!(out, "{name} {version}")?,
            Err(reason) => writeln!(out, "{name} was not measured: {reason}")?,
        }
    }
    Ok(())
}

/// Counts findings in conversations that hold no secrets.
fn ordinary(folder: &Path, wrong: bool) -> anyhow::Result<()> {
    let (mut found, mut all, mut bytes) = (0u32, 0u32, 0usize);
    let begun = Instant::now();
    for path in files(folder)?.iter().filter(|path| stem(path) == "corpus") {
        for row in rows(path)? {
            let text = field(&row, "text");
            let findings = scan(text);
            all += 1;
            bytes += text.len();
            found += u32::from(!findings.is_empty());
            for finding in findings.iter().filter(|_| wrong) {
                let from = text.floor_char_boundary(finding.start.saturating_sub(60));
                let around = &text[from..finding.end];
                writeln!(stdout(), "ordinary {} {around:?}", finding.rule)?;
            }
        }
    }
    let share = 100.0 * f64::from(found) / f64::from(all.max(1));
    let rate = bytes as f64 / 1e6 / begun.elapsed().as_secs_f64();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    writeln!(
        stdout(),
        "ordinary {name:<16} {found:>6} of {all:>6} flagged ({share:.3} %), {rate:.1} MB/s"
    )?;
    Ok(())
}

/// Milliseconds for 4 KB of several kinds, and for a megabyte of the worst of them.
fn speed() -> anyhow::Result<()> {
    let kinds = [
        ("prose", "We talked about the release and decided to keep the old key names for now. "),
        ("configuration", "api_token: ${TOKEN}\npassword = os.environ['X']\nkey: value-1\n"),
        ("keywords", "password token secret key sk- ghp_ AKIA :// bearer basic "),
        ("quotes", "token=\"\"''``\\\\\"password\":"),
        ("base64", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDU2Nzg5"),
        ("hexadecimal", "9f86d081884c7d659a2feaa0c55ad015 "),
        ("markup", "|token|-us :AA q~ sig= ://a:b | "),
    ];
    for (name, unit) in kinds {
        let long = unit.repeat((1 << 20) / unit.len() + 1);
        let short = &long[..4096];
        black_box(scan(short));
        let begun = Instant::now();
        for _ in 0..50 {
            black_box(scan(short));
        }
        let small = begun.elapsed().as_secs_f64() * 1e3 / 50.0;
        let begun = Instant::now();
        black_box(scan(&long));
        let large = begun.elapsed().as_secs_f64() * 1e3;
        writeln!(stdout(), "{name:<20} {small:>9.3} ms for 4 KB {large:>9.1} ms for 1 MB")?;
    }
    Ok(())
}
