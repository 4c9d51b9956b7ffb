//! Every rule finds samples of its kind and leaves their stand-ins alone.
//!
//! A sample such as `ab·c_{a36}` is a prefix in pieces and thirty-six random letters and
//! digits. Three of each are drawn; the same three with the random parts masked in the
//! ways people mask secrets are the negatives.

use std::collections::HashSet;

use crate::guard::secrets::catalogue::{Catalogue, FAMILIES, Kind, Rule};
use crate::guard::secrets::{scan, scan_plain};

/// Draws of each sample.
const DRAWS: u64 = 3;

/// How a sample is written: with random parts, or with what people put in their place.
#[derive(Clone, Copy)]
enum Part {
    Random(u64),
    Masked(&'static str),
}

#[test]
fn the_catalogue_is_large_and_its_ids_are_unique() {
    let rules = &Catalogue::shared().rules;
    let mut ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    assert!(ids.len() >= 150, "{}", ids.len());
}

#[test]
fn no_secret_stands_whole_in_the_catalogue() {
    for text in FAMILIES {
        let found: Vec<&str> = scan(text).iter().map(|f| &text[f.start..f.end]).collect();
        assert_eq!(found, [""; 0]);
    }
}

#[test]
fn every_rule_is_complete() {
    let rules = Catalogue::shared().rules.iter();
    assert_eq!(rules.filter_map(incomplete).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_rule_without_three_samples_of_each_kind_is_incomplete() {
    let rule = |samples: &str| -> Rule {
        let head = "id = 'x'\nabout = 'y'\nkeywords = ['z']\npattern = 'z[a-z]{9}'\n";
        toml::from_str(&format!("{head}samples = [{samples}]")).expect("a rule")
    };
    assert_eq!(incomplete(&rule("'z{l9}'")), None);
    for samples in ["", "'zabcdefghi'", "'zabcdefghi', 'zabcdefghj'"] {
        assert!(incomplete(&rule(samples)).is_some(), "{samples}");
    }
}

/// What a rule lacks: words about it, a pattern that compiles, three different samples,
/// three different stand-ins.
fn incomplete(rule: &Rule) -> Option<String> {
    let positives: HashSet<String> = rule.samples.iter().flat_map(|s| draws(rule, s)).collect();
    let negatives: HashSet<String> = negatives(rule).into_iter().collect();
    let lacks = match () {
        () if rule.about.is_empty() || rule.keywords.is_empty() => "a description",
        () if rule.regex().is_none() => "a valid pattern",
        () if positives.len() < 3 => "three samples",
        () if negatives.difference(&positives).count() < 3 => "three stand-ins",
        () => return None,
    };
    Some(format!("{} lacks {lacks}", rule.id))
}

/// The samples of one template.
fn draws(rule: &Rule, sample: &str) -> Vec<String> {
    let seed = |draw: u64| Part::Random(draw * 7919 + rule.id.len() as u64);
    (1..=DRAWS).map(|draw| render(sample, seed(draw))).collect()
}

/// The stand-ins of a rule: its samples masked, and what it lists itself.
fn negatives(rule: &Rule) -> Vec<String> {
    let masks = ["x", "*", "<TOKEN>", "${VALUE}"];
    let masked = rule.samples.iter().flat_map(|s| masks.map(|mask| render(s, Part::Masked(mask))));
    let given = rule.negatives.iter().map(|sample| render(sample, Part::Random(1)));
    masked.chain(given).collect()
}

#[test]
fn every_rule_finds_three_samples() {
    let mut missed = Vec::new();
    for (rule, sample) in samples() {
        for secret in draws(rule, sample) {
            for text in sentences(rule, &secret) {
                if !finds(rule, &text) {
                    missed.push(format!("{}: {text}", rule.id));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_rule_leaves_stand_ins_alone() {
    let mut found = Vec::new();
    for rule in &Catalogue::shared().rules {
        for secret in negatives(rule) {
            for text in sentences(rule, &secret).into_iter().filter(|text| finds(rule, text)) {
                found.push(format!("{}: {text}", rule.id));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn samples() -> impl Iterator<Item = (&'static Rule, &'static str)> {
    let rules = Catalogue::shared().rules.iter();
    rules.flat_map(|rule| rule.samples.iter().map(move |sample| (rule, sample.as_str())))
}

fn finds(rule: &Rule, text: &str) -> bool {
    scan_plain(text).iter().any(|span| span.rule.id == rule.id)
}

/// Texts that hold `secret` the way this kind of rule expects.
fn sentences(rule: &Rule, secret: &str) -> Vec<String> {
    let name = &rule.keywords[0];
    match rule.kind {
        Kind::Token => vec![format!("we used {secret} yesterday"), format!("Notes:\n{secret}\n")],
        Kind::Near => {
            vec![format!("- **{name}**: {secret}"), format!("the {name} token is {secret}.")]
        }
        Kind::Password => vec![
            format!("the admin password is {secret}."),
            format!("{{\\\"password\\\":\\\"{secret}\\\"}}"),
            format!("DB_PASSWORD={secret}"),
        ],
        Kind::Named => vec![
            format!("(the staging token: {secret})"),
            format!("<token>{secret}</token>"),
            format!("| name | token |\n|---|---|\n| ci | `{secret}` |"),
        ],
        Kind::Bare => vec![format!("apiKey := \"{secret}\""), format!("export API_KEY={secret}")],
    }
}

/// A template with its random parts filled in.
fn render(template: &str, part: Part) -> String {
    let mut seed = match part {
        Part::Random(seed) => seed,
        Part::Masked(_) => 0,
    };
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (spec, after) = after.split_once('}').expect("a part is closed");
        text.push_str(&match part {
            Part::Masked(mask) if mask.len() == 1 => mask.repeat(length(spec)),
            Part::Masked(mask) => mask.to_owned(),
            Part::Random(_) => draw(spec, &mut seed),
        });
        rest = after;
    }
    text.push_str(rest);
    text.replace('·', "")
}

fn length(spec: &str) -> usize {
    spec[1..].parse().unwrap_or(16)
}

fn draw(spec: &str, seed: &mut u64) -> String {
    match spec {
        "luhn" => return card(seed),
        "bedrock" => {
            let tail = draw("b12", seed);
            return ["YmVkcm9jay5hb", "WF6b25hd3MuY29t", &tail].concat();
        }
        // `bot:hunter21` and three more digits, as base64.
        "basic" => {
            let number = draw("d3", seed).bytes().fold(0, |sum, b| sum << 8 | usize::from(b));
            let digit = |at: u32| BASE64[number >> (6 * at) & 63] as char;
            let tail: String = (0..4).rev().map(digit).collect();
            return ["Ym90Om", "h1bnRlcjIx", &tail].concat();
        }
        _ => {}
    }
    let alphabet: Vec<char> = alphabet(&spec[..1]).chars().collect();
    (0..length(spec)).map(|_| alphabet[next(seed) % alphabet.len()]).collect()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn alphabet(name: &str) -> &'static str {
    match name {
        "a" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "b" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "d" => "0123456789",
        "h" => "0123456789abcdef",
        "H" => "0123456789ABCDEF",
        "l" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "L" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "q" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "s" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "w" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
        "x" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "y" => "abcdefghijklmnopqrstuvwxyz234567",
        _ => panic!("no alphabet is called {name}"),
    }
}

/// Sixteen digits that begin like a card's and end in the check digit.
fn card(seed: &mut u64) -> String {
    let body = format!("4{}", draw("d14", seed));
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(digit - b'0')) {
            (0, digit) if digit > 4 => digit * 2 - 9,
            (0, digit) => digit * 2,
            (_, digit) => digit,
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

/// A small generator, so that a failing sample fails again.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 40).expect("24 bits")
}
