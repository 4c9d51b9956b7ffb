//! Files of sessions, damaged at random: every reader survives what becomes of its corpus.
//!
//! Few cases in an ordinary run; `PROPTEST_CASES` asks for as many as somebody has time for.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::fuzz_corpus::transcripts;

/// Cases of an ordinary run.
const CASES: u32 = 24;

/// One way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    /// Takes bytes out.
    Cut(Index, usize),
    /// Says something again elsewhere.
    Repeat(Index, usize, Index),
    /// Puts something in.
    Put(Index, &'static [u8]),
    /// Changes one byte.
    Flip(Index, u8),
}

const PIECES: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"\\ud800",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\"type\":\"user\",",
    b"\"text\":[{}],",
    b"{}\n",
    b"\"id\":\"\",",
    b"\"timestamp\":\"9999-12-31T23:59:59Z\",",
    b"\"parentUuid\":\"1\",",
    b"<memory-0123456789abcdef>",
    b"<system-reminder>",
    b"$rewindTo",
    b"#### ",
    b"> ",
    b"\0",
];

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let damage = prop_oneof![
        (any::<Index>(), 1_usize..64).prop_map(|(at, length)| Damage::Cut(at, length)),
        (any::<Index>(), 1_usize..200, any::<Index>())
            .prop_map(|(from, length, to)| Damage::Repeat(from, length, to)),
        (any::<Index>(), proptest::sample::select(PIECES))
            .prop_map(|(at, piece)| Damage::Put(at, piece)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
    ];
    proptest::collection::vec(damage, 1..8)
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let length = bytes.len() + 1;
        match damage {
            Damage::Cut(at, most) => {
                let from = at.index(length);
                let to = (from + most).min(bytes.len());
                bytes.drain(from..to);
            }
            Damage::Repeat(from, most, to) => {
                let from = from.index(length);
                let piece = bytes[from..(from + most).min(bytes.len())].to_vec();
                let to = to.index(length);
                bytes.splice(to..to, piece);
            }
            Damage::Put(at, piece) => {
                let at = at.index(length);
                bytes.splice(at..at, piece.iter().copied());
            }
            Damage::Flip(at, byte) => {
                if let Some(place) = bytes.get_mut(at.index(length)) {
                    *place = *byte;
                }
            }
        }
    }
    bytes
}

fn survives(agent: &str) {
    let folder = format!("../../fuzz/corpus/session_{}", agent.replace('-', "_"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    let corpus: Vec<Vec<u8>> = files.collect();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = ProptestConfig { cases: cases.unwrap_or(CASES), ..ProptestConfig::default() };
    let strategy = (proptest::sample::select(corpus), damages());
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let ran = runner.run(&strategy, |(bytes, damages)| {
        transcripts::reader(agent, &damaged(bytes, &damages));
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn damaged_files_of_claude_code() {
    survives("claude-code");
}

#[test]
fn damaged_files_of_codex() {
    survives("codex");
}

#[test]
fn damaged_files_of_gemini_cli() {
    survives("gemini-cli");
}

#[test]
fn damaged_files_of_opencode() {
    survives("opencode");
}

#[test]
fn damaged_files_of_pi() {
    survives("pi");
}

#[test]
fn damaged_files_of_goose() {
    survives("goose");
}

#[test]
fn damaged_files_of_aider() {
    survives("aider");
}

#[test]
fn damaged_files_of_copilot_cli() {
    survives("copilot-cli");
}

#[test]
fn damaged_files_of_our_own_chats() {
    survives("nuthatch");
}
