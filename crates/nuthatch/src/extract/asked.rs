//! What kind of rule a sentence of a person is, if it is one.
//!
//! Only what says of itself that it lasts: a request to remember, "always", "never", "from now
//! on", "in this repository", "I prefer", a decision. An order without such a mark is for the
//! task at hand. Rules are for whoever works, so the verb must be something an agent does:
//! "always show the total" describes a program.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::alone::{is_unmeant, stands_alone};
use super::pattern::{lower, pattern};
use super::prose::Sentence;
use super::{About, language};

/// A rule in words that can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The rule, as a sentence.
    pub text: String,
    /// Its category.
    pub category: &'static str,
    /// Where it holds.
    pub about: About,
    /// Which rule of this module found it.
    pub how: &'static str,
}

fn rules(text: &str) -> Regex {
    pattern(&format!("(?x){text}"))
}

/// What somebody who works does, as opposed to what a program does.
const DOES: &str = "(?:run|use|using|commit|push|pull|merge|rebase|amend|squash|force-push|write|add|ask|check|test|read|\
    edit|modify|delete|remove|create|format|lint|build|compile|install|respond|reply|answer|explain|\
    mention|include|put|name|import|mock|follow|keep|prefer|avoid|touch|change|verify|update|document|\
    generate|assume|guess|skip|deploy|publish|release|review|refactor|rename|start|make|do|be|give|tell|\
    talk|speak|open|mix|hardcode|hard-code|disable|ignore|upgrade|bump|pin|branch|tag|comment|cite|sign|\
    leave|confirm|propose|suggest|plan|search|look|consult|think|work|stick|try|cover|validate|rely|\
    introduce|bypass|work|fix|copy|paste|translate|summarize|summarise|apologize|apologise|end|begin|\
    rewrite|implement|design|log\\s+in|check\\s+in|git|npm|pnpm|cargo)";
/// How people say no.
const NOT: &str = r"(?:don'?t|do\s+not|never(?:\s+ever)?|no\s+longer)";

