//! What a page says, as text.
//!
//! Markdown, plain text and JSON are taken as they are. Of HTML the words are kept and the
//! markup goes: no script, no style, no attributes, lines where blocks were. Anything else
//! is no text.

use nuthatch::error::{Error, Result};
use ureq::http::header;

use super::Reply;
use crate::within::decode;

/// The text of an answer.
///
/// # Errors
/// `invalid`, when it is no text.
pub(crate) fn text(reply: Reply) -> Result<String> {
    let kind = reply.header(header::CONTENT_TYPE).unwrap_or("text/plain").to_ascii_lowercase();
    let packed = reply.header(header::CONTENT_ENCODING).is_some_and(|how| how != "identity");
    let essence = kind.split(';').next().unwrap_or_default().trim().to_owned();
    if packed || !is_text(&essence) {
        let host = reply.url.to_string();
        return Err(Error::invalid(format!("{host} is no text but {essence}")));
    }
    let latin = kind.contains("charset=iso-8859-1") || kind.contains("charset=windows-1252");
    let words = match latin {
        // These bytes are the first 256 characters of Unicode, nearly.
        true => reply.body.iter().map(|byte| char::from(*byte)).collect(),
        false => decode(reply.body).0,
    };
    let is_html = matches!(essence.as_str(), "text/html" | "application/xhtml+xml");
    Ok(if is_html { strip(&words) } else { words })
}

fn is_text(essence: &str) -> bool {
    essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
        || matches!(
            essence,
            "application/json" | "application/xml" | "application/toml" | "application/yaml"
        )
}

/// Elements whose content nobody reads.
const UNREAD: &[&str] = &["script", "style", "head", "noscript", "template", "svg", "iframe"];

/// Elements that end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// The words of an HTML text.
fn strip(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push_words(&mut out, &rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else { return tidy(&out) };
        let tag = &rest[1..end];
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if name.is_empty() && !tag.starts_with(['/', '!', '?']) {
            // A lonely sign is one of comparison.
            out.push('<');
            rest = &rest[1..];
            continue;
        }
        rest = &rest[end + 1..];
        if BLOCKS.contains(&name.as_str()) {
            out.push('\n');
        }
        let opens = !tag.starts_with('/') && !tag.ends_with('/');
        if opens && UNREAD.contains(&name.as_str()) {
            rest = after_closing(rest, &name);
        }
    }
    push_words(&mut out, rest);
    tidy(&out)
}

/// What follows the end of an element.
fn after_closing<'a>(rest: &'a str, name: &str) -> &'a str {
    let close = format!("</{name}");
    let bytes = rest.as_bytes();
    let found = (0..bytes.len().saturating_sub(close.len() - 1)).find(|at| {
        bytes[*at] == b'<' && bytes[*at..*at + close.len()].eq_ignore_ascii_case(close.as_bytes())
    });
    let Some(at) = found else { return "" };
    rest[at..].find('>').map_or("", |end| &rest[at + end + 1..])
}

fn push_words(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
}

/// The character that an entity at the beginning of `text` stands for, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok();
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "copy" => '©',
        _ => match name.strip_prefix('#')?.strip_prefix(['x', 'X']) {
            Some(digits) => char::from_u32(number(digits, 16)?)?,
            None => char::from_u32(number(&name[1..], 10)?)?,
        },
    };
    Some((c, end + 1))
}

/// Lines without blanks around them, and one empty line at most between two.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            gap = !out.is_empty();
            continue;
        }
        if !out.is_empty() {
            out.push_str(if gap { "\n\n" } else { "\n" });
        }
        gap = false;
        out.push_str(&line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_html_only_the_words_are_kept() {
        let html = "<html><head><title>t</title></head><body onload='x()'><h1>A &amp; B</h1>\n\
                    <SCRIPT>if (a < b) { steal() }</SCRIPT><p>one <b>two</b>&#33; 1 < 2</p>\n\
                    <!-- hidden --><ul><li>x</li><li>y&nbsp;z</li></ul></body></html>";
        assert_eq!(strip(html), "A & B\n\none two! 1 < 2\n\nx\n\ny z");
    }

    #[test]
    fn broken_markup_ends_somewhere() {
        for html in ["<", "<script>", "a<b", "<!--", "&", "&#;", "&#x110000;", "<é>", "&é;"] {
            let _ = strip(html);
        }
    }
}
