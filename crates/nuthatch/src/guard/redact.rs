//! Strikes secrets out of a text and says where: `[redacted:github-pat]`.
//!
//! The mark names the rule, so that a reader knows what stood there. The rest of the text
//! stays byte for byte.

use super::{Finding, secrets};

/// Times a text is looked through again: what is left when one secret is gone may show
/// another.
const ROUNDS: usize = 4;

/// The text without its secrets, and what they were; spans are of the text as it was given
/// in the first round, and of what the round before left in later ones.
#[must_use]
pub fn redact(text: &str) -> (String, Vec<Finding>) {
    let mut struck = text.to_owned();
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let found = secrets::scan(&struck);
        if found.is_empty() {
            return (struck, all);
        }
        struck = strike(&struck, &found);
        all.extend(found);
    }
    // A text that shows a new secret whenever one is struck out is nothing but secrets.
    match secrets::scan(&struck).first() {
        Some(finding) => (mark(&finding.rule), all),
        None => (struck, all),
    }
}

fn mark(rule: &str) -> String {
    format!("[redacted:{rule}]")
}

/// Replaces every span by its mark; spans that overlap are one, named after the first.
fn strike(text: &str, findings: &[Finding]) -> String {
    let mut spans: Vec<(usize, usize, &str)> = findings
        .iter()
        .map(|f| (text.floor_char_boundary(f.start), text.ceil_char_boundary(f.end), &*f.rule))
        .collect();
    spans.sort_unstable();
    let mut struck = String::with_capacity(text.len());
    let mut kept_from = 0;
    for (start, end, rule) in spans {
        if end <= kept_from {
            continue;
        }
        if start >= kept_from {
            struck.push_str(&text[kept_from..start]);
            struck.push_str(&mark(rule));
        }
        kept_from = end;
    }
    struck.push_str(&text[kept_from..]);
    struck
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Put together here, so that no file holds it whole.
    fn token(seed: u8) -> String {
        let alphabet: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let tail = (0..36).map(|n| alphabet[(n * 7 + usize::from(seed)) % alphabet.len()]);
        format!("{}{}{}", "gh", "p_", tail.collect::<String>())
    }

    #[test]
    fn only_the_secret_goes() {
        let token = token(3);
        let (text, findings) = redact(&format!("push with {token}, then\n  run `make`"));
        assert!(!text.contains(&token[4..]), "a secret was kept");
        assert!(text.starts_with("push with [redacted:") && text.ends_with("then\n  run `make`"));
        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn a_text_without_secrets_is_not_touched() {
        let text = "the password is in the vault;\u{200B} ask ops\n\n";
        assert_eq!(redact(text), (text.to_owned(), Vec::new()));
    }

    proptest! {
        #[test]
        fn nothing_is_left_to_find(
            parts in prop::collection::vec(("[ -~\n]{0,20}", any::<u8>(), any::<bool>()), 0..6),
        ) {
            let mut text = String::new();
            for (before, seed, glued) in &parts {
                text.push_str(before);
                if !glued {
                    text.push(' ');
                }
                text.push_str(&token(*seed));
            }
            let (struck, _) = redact(&text);
            prop_assert!(secrets::scan(&struck).is_empty());
        }
    }
}