static FILLER: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: (?: ok(?:ay)? | alright | so | and | but | also | btw | by \s the \s way | hey | hi | hello | hm+
            | well | yes | yeah | yep | no | nope | oh | ah | right | cool | great | perfect | thanks | thank \s you
            | nice | please | pls | just | fyi | nb | note | again | first | then | finally | one \s more \s thing
            | important | actually | anyway | in \s general | as \s a \s (?: general \s )? rule | generally ) [,:!.…–—-]* \s+ )+",
    )
});
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"(?: ,? \s+ (?: ok(?:ay)? | please | pls | thanks | thank \s you | thx | alright | got \s it ) )+ $",
    )
});
static REMEMBER: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: (?: can | could | will ) \s you \s (?: please \s )? | i \s (?: want | need ) \s you \s to \s
            | you \s (?: should | must | need \s to ) \s | always \s )?
          (?: remember | keep \s in \s mind | bear \s in \s mind | take \s note | make \s a \s note | memori[sz]e
            | for \s future \s reference | note \s for \s (?: the \s )? future | (?: save | add | store ) \s (?: this \s )?
            (?: to | in ) \s (?: your \s )? memory | (?: do \s not | don'?t | never ) \s forget )
          (?P<link> \s* [:,–—-] \s* (?: that \s )? | \s+ that \s+ | \s+ to \s+ | \s+ (?P<bare> (?: we | i | our | my ) \s ) )
          (?P<what> .+ ) $",
    )
});
static LASTING: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"(?: ^ (?: from \s (?: now | here ) \s on (?: wards? | \s out )? | going \s forward | moving \s forward | henceforth | next \s time ) ,? \s+
            (?P<what> .+ ) $ )
          | (?: ^ (?P<before> .+? ) ,? \s+ (?: from \s (?: now | here ) \s on (?: wards? | \s out )? | going \s forward | moving \s forward
            | henceforth ) $ )",
    )
});
/// The future alone is where plans live: only an order makes it a rule.
static FUTURE: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"(?: ^ (?: in \s (?: the \s )? future | for \s (?: all \s )? future \s \w+ | in \s (?: all \s )? future \s sessions? ) ,? \s+ (?P<what> .+ ) $ )
          | (?: ^ (?P<before> (?: please | always | never | don't | do \s not | avoid | stop ) \s .+? ) ,? \s+ in \s (?: the \s | all \s )? future (?: \s sessions )? $ )",
    )
});
/// A note for the files that agents read.
static NOTED: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: (?: can | could ) \s you \s )? (?: please \s )? (?: add | put | write | save | note | document | mention | record | update )
            \b [^.]{0,60}? \b (?: claude | agents | gemini ) (?: \.md )? (?: \s file )?
            (?: \s+ (?: to \s say | saying | noting ) )? (?: \s+ that \s | \s* : \s* | \s+ (?P<keep> to \s (?: always | never ) \s ) ) (?P<what> .+ ) $",
    )
});
static IMPERATIVE: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ (?: please \s )? (?: (?: you \s (?: must | should | need \s to | have \s to | can | may ) | i \s want \s you \s to
            | make \s sure (?: \s that )? (?: \s you )? (?: \s to )? | be \s sure \s to | we \s (?: will | must | need \s to )
            | let'?s ) \s+ )? (?: (?: always | only | {NOT} | avoid | stop | no ) \s+ )? (?: {DOES} | \w+ing ) \b"
    ))
});
static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ (?: (?: can | could | will | would ) \s you \s (?: please \s )? )?
            (?: (?: you | we ) \s (?: must | should | need \s to | have \s to | can | may ) \s+ | i \s want \s you \s to \s+
            | make \s sure (?: \s that )? (?: \s you )? (?: \s to )? \s+ | be \s sure \s to \s+ | but \s+ )?
            (?P<rule> (?: always | never (?: \s+ ever )? | (?: don'?t | do \s+ not ) \s+ ever ) \s+ (?: {DOES} ) \b .* ) $"
    ))
});
static WHENEVER: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ (?: (?: when(?:ever) | every \s time | each \s time | any \s ?time ) \s (?: you | we | i ) \s .+? , \s
            | (?: before | after ) \s (?: every | each | any ) \s [^,]+? , \s ) (?: please \s | always \s | make \s sure \s (?: you | to ) \s | {NOT} \s )? {DOES} \b .* $
          | ^ (?: please \s | always \s | make \s sure \s (?: you | to ) \s )? {DOES} \b .* \b (?: whenever | every \s time | each \s time ) \s
            (?: you | we | i ) \s .* $
          | ^ (?: please \s | always \s )? (?: run | format | lint | test | check | update ) \b .* \b (?: before | after ) \s (?: every | each | any ) \s .* $"
    ))
});
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ (?: in | for | on | across | throughout ) \s (?: this | our | the ) \s (?: \w+ \s )? (?: project | repo | repository | codebase
            | code \s base | team | company | monorepo | workspace ) ,? \s (?: we \s | please \s | you \s (?: must | should ) \s | always \s | {NOT} \s | only \s )+
            (?: {DOES} | have | require | support | target ) \b .* $
          | ^ we \s (?: always | never | only | usually | normally | typically | generally ) \s (?: {DOES} | have | require | target | support ) \b .* $
          | ^ we \s (?: {NOT} \s )? (?: use | prefer | follow | write | keep | name | avoid | target | require | support ) \b .*
            \b (?: in | for | on | across | throughout ) \s (?: this | our | the ) \s (?: \w+ \s )? (?: project | repo | repository | codebase | team | monorepo | workspace ) \b .* $
          | ^ (?: our | the \s project'?s | the \s team'?s ) \s (?: \w+ \s )? (?: convention | style | rule | policy | standard | guideline
            | code \s style | naming \s convention | workflow | process | branching \s model ) s? \s .* (?: is | are | says | requires ) \b .* $
          | ^ (?: the | our ) \s (?: convention | rule | policy ) \s (?: here \s | in \s this \s \w+ \s )? is \s .* $
          | ^ (?: all | every | our ) \s (?: new \s )? (?: commits? | commit \s messages? | prs? | pull \s requests? | tests? | branch(?:es)?
            | branch \s names | docs | comments | migrations? | docstrings | code | file \s names | public \s functions? | responses | answers )
            \s (?: must | should | need \s to | needs \s to | has \s to | have \s to | are \s to ) \s .* $"
    ))
});
/// What holds for a whole class of things, said without pointing at one.
static INVARIANT: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: all | every | each | no | any )? \s* (?: [\w-]+ \s ){1,8}? must \s (?: always | never | not ) \s \w+ .* $
          | ^ (?: all | every | each | no ) \s (?: [\w'-]+ \s ){1,10}? must \s .* $",
    )
});
static INVARIANT_LOCAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:the|this|that|these|those|it|they|you|we|i|he|she|your|my|its|if|when|so|but|and|there)\b|\b(?:the|this|that) \S+ must\b",
    )
});
static PREFERS: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ i \s (?: (?: really | strongly | much | generally | usually | always | personally | also | definitely ) \s )*
            (?: prefer \s | (?: hate | dislike | can'?t \s stand | don'?t \s like | do \s not \s like ) \s (?: it \s when \s | when \s | \w+ing \s | to \s )
              | like \s (?: to \s | it \s when \s | when \s | my \s ) ) .+ $
          | ^ i (?: 'd | \s would ) \s (?: rather | prefer ) \s .+ \b (?: in \s general | generally | always | by \s default | usually | whenever ) \b .* $
          | ^ i \s (?: always | usually | generally | never | normally | typically ) \s (?: use | run | write | work | commit | test | deploy | prefer
            | squash | rebase | format | sign | review ) \b .+ $
          | ^ my \s (?: preference | preferred \s \w+ | preferred \s \w+ \s \w+ ) \s is \s .+ $",
    )
});
static PREFERS_LOCAL: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"\b (?: prefer | rather ) \s+ (?: it | this | that | the | option | your | a \b | b \b | to \s (?: have | see | keep | go ) \s (?: it | this | that | the )
            | if \s | not \s to \s (?: have | do ) \s (?: it | this | that ) )",
    )
});
/// What somebody always does when something breaks is a report.
static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:errors?|fail\w*|crash\w*|broken|breaks|bug|exception|hangs?|stuck|doesn't work|does not work|not working)\b",
    )
});
static PERSON: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: i'?m | i \s am ) \s (?: an? \s (?: [\w-]+ \s ){0,3} (?: developer | engineer | designer | student | scientist | analyst
              | researcher | manager | founder | cto | architect | sysadmin | programmer | consultant | writer | teacher | beginner | freelancer )
              \b .* | (?: new \s to | not \s familiar \s with | (?: very \s )? experienced \s (?: with | in ) | a \s beginner \s (?: in | at | with )
              | colou?r[\s-]?blind | dyslexic | based \s in | located \s in ) \b .* )  $
          | ^ i \s (?: work \s (?: as | at | for | in ) | live \s in | speak ) \s .+ $
          | ^ my \s (?: name | native \s language | mother \s tongue | time \s? zone | pronouns | role | job \s title | editor | shell
            | os | operating \s system | github \s (?: user(?:name)? | handle ) | email \s address ) \s (?: is | are ) \s .+ $
          | ^ (?: please \s )? call \s me \s [a-z]\w+ $
          | ^ i (?: 'm | \s am ) \s on \s (?: an? \s )? (?: mac(?:os|book)? | windows | linux | ubuntu | debian | fedora | arch | nixos | wsl | m[1-5] \b ) .* $
          | ^ i \s use \s (?: neo)? (?: vim | emacs | vs \s? code | zed | helix | fish | zsh | tmux | nixos | arch | wezterm | ghostty | kitty ) \b .* $",
    )
});
static CONDUCT: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ (?: you \s (?: must | should | can ) \s )? {NOT} \s (?: \w+ \s ){{0,3}}? (?: commit | push | force[\s-]push | merge | amend | rebase | deploy | publish
            | release | install | delete | remove | create | open | run | change | modify | edit | touch | add | refactor
            | rename | upgrade | start | send | tag ) \b .*
            \b (?: without \s (?: asking | my | explicit | permission | approval | telling | checking | first \s asking )
              | unless \s (?: i \b | explicitly | asked | told | you \s (?: ask | are \s asked ) ) ) .* $
          | ^ (?: always \s )? (?: ask | check \s with ) \s me \s (?: first \s )? before \s (?: you \s )? \w+ .* $
          | ^ only \s (?: commit | push | deploy | publish | merge | release ) \s .* \b (?: when | if | after ) \s i \s (?: ask | say | tell | approve | confirm ) \b .* $
          | ^ (?: please \s )? stop \s (?: adding | using | writing | committing | mocking | creating | generating | putting | apologi[sz]ing | inventing ) \s
            (?: (?: new | so \s many | all | unnecessary | unneeded | obvious | useless | long | extra | any ) \s+ )* [\w-]+s \b .* $"
    ))
});
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    rules(&format!(
        r"^ i (?: 've | \s have )? \s (?: already \s )? (?: told | asked ) \s you \s (?: (?: already | before | repeatedly | twice | many \s times | \w+ \s times ) \s )?
            (?: (?P<not> not \s to ) | to \s always ) \s (?P<rule> {DOES} \b .+ ) $"
    ))
});
static DECIDED: LazyLock<Regex> = LazyLock::new(|| {
    rules(
        r"^ (?: we | i ) (?: 've | \s have )? \s (?: finally \s )? (?: decided | agreed | settled | opted | chose ) \s (?: to | on | that | for | against | not \s to ) \s .+ $
          | ^ decision \s* : \s .+ $
          | ^ (?: let'?s | we (?: 'll | \s will ) | we (?: 're | \s are ) ) \s (?: go(?:ing)? \s with | stick(?:ing)? \s (?: with | to ) | standardi[sz](?:e|ing) \s on
            | adopt(?:ing)? | switch(?:ing)? \s to | settl(?:e|ing) \s on | migrat(?:e|ing) \s to ) \s .+ $
          | ^ (?: let'?s | we (?: 'll | \s will ) ) \s use \s .+ \b (?: instead \s of | rather \s than | because | everywhere | as \s our ) \b .+ $",
    )
});
/// A choice between things that only the conversation names.
static DECIDED_LOCAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:with|to|on|adopt|adopting|use)\s+(?:the|a|an|your|my|that|this|it|these|those|option|plan|both)\b",
    )
});
/// A name: in code quotes, with a capital inside the sentence, or written like a program.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"`[^`]+`|\s[A-Z][A-Za-z0-9+#.]+|\b\w+[-_./]\w+|\b[a-z]+[A-Z0-9]\w*|\b(?:npm|pnpm|yarn|bun|uv|pip|poetry|cargo|make|just|vim|git|docker|tabs|spaces|rust|go|python|sqlite|postgres|redis)\b",
    )
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern("\"[^\"]*\"|“[^”]*”"));

