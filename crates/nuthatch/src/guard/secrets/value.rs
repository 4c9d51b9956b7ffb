//! Whether a string could be a secret: random, chosen by a person, or only a stand-in.
//!
//! Judges one value without its surroundings. Randomness is judged by how often the kind
//! of character changes, which separates tokens from words, names and versions better
//! than entropy does at these lengths; entropy only weeds out repetition.

/// Parts of a value that show it is a stand-in, in lower case.
const STAND_INS: &[&str] = &[
    "example",
    "placeholder",
    "your",
    "changeme",
    "change_me",
    "change-me",
    "redacted",
    "dummy",
    "insert",
    "replace",
    "masked",
    "xxxx",
    "****",
    "....",
    "####",
    "${",
    "$(",
    "{{",
    "<",
    "}}",
    "todo",
    "put_",
    "_here",
    "-here",
    "_token_",
    "fixme",
    "[pass",
    "%s",
    "#{",
    "…",
    "not-a-real",
    "1234-1234",
    "tokenhere",
    "keyhere",
];

/// Words that are no secret even where a password is expected, in lower case.
const PLAIN_WORDS: &[&str] = &[
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "string",
    "required",
    "optional",
    "prompt",
    "empty",
    "yes",
    "no",
    "required",
    "invalid",
    "incorrect",
    "wrong",
    "missing",
    "hidden",
    "encrypted",
    "username",
    "user",
    "text",
    "value",
    "default",
    "unset",
    "unknown",
    "key",
    "credentials",
    "input",
    "str",
    "bool",
    "object",
    "varchar",
    "char",
    "bytes",
    "never",
    "always",
    "stored",
    "hashed",
    "correct",
    "valid",
    "reset",
    "changed",
    "set",
    "not",
    "expired",
    "needed",
    "the",
    "same",
    "strong",
    "weak",
    "and",
    "for",
];

/// Shannon entropy, in bits a byte.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let len = bytes.len().max(1) as f64;
    let share = |count: &u32| f64::from(*count) / len;
    counts.iter().filter(|count| **count > 0).map(share).map(|p| -p * p.log2()).sum()
}

/// Whether a token may go on with `byte`.
pub(super) fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~".contains(&byte)
}

/// Whether the value stands for a secret instead of being one.
pub(super) fn placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    STAND_INS.iter().any(|part| contains(&lower, part.as_bytes())) || padded(&lower)
}

fn contains(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len()).any(|seen| seen == part)
}

/// A long run of one of the characters people pad with.
fn padded(lower: &[u8]) -> bool {
    let mut run = 0;
    lower.windows(2).any(|pair| {
        run = if pair[0] == pair[1] && b"x*0.#_-?".contains(&pair[0]) { run + 1 } else { 0 };
        run >= 6
    })
}

/// Whether the value looks like the output of a random generator.
pub(super) fn opaque(value: &[u8]) -> bool {
    let len = value.len();
    if len < 10 || placeholder(value) || !value.iter().all(|byte| symbol_or_alnum(*byte)) {
        return false;
    }
    if constant(value) {
        return false;
    }
    let floor = if len < 20 { 2.6 } else { 3.0 };
    entropy(value) >= floor && changes(value) >= (len / 6).max(3) && !dotted_name(value)
}

fn symbol_or_alnum(byte: u8) -> bool {
    in_token(byte) || b":!@%^&$#*".contains(&byte)
}

/// `0xC0210024_u32`: a number of a program, too short for a key.
fn constant(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").and_then(|rest| rest.split(|byte| *byte == b'_').next());
    digits.is_some_and(|digits| digits.len() < 32 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// How often letters turn to digits or change case; capitals that begin a word do not count.
fn changes(value: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1u8,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let word =
        |at: usize| value.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_lowercase));
    let change = |(at, pair): &(usize, &[u8])| match (class(pair[0]), class(pair[1])) {
        (0, _) | (_, 0) => false,
        (3, 2) => !word(at + 1),
        (2, 3) => !word(at + 2),
        (left, right) => left != right,
    };
    value.windows(2).enumerate().filter(change).count()
}

