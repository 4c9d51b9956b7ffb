//! Whether the name something is assigned to says that it is a secret.
//!
//! `API_TOKEN` does, `token_count` and `kms_key_id` do not: what counts is how a name
//! ends, after what only says where it is used.

use super::catalogue::Kind;

const PASSWORDS: &[&str] =
    &["password", "passwd", "pwd", "pass", "passphrase", "passcode", "pw", "passwords", "psw"];
const SECRETS: &[&str] = &[
    "token",
    "tokens",
    "secret",
    "secrets",
    "apikey",
    "accesskey",
    "secretkey",
    "authkey",
    "apitoken",
    "privatekey",
    "credential",
    "credentials",
    "creds",
    "pat",
    "jwt",
    "authtoken",
    "accesstoken",
    "clientsecret",
    "appsecret",
    "accountkey",
    "sharedaccesskey",
    "encryptionkey",
    "signingkey",
    "sessionid",
    "masterkey",
    "licensekey",
    "auth",
    "appkey",
    "sharedsecret",
    "apisecret",
];
/// What makes a key secret.
const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "master",
    "license",
    "account",
    "storage",
    "shared",
    "subscription",
    "service",
    "client",
    "app",
    "consumer",
    "admin",
    "deploy",
    "write",
    "ingest",
    "integration",
    "hmac",
    "session",
    "jwt",
    "webhook",
    "server",
    "user",
    "token",
    "instrumentation",
    "personal",
    "security",
    "role",
    "restricted",
    "live",
    "staging",
    "prod",
    "credential",
    "deployment",
    "routing",
    "verify",
    "validation",
    "management",
    "licence",
    "reporter",
];
/// What may follow without changing the meaning.
const TAILS: &[&str] = &[
    "value",
    "prod",
    "production",
    "staging",
    "dev",
    "test",
    "live",
    "string",
    "default",
    "base64",
    "b64",
    "hex",
    "1",
    "2",
    "v1",
    "v2",
    "new",
    "old",
    "raw",
    "here",
    "env",
    "var",
    "primary",
    "secondary",
    "plain",
    "cleartext",
    "com",
];
/// What makes a token harmless.
const HARMLESS: &[&str] = &[
    "public",
    "csrf",
    "xsrf",
    "cancel",
    "cancellation",
    "next",
    "page",
    "continuation",
    "max",
    "num",
    "min",
    "count",
    "total",
    "publishable",
    "pagination",
    "eos",
    "bos",
    "pad",
    "mask",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "tokenizer",
    "lex",
    "parser",
    "authenticity",
    "sync",
    "request",
    "idempotency",
    "non",
    "invalid",
    "mock",
    "fake",
    "dummy",
    "example",
    "sample",
    "wrong",
];

/// Keys of maps, tables and caches.
const HARMLESS_KEYS: &[&str] = &[
    "object",
    "row",
    "map",
    "dict",
    "json",
    "yaml",
    "registry",
    "hash",
    "index",
    "lookup",
    "message",
    "translation",
    "composite",
    "unique",
    "host",
    "redis",
    "bucket",
    "ssh",
    "answer",
    "config",
    "group",
    "storage",
    "natural",
    "surrogate",
    "range",
    "document",
    "record",
    "shortcut",
    "the",
    "a",
    "this",
];

/// How clearly a name says that it holds a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Clearly,
    /// `the acme key`: only a value that is plainly random counts.
    Faintly,
    Not,
}

/// What a thing called `name` says about holding a secret of this kind.
pub(super) fn told(name: &str, kind: Kind) -> Told {
    let faint = |last: &str, before: &str| {
        kind == Kind::Bare && last == "key" && !HARMLESS_KEYS.contains(&before)
    };
    let words = words(name);
    match words.as_slice() {
        _ if tells(&words, kind) => Told::Clearly,
        [.., before, last] if faint(last, before) && !harmless(&words) => Told::Faintly,
        _ => Told::Not,
    }
}

fn harmless(words: &[String]) -> bool {
    words.iter().any(|word| HARMLESS.contains(&word.as_str()))
}

fn tells(words: &[String], kind: Kind) -> bool {
    let tail =
        |word: &String| TAILS.contains(&word.as_str()) || word.bytes().all(|b| b.is_ascii_digit());
    let kept = words.len() - words.iter().rev().take_while(|word| tail(word)).count();
    let words = &words[..kept];
    let Some((last, before)) = words.split_last() else { return false };
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let is = |list: &[&str]| list.contains(&last);
    if harmless(words) {
        return false;
    }
    match kind {
        Kind::Password => is(PASSWORDS),
        Kind::Named => is(SECRETS),
        _ => {
            last == "key" && before.iter().rev().take(2).any(|w| SECRET_KEYS.contains(&w.as_str()))
        }
    }
}

/// The words of a name in lower case, whatever the convention.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    let mut letters = name.chars().peekable();
    while let Some(c) = letters.next() {
        let next_lower = letters.peek().is_some_and(char::is_ascii_lowercase);
        let camel = c.is_ascii_uppercase()
            && (previous.is_ascii_lowercase() || previous.is_ascii_uppercase() && next_lower);
        if !c.is_ascii_alphanumeric() || camel {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_says_whether_it_is_a_secret() {
        for name in ["API_TOKEN", "githubToken", "client-secret", "aws.secretAccessToken2"] {
            assert_eq!(told(name, Kind::Named), Told::Clearly, "{name}");
        }
        for name in ["token_count", "UserSecretsId", "publicToken", "csrf-token", "max_tokens"] {
            assert_eq!(told(name, Kind::Named), Told::Not, "{name}");
        }
    }

    #[test]
    fn most_keys_are_harmless() {
        assert_eq!(told("STRIPE_API_KEY", Kind::Bare), Told::Clearly);
        assert_eq!(told("acme key", Kind::Bare), Told::Faintly);
        for name in ["cache_key", "primaryKey", "key", "kms_key_id", "sort-key"] {
            assert_eq!(told(name, Kind::Bare), Told::Not, "{name}");
        }
    }
}
