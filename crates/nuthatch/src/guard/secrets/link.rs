//! Reads how a value is joined to the name before it.
//!
//! `name: x`, `NAME := "x"`, `<name>x</name>`, `("NAME", "x")`, `name => 'x'`, `--name x`,
//! JSON inside JSON, `the name for staging is x`, "the name `x`". Says where the value is
//! and how it was joined; whether it is a secret is not decided here.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// How much may stand between a name and its value.
const JOINT: usize = 180;

/// How a value is joined to its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// A line of an environment file.
    Environment,
    /// An operator of configuration or code.
    Code,
    /// The rest of a line behind a colon.
    Line,
    /// The next argument of a call.
    Call,
    /// A verb or mark in a sentence.
    Prose,
    /// Quoted, right behind the name.
    Beside,
    /// The next word of a command.
    Flag,
}

/// The most telling ones first.
const LINKS: [Link; 7] =
    [Link::Environment, Link::Line, Link::Code, Link::Call, Link::Prose, Link::Beside, Link::Flag];

/// A value and where it begins in the window.
pub(super) struct Value<'a> {
    pub(super) at: usize,
    pub(super) text: &'a [u8],
    pub(super) link: Link,
    pub(super) quoted: bool,
}

static CODE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"^(?:
            # the end of a quoted, indexed or bold name, perhaps a type, then an assignment
            (?:\\{0,3}["'`]|[\])*?]){0,4} (?:[\ \t]*:)?
            (?:[\ \t]{1,8}[A-Za-z_&\[\]<>.?]{1,24}|[\ \t]{0,40}) [\ \t]{0,40}
            (?:[:?.+|!=~-]{0,3}=>?|->) [\ \t]*
            # a colon, an arrow or the wall of a table
            | (?:\\{0,3}["'`]|[\])*?]){0,4} [\ \t]{0,8} (?::|=>|\|) (?:\*\*)? [\ \t]*
            # an element, or an attribute that follows the name
            | >\s*
            | ["']\s+value\s*=\s*
        )"#,
    )
});
static CALL: LazyLock<Regex> = LazyLock::new(|| compiled(r#"^\\{0,3}["'][\ \t]*,[\ \t]*["'\\]"#));
static PROSE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"^["'`*)]{0,3}
            # `for the staging server`
            (?:[\ \t]+(?:for|of|on|in|at|to|from|that)(?:[\ \t]+[^\s,;]{1,30}){1,4}?)?
            (?:[\ \t]+(?:is|was|are|be|set\ to|changed\ to)|[\ \t]*[:=])
            (?:[\ \t]+(?:now|set\ to|set|to|currently|still|just|simply))*
            [\ \t]+"#,
    )
});
static BESIDE: LazyLock<Regex> = LazyLock::new(|| compiled(r#"^[\ \t]+[`"'(]"#));

fn compiled(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .ignore_whitespace(true)
        .build()
        .expect("a pattern of this file is correct")
}

/// The values that may belong to `name`, which ends where `window` begins.
pub(super) fn values<'a>(window: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = Value<'a>> {
    let joint = &window[..window.len().min(JOINT)];
    LINKS.into_iter().filter_map(move |link| value(window, begin(link, joint, name)?, link))
}

/// Where the value would begin.
fn begin(link: Link, joint: &[u8], name: &[u8]) -> Option<usize> {
    match link {
        Link::Environment => {
            let constant = !name.iter().any(u8::is_ascii_lowercase);
            (constant && joint.starts_with(b"=")).then_some(1)
        }
        Link::Line => {
            let line = joint.strip_prefix(b": ")?.split(|byte| *byte == b'\n').next()?;
            (!line.trim_ascii().contains(&b' ') && line.len() < JOINT - 2).then_some(2)
        }
        Link::Code => CODE.find(joint).map(|found| found.end()),
        Link::Call => CALL.find(joint).map(|found| found.end() - 1),
        Link::Prose => PROSE.find(joint).map(|found| found.end()),
        Link::Beside => BESIDE.find(joint).map(|found| found.end() - 1),
        Link::Flag => (name.starts_with(b"-") && joint.starts_with(b" ")).then_some(1),
    }
}

/// The value that begins at `at`, without its quotes and the punctuation after it.
fn value(window: &[u8], at: usize, link: Link) -> Option<Value<'_>> {
    let rest = &window[at.min(window.len())..];
    let opening = rest.iter().take(8).take_while(|byte| b"\\\"'`(*@".contains(byte)).count();
    let quote = rest[..opening].iter().copied().find(|byte| b"\"'`".contains(byte));
    let body = &rest[opening..];
    let len = (0..body.len()).find(|at| ends(&body[*at..], quote)).unwrap_or(body.len());
    let mut text = &body[..len];
    if quote.is_none() {
        while let [kept @ .., b'.' | b',' | b':' | b';' | b'!' | b'?' | b']' | b'}'] = text {
            text = kept;
        }
    }
    let words = quote.is_some() && text.contains(&b' ');
    let quoted = quote.is_some();
    (!text.is_empty() && !words).then_some(Value { at: at + opening, text, link, quoted })
}

/// Whether a value is over where `rest` begins.
fn ends(rest: &[u8], quote: Option<u8>) -> bool {
    match (quote, rest[0]) {
        (Some(quote), byte) => byte == quote || byte == b'\n' || byte == b'\\',
        // An ampersand belongs to a password, unless the next parameter follows.
        (None, b'&') => {
            let parameter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let name = rest[1..].iter().take(40).take_while(parameter).count();
            name > 0 && rest.get(name + 1) == Some(&b'=')
        }
        (None, byte) => byte.is_ascii_whitespace() || b"\"'`<>|),;\\*".contains(&byte),
    }
}