/// `version.1.2.3-final` and `module.name2.member`: parts with stops between, all short.
fn dotted_name(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| b".-/_:".contains(byte)).collect();
    let one_class = |part: &&&[u8]| {
        part.iter().all(u8::is_ascii_alphabetic) || part.iter().all(u8::is_ascii_digit)
    };
    parts.len() >= 3
        && parts.iter().all(|part| part.len() <= 8)
        && parts.iter().filter(one_class).count() * 2 > parts.len()
        && !grouped_hex(value)
}

fn grouped_hex(value: &[u8]) -> bool {
    value.len() >= 16 && value.iter().all(|byte| byte.is_ascii_hexdigit() || b"-:".contains(byte))
}

/// A UUID, or only hexadecimal digits: mostly the name of something, not a secret.
pub(super) fn common_id(value: &[u8]) -> bool {
    uuid(value) || value.iter().all(u8::is_ascii_hexdigit)
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub(super) fn uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Only digits, as many as no count or date has.
pub(super) fn long_number(value: &[u8]) -> bool {
    value.len() >= 14 && value.iter().all(u8::is_ascii_digit) && entropy(value) >= 2.2
}

/// Hexadecimal digits, perhaps grouped, as long as no short commit id is.
pub(super) fn long_hex(value: &[u8]) -> bool {
    value.len() >= 16
        && value.iter().all(|byte| byte.is_ascii_hexdigit() || b"-:".contains(byte))
        && entropy(value) >= 2.4
        && !padded(value)
}

/// Whether somebody could have chosen it as a password.
pub(super) fn chosen(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let plain = |word: &&str| lower == word.as_bytes();
    value.len() >= 3
        && !placeholder(value)
        && !PLAIN_WORDS.iter().any(plain)
        && !value.starts_with(b"$")
        && !value.starts_with(b"%")
        && !value.starts_with(b"[")
        && !value.starts_with(b"{")
        && !value.starts_with(b"#")
        && !constant(value)
        && ![b"_password", b"-password", b"password_"].iter().any(|part| contains(&lower, *part))
        && value.iter().any(u8::is_ascii_alphanumeric)
        && entropy(value) >= 1.0
}

/// A password in an address: a plain word is meant there, unless it is only its name.
pub(super) fn in_address(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let named = ["passwd", "pwd"].iter().any(|word| lower == word.as_bytes())
        || contains(&lower, b"password") && !value.iter().any(u8::is_ascii_digit);
    !named && !placeholder(value) && !b"$%{[:".contains(&value[0])
}

/// A chosen password that could not be a word of the sentence it stands in.
pub(super) fn odd(value: &[u8]) -> bool {
    let letter = value.iter().any(u8::is_ascii_alphabetic);
    let digit = value.iter().any(u8::is_ascii_digit);
    let symbol = value.iter().any(|byte| b"!@#$%^&*+=~".contains(byte));
    value.len() >= 5 && letter && (digit || symbol || changes(value) >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_strings_look_random() {
        for value in ["x7f3k9q2m5v8", "aB3xK9zLq0PwE7tR", "9f86d081884c7d65", "q-7_x9k2m-p4v8z1w"] {
            assert!(opaque(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn names_and_versions_do_not() {
        for value in [
            "XSalsa20.key_length",
            "application-production",
            "claude-3-opus-20240229",
            "getUserAccessTokenFromCache",
            "2024-05-01T10:00:00",
            "org.neo4j.graphdb-api:3.5.12",
        ] {
            assert!(!opaque(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn stand_ins_are_no_secrets() {
        for value in
            ["your-api-key-here", "<TOKEN>", "xxxxxxxx", "********", "${VAR}", "AKIAEXAMPLE"]
        {
            assert!(placeholder(value.as_bytes()), "{value}");
            assert!(!chosen(value.as_bytes()), "{value}");
        }
    }
}
