//! What gives itself away by its form: role tags, chat templates, commands that destroy,
//! requests that carry data out.
//!
//! Patterns of the linear-time `regex` crate over plain text: lower case, ASCII where it
//! matters.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexSet};

use super::Feature;
use crate::guard::finding::Category::{
    self, DestructiveCommand, Exfiltration, Injection, InstructionFile, RoleHijack,
};

type Shape = (&'static str, Category, f64, &'static str);

const SHAPES: &[Shape] = &[
    (
        "chat-template",
        RoleHijack,
        0.6,
        r"<\|[a-z_]{2,24}\|>|\[/?inst\]|<</?sys>>|<start_of_turn>|<end_of_turn>",
    ),
    (
        "role-tag",
        RoleHijack,
        0.55,
        r"</?\s*(?:system|assistant|developer|memory|memories|instructions?|system[-_]?prompt|system[-_]?reminder|tool[-_]?results?|function[-_]?(?:calls?|results?)|context|retrieved[-_]?[a-z]{1,12}|admin|operator)(?:\s[^>]{0,80})?/?>",
    ),
    (
        "role-tag",
        RoleHijack,
        0.3,
        r"</\s*(?:user|human|documents?|data|input|message|conversation)\s*>",
    ),
    (
        "role-marker",
        RoleHijack,
        0.35,
        r"(?m)^\W{0,6}(?:(?:important|urgent|critical|attention|new|official)\W{1,3})?(?:system|assistant|developer|operator|root|admin)(?: (?:message|prompt|note|override|notice|update|alert|instruction))?\W{0,3}:",
    ),
    ("role-marker", RoleHijack, 0.3, r"[.!?>\]:-]\s+(?:system|assistant|developer|operator)\s*:"),
    ("role-marker", RoleHijack, 0.5, r#""role"\s*:\s*"(?:system|assistant|developer|tool)""#),
    ("role-marker", RoleHijack, 0.3, r"\\n\\n?(?:human|assistant|system|user)\s*:"),
    (
        "role-marker",
        RoleHijack,
        0.45,
        r"\bnew (?:system|developer|admin|operator|root) (?:message|instruction|note|order|directive|prompt)",
    ),
    (
        "fence",
        RoleHijack,
        0.45,
        r"(?m)^\W{0,4}end of (?:the )?(?:retrieved )?(?:memor|context|prompt|instruction|system|conversation)[a-z]{0,4}\b",
    ),
    (
        "fence",
        RoleHijack,
        0.5,
        r"[\[{(]\s*/?\s*(?:(?:end|begin|start)(?: of)?[ _-])?(?:system|retrieved?|memory|memories|context|prompt|instructions?|user[ _-]input)(?:[ _-][a-z]{2,12}){0,2}[ _-](?:end|start|begin|over|complete)\s*[\])}]",
    ),
    (
        "fence",
        RoleHijack,
        0.5,
        r"[\[{(]\s*/?\s*(?:end|begin|start)(?: of)?[ _-](?:the )?(?:system|retrieved?|memory|memories|context|prompt|instructions?|user[ _-]input|conversation)[^\])}]{0,24}[\])}]",
    ),
    (
        "fence",
        RoleHijack,
        0.4,
        r"(?:={4,}|-{4,}|#{3,}|\*{4,})\s*(?:end|begin|start|system|new|admin)\b",
    ),
    (
        "override-call",
        RoleHijack,
        0.5,
        r"\b(?:system|admin|developer|security|emergency|policy|root)[ _-](?:override|bypass|unlock)\b",
    ),
    (
        "auto-approve",
        Injection,
        0.45,
        r"\b(?:always|auto|automatically)[ -](?:approve|accept|allow|grant)\b|\b(?:approve|accept|allow|grant)\s+(?:all|every|any)\s+(?:\w+\s+)?(?:tool|command|request|permission|prompt|transaction|action|pull|merge|shell)",
    ),
    (
        "beacon",
        Exfiltration,
        0.6,
        r"!\[[^\]]{0,80}\]\(\s*https?://[^)\s]{1,200}[?&][^)\s=]{0,40}=\s*(?:[<{$\[%]|data|secret|base64|conversation|message|token|chat|history|user)",
    ),
    ("beacon", Exfiltration, 0.25, r"!\[[^\]]{0,80}\]\(\s*https?://[^)\s]{1,200}\?"),
    (
        "beacon",
        Exfiltration,
        0.45,
        r"https?://[^\s)]{1,200}[?&/][^\s)=]{0,40}=?\s*[<{\[$]+\s*(?:last|user|the|secret|conversation|message|data|token|key|content|env|chat|summary|prompt|encoded|base64|query)",
    ),
    (
        "beacon",
        Exfiltration,
        0.5,
        r"<(?:img|iframe|script|link)\b[^>]{0,80}(?:src|href)\s*=\s*.?https?://[^>]{1,200}[?&][^>]{0,40}=",
    ),
    (
        "send-by-shell",
        Exfiltration,
        0.6,
        r"\b(?:curl|wget|nc|ncat|http)\b[^\n|]{0,160}(?:\$\{?[a-z_]{0,30}(?:key|token|secret|pass|cred|aws)|\$\(\s*(?:cat|env|printenv|base64)|@(?:~|/|\.env|\$home)|--post-file|\.ssh|\.env\b|id_rsa|\.netrc|--upload-file|-t\s+[~./])",
    ),
    (
        "send-by-shell",
        Exfiltration,
        0.6,
        r"\b(?:cat|env|printenv|tar|base64|history)\b[^\n|]{0,120}\|\s*(?:[^\n|]{0,60}\|\s*)?(?:curl|wget|nc|ncat|mail|ssh)\b",
    ),
    (
        "send-by-code",
        Exfiltration,
        0.6,
        r"(?:requests\.post|fetch|urlopen|axios\.post|http\.post)\([^\n]{0,160}(?:os\.environ|process\.env|localstorage|document\.cookie|getenv)",
    ),
    (
        "hooks-path",
        InstructionFile,
        0.45,
        r"core\.hookspath|core\.sshcommand|ld_preload=|pip config set|npm config set registry",
    ),
    ("wallet", Exfiltration, 0.3, r"\bbc1[a-z0-9]{4,60}\b|\b0x[0-9a-f]{40}\b"),
    (
        "reverse-shell",
        DestructiveCommand,
        0.7,
        r"/dev/tcp/|\bnc\b[^\n]{0,40}\s-e\s|bash -i >&|\bsocat\b[^\n]{0,60}exec:",
    ),
    (
        "wipe",
        DestructiveCommand,
        0.5,
        r"\brm\s+(?:-[a-z-]+\s+)*-(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r)[a-z]*\s+(?:--[a-z-]+\s+)*[`']?(?:/(?:\s|\*|$|`|etc|home|usr|var|boot|bin|lib|opt|root)|~|\$home|\$\{home|\*|\.\.(?:\s|/|$)|\.(?:\s|/\*|$))",
    ),
    (
        "wipe",
        DestructiveCommand,
        0.5,
        r"--no-preserve-root|\bmkfs(?:\.[a-z0-9]+)?\s|\bdd\s[^\n]{0,80}of=/dev/|>\s*/dev/(?:sd|nvme|hd|disk)|\bshred\s+-|\bwipefs\b",
    ),
    (
        "wipe",
        DestructiveCommand,
        0.5,
        r":\(\)\s*\{|\bformat\s+c:|\bdel\s+/[sfq]|\brd\s+/s|remove-item\b[^\n]{0,60}-recurse[^\n]{0,40}-force|\bdiskpart\b",
    ),
    (
        "wipe",
        DestructiveCommand,
        0.5,
        r"\bfind\s+[`']?(?:/|~|\$home)[^\n|]{0,80}-(?:delete\b|exec\s+rm\b)",
    ),
    (
        "drop-data",
        DestructiveCommand,
        0.4,
        r"\b(?:drop\s+(?:database|schema)|truncate\s+table|drop\s+table|delete\s+from\s+\w+\s*(?:;|$)|flushall|terraform\s+destroy|kubectl\s+delete\s+(?:ns|namespace|--all))\b",
    ),
    (
        "force-push",
        DestructiveCommand,
        0.3,
        r"\bgit\s+push\s[^\n]{0,60}(?:--force\b|-f\b|\+\w)|force[- ]push",
    ),
    (
        "force-push",
        DestructiveCommand,
        0.25,
        r"(?:--force\b|-f\b|force[- ]push)[^\n.]{0,40}\b(?:main|master|production|release)\b",
    ),
    (
        "fetch-and-run",
        DestructiveCommand,
        0.42,
        r"\b(?:curl|wget|iwr|fetch)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:iex|invoke-expression)\b|\b(?:ba)?sh\s+(?:-c\s+.?\$\(|<\()\s*curl|\beval\s+.{0,3}\$\(\s*curl",
    ),
    (
        "fetch-and-run",
        DestructiveCommand,
        0.5,
        r"base64\s+(?:-d|--decode)[^\n|]{0,40}\|\s*(?:ba|z)?sh\b",
    ),
    (
        "open-permissions",
        DestructiveCommand,
        0.5,
        r"\bchmod\s+(?:-r\s+)?(?:0?777|a\+rwx)\s+(?:/|~|\$home)",
    ),
    (
        "open-permissions",
        DestructiveCommand,
        0.35,
        r"\bchmod\s+(?:-r\s+)?0?777\b|\bsetenforce\s+0|\bufw\s+disable|iptables\s+-f|\bcsrutil\s+disable|nopasswd",
    ),
    (
        "persist",
        InstructionFile,
        0.5,
        r">>\s*(?:~|\$home|/home/\w+|/root)?/?\.?(?:bashrc|zshrc|profile|bash_profile|ssh/authorized_keys)|crontab\s+-|>>\s*\S{0,60}(?:claude|agents|gemini|memory)\.md",
    ),
    (
        "persist",
        InstructionFile,
        0.4,
        r#""?(?:permissions|hooks|mcpservers|allowedtools|pretooluse|posttooluse|sessionstart)"?\s*[:=]\s*[{\["]"#,
    ),
];

static PATTERNS: LazyLock<(RegexSet, Vec<Regex>)> = LazyLock::new(|| {
    let sources = || SHAPES.iter().map(|shape| format!("(?-u){}", shape.3));
    let set = RegexSet::new(sources()).expect("the patterns are fixed and parse");
    let each = |source: String| Regex::new(&source).expect("the patterns are fixed and parse");
    (set, sources().map(each).collect())
});

/// Words just before a command that forbid it.
const FORBIDDING: &[&str] =
    &["never", "not", "dont", "don't", "avoid", "without", "no", "instead of"];
/// How far before the command they are looked for, in bytes: an adverb and a verb.
const FORBIDDING_REACH: usize = 32;
/// What is left of the weight of a command that is forbidden.
const FORBIDDEN: f64 = 0.15;

/// The shapes found in a plain text, each at the first place it stands.
pub(super) fn features(text: &str) -> Vec<Feature> {
    let (set, each) = &*PATTERNS;
    let found = set.matches(text.as_bytes()).into_iter().filter_map(|index| {
        let place = each[index].find(text.as_bytes())?;
        let (rule, category, weight, _) = SHAPES[index];
        let harmless = category != RoleHijack && is_forbidden(text, place.start());
        let weight = if harmless { weight * FORBIDDEN } else { weight };
        Some(Feature { rule, category, weight, start: place.start(), end: place.end() })
    });
    found.collect()
}

fn is_forbidden(text: &str, start: usize) -> bool {
    let from = text.ceil_char_boundary(start.saturating_sub(FORBIDDING_REACH));
    let before = &text[from..text.ceil_char_boundary(start)];
    let near = before.rsplit(['.', ';', '\n']).next().unwrap_or_default();
    let mut words = near.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| FORBIDDING.contains(&word))
        && !["ask", "hesitate", "forget", "fail"].iter().any(|word| near.contains(word))
}
