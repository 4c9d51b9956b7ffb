//! Base64, as far as looking inside needs it.
//!
//! Lenient about padding and about the two alphabets; strict about the outcome: only
//! runs that decode to printable text are of interest, so images and keys cost one
//! decoding and nothing more.

/// Shorter runs cannot hold a name and a secret.
const SHORTEST_RUN: usize = 20;

/// A run of base64 that is text inside.
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) decoded: String,
}

/// Every run of base64 in `text` that decodes to printable text.
pub(super) fn printable_runs(text: &str) -> impl Iterator<Item = Run> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && sextet(bytes[at]).is_some() {
                at += 1;
            }
            let body = at;
            while at < bytes.len() && bytes[at] == b'=' && at - body < 2 {
                at += 1;
            }
            if body - start >= SHORTEST_RUN
                && let Some(decoded) = decode(&bytes[start..body]).and_then(printable)
            {
                return Some(Run { start, end: at, decoded });
            }
            at = at.max(start + 1);
        }
        None
    })
}

/// Decodes without padding, in either alphabet.
pub(super) fn decode(run: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(run.len() / 4 * 3 + 2);
    for chunk in run.chunks(4) {
        let mut word = 0u32;
        for &byte in chunk {
            word = word << 6 | u32::from(sextet(byte)?);
        }
        let bytes = match chunk.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        word <<= 6 * (4 - chunk.len());
        out.extend_from_slice(&word.to_be_bytes()[1..=bytes]);
    }
    Some(out)
}

/// As text, when all of it could be typed.
pub(super) fn printable(bytes: Vec<u8>) -> Option<String> {
    let typed = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0x80..);
    bytes.iter().all(typed).then(|| String::from_utf8(bytes).ok()).flatten()
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_inside_a_run_with_or_without_padding() {
        for given in ["x: aGVsbG8gd29ybGQsIGhlbGxvIQ==", "x: aGVsbG8gd29ybGQsIGhlbGxvIQ"] {
            let run = printable_runs(given).next().expect("a run");
            assert_eq!(run.decoded, "hello world, hello!");
            assert_eq!((run.start, run.end), (3, given.len()));
        }
    }

    #[test]
    fn binary_inside_is_of_no_interest() {
        assert!(printable_runs("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB").next().is_none());
    }
}