/// What a person asks for in a sentence, if it lasts.
pub fn asked(sentence: &Sentence) -> Option<Asked> {
    if let Some(what) = language::remember(&sentence.text).filter(|_| !sentence.asks) {
        return Some(rule(what, "core", About::Project, "remember"));
    }
    if is_unmeant(&sentence.text) {
        return None;
    }
    let text = unfilled(&sentence.text);
    if sentence.asks {
        return politely(text).and_then(checked);
    }
    let find = |text: &str| {
        let kept = remembered(text).or_else(|| noted(text)).or_else(|| lasting(text));
        kept.or_else(|| plain(text)).and_then(checked)
    };
    // What is quoted is somebody else's: the mark must stand outside of it.
    let bare = QUOTED.replace_all(text, "words");
    if bare != text {
        find(&bare)?;
    }
    find(text)
}

/// The text without the words that only begin and end it.
fn unfilled(text: &str) -> &str {
    let folded = lower(text);
    let from = FILLER.find(&folded).map_or(0, |found| found.end());
    let to = TRAILER.find(&folded).map_or(text.len(), |found| found.start());
    text.get(from..to).unwrap_or_default().trim()
}

fn checked(asked: Asked) -> Option<Asked> {
    let own = asked.text.strip_prefix(SAYS).unwrap_or(&asked.text);
    stands_alone(own.trim_end_matches('.')).then_some(asked)
}

