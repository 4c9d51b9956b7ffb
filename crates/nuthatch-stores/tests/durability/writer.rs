//! The child: writes one memory after the other and says so once each is safe.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nuthatch::Scope;
use nuthatch::remember::RememberRequest;

use crate::place;

/// Starts a child that writes `count` memories into a store.
pub fn spawn(backend: &str, folder: &Path, name: &str, count: usize) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--writer", backend])
        .arg(folder)
        .args([name, &count.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// What the child does. Every line on stdout is the id of a memory that was acknowledged.
pub fn run(arguments: &[String]) {
    let [backend, folder, name, count] = arguments else {
        panic!("--writer BACKEND FOLDER NAME COUNT")
    };
    let count: usize = count.parse().expect("a number of writes");
    let url = place::url(backend, Path::new(folder));
    let written: nuthatch::Result<()> = place::block_on(async {
        let engine = place::engine(&url).await?;
        let mut out = std::io::stdout().lock();
        for number in 0..count {
            let text = format!("writer {name} remembers number {number}");
            let mut request = RememberRequest::new(text, Scope::Global);
            // Every third replaces the text of a key, so that versions are written too.
            request.key = number.is_multiple_of(3).then(|| format!("{name}-{}", number % 9));
            let remembered = engine.remember(request).await?;
            writeln!(out, "{} {number}", remembered.memory.id).expect("the parent listens");
            out.flush().expect("the parent listens");
        }
        Ok(())
    });
    if let Err(error) = written {
        let line = format!("{}: {error}\n", error.kind().name());
        std::io::stderr().write_all(line.as_bytes()).expect("the parent listens");
        std::process::exit(1);
    }
}
