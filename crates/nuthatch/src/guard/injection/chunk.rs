//! What the text around a word is: an address, a file that holds secrets, a file that agents
//! obey, a flag that takes a guard away.
//!
//! Works on what stands between two blanks, in lower case.

use super::concept::{
    Concepts, EMAIL, GUARD_FLAG, HOST, INSTRUCTION_FILE, SECRET, SECRET_FILE, URL,
};

/// Files whose content is a secret, as they end a path or stand within one.
const SECRET_FILES: &[&str] = &[
    "/.ssh",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    ".netrc",
    ".aws/",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".kube/config",
    "/etc/shadow",
    "/etc/passwd",
    "credentials.json",
    ".docker/config",
    "wallet.dat",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    ".gnupg",
    "authorized_keys",
    "login.keychain",
    "cookies.sqlite",
    ".pem",
    ".vault-token",
];

/// Files that agents read as orders, or that run something for them.
const INSTRUCTION_FILES: &[&str] = &[
    "claude.md",
    "agents.md",
    "gemini.md",
    "memory.md",
    "soul.md",
    "skill.md",
    ".cursorrules",
    ".cursor/rules",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    "copilot-instructions",
    "settings.json",
    "settings.local.json",
    "mcp.json",
    "hooks.toml",
    "hooks.json",
    ".claude/",
    ".bashrc",
    ".zshrc",
    ".bash_profile",
    ".zprofile",
    "crontab",
    "sitecustomize",
    "pre-commit-config",
    ".git/hooks",
];

/// Flags and settings that take a guard away.
const GUARD_FLAGS: &[&str] = &[
    "--dangerously",
    "--yolo",
    "--no-verify",
    "--trust-all",
    "--skip-permissions",
    "--no-sandbox",
    "--allow-all",
    "--insecure",
    "--no-check-certificate",
    "--auto-approve",
    "--no-gpg-sign",
    "--disable-web-security",
    "--ignore-scripts=false",
    "--force-yes",
    "stricthostkeychecking=no",
    "verify=false",
    "reject_unauthorized=0",
    "bypasspermissions",
    "--full-auto",
    "--no-confirm",
    "--approval-mode",
    "sslverify=false",
    "sslverify",
    "--break-system-packages",
    "--privileged",
];

/// Ends of host names that are rarely ends of file names.
const TOP_LEVELS: &[&str] = &[
    "com", "net", "org", "io", "dev", "app", "ai", "co", "invalid", "test", "example", "internal",
    "local", "ru", "cn", "de", "fr", "uk", "xyz", "info", "biz", "site", "online", "top", "cloud",
    "tk", "pw", "me", "eu", "us", "in", "link", "click", "onion",
];

/// Longer chunks are data, not names.
const LONGEST: usize = 400;

/// What the chunk around the word `start..end` is, and where it ends. Only the first word of
/// a chunk carries it.
pub(super) fn concepts(text: &str, start: usize, end: usize) -> (Concepts, usize) {
    let mut lead = 0;
    for b in text[..start].bytes().rev().take(LONGEST).take_while(|b| is_inside(*b)) {
        if b.is_ascii_alphanumeric() {
            return (0, end);
        }
        lead += 1;
    }
    let tail = text[end..].bytes().take(LONGEST).take_while(|b| is_inside(*b)).count();
    let Some(chunk) = text.get(start - lead..end + tail) else { return (0, end) };
    let chunk = chunk.trim_end_matches(['.', ',', ':', ';', '!', '?']);
    // Most words are only words.
    if chunk.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return (0, end);
    }
    let mut found = address(chunk) | named(chunk);
    if is_env_file(chunk) && is_filled(&text[..start - lead]) {
        found &= !SECRET_FILE;
    }
    (found, end + tail)
}

fn is_inside(b: u8) -> bool {
    !b.is_ascii_whitespace() && !matches!(b, b'"' | b'\'' | b'`' | b'(' | b')' | b',' | b'>' | b'<')
}

fn address(chunk: &str) -> Concepts {
    if chunk.contains("://") || chunk.starts_with("www.") || chunk.contains("[.]") {
        return URL | HOST;
    }
    let name = chunk.split(['/', ':', '?']).next().unwrap_or_default();
    let (local, host) = name.rsplit_once('@').map_or(("", name), |(local, host)| (local, host));
    let is_host = host.rsplit_once('.').is_some_and(|(rest, top)| {
        !rest.is_empty() && (TOP_LEVELS.contains(&top) || is_address(host))
    });
    match (is_host, local.is_empty()) {
        (false, _) => 0,
        (true, true) => HOST,
        (true, false) => EMAIL,
    }
}

fn is_address(host: &str) -> bool {
    let parts: Vec<&str> = host.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok())
}

fn named(chunk: &str) -> Concepts {
    let any = |list: &[&str]| list.iter().any(|name| chunk.contains(name));
    let mut found = 0;
    if is_secret_variable(chunk) {
        found |= SECRET;
    }
    if any(SECRET_FILES) || is_env_file(chunk) {
        found |= SECRET_FILE;
    }
    if any(INSTRUCTION_FILES) {
        found |= INSTRUCTION_FILE;
    }
    if any(GUARD_FLAGS) {
        found |= GUARD_FLAG;
    }
    found
}

/// `DATABASE_URL`, `STRIPE_SECRET_KEY`: what a program is told of its secrets.
fn is_secret_variable(chunk: &str) -> bool {
    const ENDINGS: &[&str] =
        &["_token", "_key", "_secret", "_password", "_passwd", "_dsn", "database_url"];
    let name = chunk.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether what follows is written to rather than read: "copy the template to .env".
fn is_filled(before: &str) -> bool {
    let last = before.trim_end().rsplit(' ').next().unwrap_or_default();
    matches!(last, "to" | "into" | "in")
}

/// `.env` and its variants, but not the template that is meant to be shared.
fn is_env_file(chunk: &str) -> bool {
    let name = chunk.rsplit('/').next().unwrap_or_default();
    let template = ["example", "sample", "template", "dist"].iter().any(|end| name.ends_with(end));
    (name == ".env" || name.starts_with(".env.")) && !template
}