/// "Can you always …?" is an order; any other question is none.
fn politely(text: &str) -> Option<Asked> {
    let folded = lower(text);
    let asks = ["can you ", "could you ", "will you ", "would you "];
    asks.iter().find(|start| folded.starts_with(*start))?;
    let found = ALWAYS.captures(&folded)?;
    Some(ruled(group(&found, "rule", text)?, "always"))
}

fn remembered(text: &str) -> Option<Asked> {
    let folded = lower(text);
    let found = REMEMBER.captures(&folded)?;
    let said = match found.name("bare") {
        Some(bare) => text[bare.start()..].trim(),
        None => group(&found, "what", text)?.trim(),
    };
    let known = || plain(said).or_else(|| lasting(said));
    // "Remember to add a test" is for now; with a mark of its own it lasts.
    if found.name("link").is_some_and(|link| link.as_str().trim() == "to") {
        return known();
    }
    let recalls = ["when ", "how ", "what ", "why ", "where ", "last "];
    if recalls.iter().any(|word| lower(said).starts_with(word)) {
        return None;
    }
    Some(known().unwrap_or_else(|| rule(said, "core", About::Project, "remember")))
}

fn noted(text: &str) -> Option<Asked> {
    let folded = lower(text);
    let found = NOTED.captures(&folded)?;
    let what = match found.name("keep") {
        Some(keep) => text[keep.start() + "to ".len()..].trim(),
        None => group(&found, "what", text)?.trim(),
    };
    Some(plain(what).unwrap_or_else(|| ruled(what, "noted")))
}

