//! Whether a sentence can be understood alone, months later, and holds beyond its task.
//!
//! What points at something outside itself cannot: "this file", "it" without a name before,
//! "option 2". What is meant for the moment, supposed, doubted or not meant at all must not be
//! kept. When in doubt a sentence is dropped: it is found again by searching the session.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{lower, pattern};

/// Words of a sentence that is kept: shorter ones say too little, longer ones too much.
const WORDS: std::ops::RangeInclusive<usize> = 3..=45;
/// Words that may stand before "it" so that it can have a name.
const NAMED_BEFORE: usize = 4;

/// Things of the task at hand.
const LOCAL: &str = "file|files|function|method|class|component|button|line|lines|variable|section|page|\
    commit|task|issue|bug|error|plan|change|changes|fix|script|output|result|results|case|step|\
    example|message|field|column|row|value|param|parameter|argument|prompt|pr|branch|ticket|diff|\
    patch|approach|idea|way|thing|one|part|bit|stuff|command|query|request|response|table|screen|\
    dialog|menu|box|text|word|name|color|colour|test|endpoint|route|block|loop|session|chat|\
    conversation|thread|feature|version|model|list|flag|option|setting|document|doc";

static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) \b (?: now | immediately | asap | right \s away | for \s the \s moment | at \s the \s moment | temporar(?:y|ily)
            | for \s the \s time \s being | yet | this \s time | just \s this \s once | once \s more | today | tomorrow
            | tonight | yesterday | currently | still | already \s (?: done | have | did )
            | above | below | following | attached | screenshot | aforementioned | previous(?:ly)? | earlier
            | last \s (?: time | message | change | commit ) | (?: line | step | option | issue | point | item
            | part | phase | pr | task | number | section | bullet | finding | suggestion ) \s \#? (?: \d+ | [a-d] \b )
            | \# \d+ | the \s (?: first | second | third | former | latter | other | same | new | old | current
            | existing | last | next | rest | actual | original | above ) ) \b",
    )
});
static SUPPOSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) \b (?: what \s if | suppos(?:e|ing) | imagine | hypothetical\w* | maybe | perhaps | might | probably
            | possibly | not \s sure | i \s (?: think | guess | wonder | believe | assume | feel | suspect | bet
            | thought | hope ) | seems? | looks? \s like | wonder\w* | would | could \s be | if \s (?: we | i ) \s
            (?: always | never | had | were | decided ) | should \s (?: we | i ) | do \s (?: we | you | i )
            | did \s (?: we | you | i ) | does | unless \s i'?m \s wrong | in \s theory | ideally | wish
            | says? \s that | said | apparently | according \s to | it \s turns \s out | used \s to ) \b",
    )
});
static UNMEANT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?: ^ | \s ) /s $ | 🙄 | 😏 | 😂 | 🤣 | \b (?: lol | lmao | haha\w* | yeah,? \s right | as \s if
            | oh \s (?: sure | great | wow ) | nice \s (?: job | work ) | great \s (?: job | work )
            | thanks \s (?: a \s lot \s )? for | of \s course \s you | just \s kidding | jk | kidding | joking
            | sarcas\w+ | wtf | omfg ) \b",
    )
});
static POINTING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?x) \b (?: this | that | these | those ) \s+ (?: \w+ \s+ )? (?: {LOCAL} ) \b
            | (?: ^ | [,;:(] \s* ) (?: this | that | these | those ) \s+ (?: is | are | was | were | should | must | will
                | can | means? | needs? | has | have | way ) \b
            | \b (?: this | that | these | those | them | they | here | there | him | her | both | neither ) \s* (?: $ | [,.;:)] )
            | \b (?: do | doing | does | use | using | like | of | for | with | about | to | by | from | as | on | in | at
                | than | and | or | prefer | want | need | keep | change | fix | make | call | see | into )
                \s+ (?: this | that | these | those | them ) \s+ (?: and | or | in | on | for | with | when | if | as | to
                | instead | too | also | again | because | before | after | rather | at | from | by | with | everywhere ) \b
            | ^ (?: it | they | he | she | them ) (?: 's | 'll | 're )? \b
            | \b (?: the | your | its | their ) \s+ (?: \w+ \s+ ){{0,2}} (?: {LOCAL} ) \s* (?: $ | [,.;:)] | \b
                (?: and | or | in | on | for | with | when | if | is | are | was | should | must | to | so | because
                | but | at | from | by | instead | too | also | again | before | after | itself | as | that | which ) \b )"
    ))
});
/// Names that follow make "the file" a file that can be found.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"`[^`]+`|\b[\w-]+/[\w./-]+|\b[\w-]+\.(?:[a-z]{1,5})\b|\b[A-Z]{2,}\b|\b\w+_\w+\b")
});
static IT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:it|its|they|them|their)\b"));
/// What every session of a project knows: pointing at it points at nothing unknown.
static OURS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) \b (?: this | the | our | that ) \s+ (?: \w+ \s+ )? (?: project | repo | repository | codebase
            | code \s base | machine | computer | laptop | team | company | monorepo | workspace | app
            | application | library | crate | package | product ) (?: 's )? \b
            | \b (?: the | your | our ) \s+ (?: commit \s+ messages? | pr \s+ (?: title | description ) | branch \s+ names?
            | test \s+ suite | (?: main | master | default ) \s+ branch | build \s+ script | release \s+ notes ) \b",
    )
});

/// Whether a sentence may be kept as it stands.
pub fn stands_alone(sentence: &str) -> bool {
    let folded = lower(sentence);
    let plain = OURS.replace_all(&folded, "project");
    let words = plain.split_whitespace().count();
    WORDS.contains(&words)
        && !MOMENT.is_match(&plain)
        && !SUPPOSED.is_match(&plain)
        && !points_outside(&plain, NAMED.is_match(sentence))
        && is_mostly_words(sentence)
}

/// Whether a sentence is a joke, a complaint or thanks: it says what it does not mean.
pub fn is_unmeant(sentence: &str) -> bool {
    UNMEANT.is_match(&lower(sentence))
}

/// A name in the sentence says which one is meant.
fn points_outside(sentence: &str, named: bool) -> bool {
    let points = POINTING.find_iter(sentence).any(|found| {
        let definite = found.as_str().starts_with("the ");
        !(definite && named)
    });
    let unnamed = IT
        .find(sentence)
        .is_some_and(|found| sentence[..found.start()].split_whitespace().count() < NAMED_BEFORE);
    points || unnamed
}

/// Prose, not a line of symbols.
fn is_mostly_words(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    let all = sentence.chars().count();
    letters * 10 >= all * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_name_what_they_are_about_stand_alone() {
        for text in [
            "always run the tests before committing",
            "never push to main",
            "in this repo we use pnpm, not npm",
            "I prefer tabs over spaces",
            "never edit the file `src/schema.rs` by hand",
            "use uv for Python because it is faster",
            "don't commit unless I ask",
        ] {
            assert!(stands_alone(text), "{text}");
        }
    }

    #[test]
    fn what_points_elsewhere_or_holds_for_now_does_not() {
        for text in [
            "don't change this function yet",
            "never use that in the handler",
            "always keep it short",
            "don't ever update the component file and then run the formatter",
            "let's go with option 2",
            "don't push for now",
            "maybe we should always use Redis",
            "I think we never call the API twice",
            "always do this",
            "use the second one instead",
        ] {
            assert!(!stands_alone(text), "{text}");
        }
    }
}
