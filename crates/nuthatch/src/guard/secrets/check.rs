//! What a format says about itself: checksums, structure, encodings.
//!
//! A checksum that holds proves a token. One that does not is no proof of the contrary,
//! because older tokens have none; structure that does not hold is.

use serde::Deserialize;

use super::{base64, value};

/// How the secret part of a match is examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Check {
    /// Only entropy and placeholders.
    #[default]
    None,
    /// Six base-62 digits of CRC-32 at the end (GitHub, npm).
    Crc62,
    /// The check digit of payment cards.
    Luhn,
    /// Base64 of a JSON object up to the first full stop.
    Jwt,
    /// Base64 of `user:password`.
    Basic,
    /// Looks random.
    Opaque,
    /// Looks random and is neither a UUID nor only hexadecimal.
    Mixed,
    /// A password somebody chose: anything but a placeholder.
    Chosen,
    /// Looks random, or is a long number.
    Dense,
    /// A password that could not be a word of a sentence.
    Odd,
    /// A password in an address.
    Address,
    /// `user:password`, of which the password is examined.
    Pair,
    /// Holds at least one digit.
    Digit,
    /// Its shape suffices, whatever its entropy.
    Shape,
}

/// What the examination says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Proved,
    Refuted,
    Open,
}

impl Check {
    pub(super) fn verdict(self, secret: &[u8]) -> Verdict {
        let holds = match self {
            Self::None => return Verdict::Open,
            Self::Shape if !value::placeholder(secret) => return Verdict::Proved,
            Self::Shape => false,
            Self::Crc62 if crc62(secret) => return Verdict::Proved,
            Self::Crc62 => return Verdict::Open,
            Self::Luhn if luhn(secret) => return Verdict::Proved,
            Self::Luhn => return Verdict::Refuted,
            Self::Jwt => jwt(secret),
            Self::Basic => basic(secret),
            Self::Opaque => value::opaque(secret),
            Self::Mixed => value::opaque(secret) && !value::common_id(secret),
            Self::Dense => value::opaque(secret) || value::long_number(secret),
            Self::Chosen if value::chosen(secret) => return Verdict::Proved,
            Self::Odd if value::chosen(secret) && value::odd(secret) => return Verdict::Proved,
            Self::Pair if pair(secret) => return Verdict::Proved,
            Self::Address if value::in_address(secret) => return Verdict::Proved,
            Self::Chosen | Self::Address | Self::Odd | Self::Pair => false,
            Self::Digit => secret.iter().any(u8::is_ascii_digit),
        };
        if holds { Verdict::Open } else { Verdict::Refuted }
    }
}

/// The last six characters are the CRC-32 of the thirty before them, in base 62.
fn crc62(token: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some(body) = token.len().checked_sub(36).map(|at| &token[at..]) else { return false };
    let (random, sum) = body.split_at(30);
    let mut crc = crc32(random) as usize;
    sum.iter().rev().all(|digit| {
        let expected = DIGITS[crc % 62];
        crc /= 62;
        *digit == expected
    })
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    };
    !bytes.iter().fold(!0, step)
}

fn luhn(digits: &[u8]) -> bool {
    let digits: Vec<u32> = digits
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .map(|byte| u32::from(byte - b'0'))
        .collect();
    let doubled = |(at, digit): (usize, &u32)| match (at % 2, digit * 2) {
        (0, _) => *digit,
        (_, twice) if twice > 9 => twice - 9,
        (_, twice) => twice,
    };
    let several = digits.iter().any(|digit| *digit != digits[0]);
    several && digits.iter().rev().enumerate().map(doubled).sum::<u32>().is_multiple_of(10)
}

fn jwt(token: &[u8]) -> bool {
    let start = token.windows(2).position(|pair| pair == b"ey").unwrap_or(0);
    let header = token[start..].split(|byte| *byte == b'.').next().unwrap_or_default();
    // Samples and truncated copies still begin with `{"`.
    base64::decode(&header[..header.len() / 4 * 4])
        .is_some_and(|json| json.starts_with(b"{\"") || json.starts_with(b"{ "))
        || value::opaque(token)
}

fn basic(credentials: &[u8]) -> bool {
    let body: Vec<u8> = credentials.iter().copied().filter(|byte| *byte != b'=').collect();
    base64::decode(&body)
        .and_then(base64::printable)
        .is_some_and(|pair| pair.split_once(':').is_some_and(|(_, word)| !word.is_empty()))
}

fn pair(pair: &[u8]) -> bool {
    let colon = pair.iter().position(|byte| *byte == b':').unwrap_or(pair.len());
    let password = pair.get(colon + 1..).unwrap_or_default();
    let password = password.strip_prefix(b"'").unwrap_or(password);
    value::chosen(password) && !value::placeholder(pair) && !password.starts_with(b"//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_in_base_62_proves_a_token() {
        let random = "0123456789abcdefghijABCDEFGHIJ";
        let mut crc = crc32(random.as_bytes());
        let mut sum = Vec::new();
        for _ in 0..6 {
            let digit = u8::try_from(crc % 62).expect("below 62");
            sum.insert(
                0,
                match digit {
                    0..=9 => b'0' + digit,
                    10..=35 => b'A' + digit - 10,
                    _ => b'a' + digit - 36,
                },
            );
            crc /= 62;
        }
        let token = [b"pre_", random.as_bytes(), &sum].concat();
        assert_eq!(Check::Crc62.verdict(&token), Verdict::Proved);
        let mut wrong = token;
        wrong[10] ^= 1;
        assert_eq!(Check::Crc62.verdict(&wrong), Verdict::Open);
    }

    #[test]
    fn crc_32_is_the_common_one() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_card_number_has_a_check_digit() {
        let card = ["4012", "8888", "8888", "1881"].join(" ");
        assert_eq!(Check::Luhn.verdict(card.as_bytes()), Verdict::Proved);
        let wrong = card.replace("1881", "1882");
        assert_eq!(Check::Luhn.verdict(wrong.as_bytes()), Verdict::Refuted);
    }
}
