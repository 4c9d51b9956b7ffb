//! Order, rotation, many writers, torn lines and planted links.

use std::sync::Arc;

use jiff::Timestamp;

use super::*;

fn event(number: usize) -> Event {
    Event {
        at: Timestamp::UNIX_EPOCH,
        door: "test".into(),
        who: None,
        origin: None,
        operation: "remember".into(),
        ids: vec![number.to_string()],
        outcome: "done".into(),
    }
}

fn numbers(log: &AuditLog) -> Vec<usize> {
    log.read().unwrap().iter().map(|event| event.ids[0].parse().unwrap()).collect()
}

#[test]
fn a_full_log_keeps_the_newest_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::at(folder.path().join("audit.jsonl")).with_files_of(500);
    for number in 0..200 {
        log.keep(&event(number)).unwrap();
    }
    let kept = numbers(&log);
    assert!(kept.len() > 10 && kept.len() < 40, "{}", kept.len());
    assert!(kept.windows(2).all(|pair| pair[1] == pair[0] + 1));
    assert_eq!(kept.last(), Some(&199));
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, OLDER + 2, "the log, its older files and its lock");
}

#[test]
fn many_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let log = AuditLog::at(path.clone());
            scope.spawn(move || {
                for number in 0..50 {
                    log.keep(&event(writer * 50 + number)).unwrap();
                }
            });
        }
    });
    let mut kept = numbers(&AuditLog::at(path));
    kept.sort_unstable();
    assert_eq!(kept, (0..400).collect::<Vec<_>>());
}

#[test]
fn a_line_that_was_cut_short_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log: Arc<dyn Audit> = Arc::new(AuditLog::at(path.clone()));
    log.keep(&event(1)).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"{\"at\":\"2026-");
    fs::write(&path, bytes).unwrap();
    log.keep(&event(2)).unwrap();
    assert_eq!(numbers(&AuditLog::at(path)), [1, 2]);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_log_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("thesis.txt");
    fs::write(&other, "years of work").unwrap();
    let path = folder.path().join("audit.jsonl");
    std::os::unix::fs::symlink(&other, &path).unwrap();
    assert!(AuditLog::at(path).keep(&event(1)).is_err());
    assert_eq!(fs::read(&other).unwrap(), b"years of work");
}
