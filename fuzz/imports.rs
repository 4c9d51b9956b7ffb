//! What must hold for every set of files that import each other. Shared by the fuzz target and
//! the test that runs its corpus.

use std::path::{Path, PathBuf};

use nuthatch_sources::files::import::{
    Beyond, CodeRule, Fetched, HomeRule, ImportRules, Imported, Reach, Refusal, Repeats, import,
};

/// Parts two texts of one input: the first is the file, the others are `1.md`, `2.md` …
const BETWEEN: char = '\u{1e}';

struct Shelf<'a>(Vec<&'a str>);

impl Reach for Shelf<'_> {
    fn fetch(&mut self, _: &Path, written: &str) -> Result<Fetched, Refusal> {
        let number: Option<usize> = written.strip_suffix(".md").and_then(|n| n.parse().ok());
        let Some(text) = number.and_then(|number| self.0.get(number)) else {
            let path = written.contains(['/', '.']);
            return Err(if path { Refusal::Because("none".into()) } else { Refusal::Prose });
        };
        let path = PathBuf::from(written);
        Ok(Fetched { path, name: written.to_owned(), text: (*text).to_owned() })
    }
}

/// Imports end, are bounded, are the same twice, and leave alone what asks for nothing.
pub fn importer(input: &str) {
    let texts: Vec<&str> = input.split(BETWEEN).collect();
    let ours = ImportRules {
        depth: 5,
        code: CodeRule::CommonMark,
        repeats: Repeats::Once,
        beyond: Beyond::Said,
        home: HomeRule::Path,
    };
    let other = ImportRules {
        code: CodeRule::Backticks,
        repeats: Repeats::Again,
        beyond: Beyond::Left,
        home: HomeRule::Text,
        ..ours
    };
    for rules in [ours, other] {
        let run = || import(texts[0], Path::new("0.md"), rules, &mut Shelf(texts.clone()));
        let Imported { text, files, missed } = run();
        assert!(files.len() <= 500, "{} imports", files.len());
        assert!(text.len() <= (16 << 20) + 100 * missed.len(), "{} bytes", text.len());
        assert_eq!(text, run().text, "two runs, two texts");
        if !texts[0].contains('@') {
            assert_eq!(text, texts[0], "what asks for nothing has changed");
        }
        for missed in missed {
            assert!(missed.line > 0 && !missed.why.is_empty(), "{missed:?}");
        }
    }
}