fn lasting(text: &str) -> Option<Asked> {
    let folded = lower(text);
    let future = FUTURE.captures(&folded);
    let found = LASTING.captures(&folded).or(future)?;
    let what = group(&found, "what", text).or_else(|| group(&found, "before", text))?;
    let what = unfilled(what);
    if let Some(known) = plain(what) {
        return Some(known);
    }
    let plans = FUTURE.is_match(&folded) && lower(what).starts_with("we ");
    let of_a_program = ["make sure the ", "make sure your ", "make sure it ", "make sure that "];
    if plans || of_a_program.iter().any(|start| lower(what).starts_with(start)) {
        return None;
    }
    let uses = lower(what).starts_with("we use ");
    (uses || IMPERATIVE.is_match(&lower(what))).then(|| ruled(what, "lasting"))
}

/// Sentences that say of themselves that they last.
fn plain(text: &str) -> Option<Asked> {
    let folded = lower(text);
    if let Some(found) = ALWAYS.captures(&folded) {
        return Some(ruled(group(&found, "rule", text)?, "always"));
    }
    if let Some(found) = TOLD.captures(&folded) {
        let what = group(&found, "rule", text)?;
        let refused = found.name("not").map(|_| format!("do not {what}"));
        return Some(ruled(refused.as_deref().unwrap_or(what), "told"));
    }
    if CONDUCT.is_match(&folded) {
        return Some(rule(text, "restriction", About::Project, "conduct"));
    }
    if WHENEVER.is_match(&folded) {
        return Some(rule(text, "workflow", About::Project, "whenever"));
    }
    if PLACE.is_match(&folded) {
        return Some(rule(text, "convention", About::Project, "place"));
    }
    if INVARIANT.is_match(&folded) && !INVARIANT_LOCAL.is_match(&folded) {
        return Some(rule(text, "convention", About::Project, "invariant"));
    }
    if PREFERS.is_match(&folded) && !PREFERS_LOCAL.is_match(&folded) && !TROUBLE.is_match(&folded) {
        return Some(says(text, "preference", "prefers"));
    }
    if PERSON.is_match(&folded) {
        return Some(says(text, "personal_fact", "person"));
    }
    let decides =
        DECIDED.is_match(&folded) && !DECIDED_LOCAL.is_match(&folded) && NAMES.is_match(text);
    decides.then(|| rule(text, "core", About::Project, "decided"))
}

/// What a group caught, in the words of the original.
fn group<'t>(found: &Captures<'_>, name: &str, text: &'t str) -> Option<&'t str> {
    text.get(found.name(name)?.range())
}

/// An order, as restriction where it forbids.
fn ruled(text: &str, how: &'static str) -> Asked {
    let folded = lower(text);
    let forbids = ["never", "don't", "dont", "do not", "avoid", "stop", "no "]
        .iter()
        .any(|word| folded.starts_with(word));
    rule(text, if forbids { "restriction" } else { "convention" }, About::Project, how)
}

fn rule(text: &str, category: &'static str, about: About, how: &'static str) -> Asked {
    Asked { text: sentence(text), category, about, how }
}

/// Before what somebody says of themselves: a reader must not take it for the agent's.
const SAYS: &str = "The user says: ";

fn says(text: &str, category: &'static str, how: &'static str) -> Asked {
    let text = format!("{SAYS}{}", sentence(text));
    Asked { text, category, about: About::Person, how }
}

/// With a capital at the beginning and a full stop at the end.
fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ':', '-', '–', ' ']);
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str())
}

#[cfg(test)]
mod tests;
