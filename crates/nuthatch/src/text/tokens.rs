//! How many tokens a text costs, about.
//!
//! An estimate that needs no vocabulary: four characters of an alphabetic script make a
//! token, a character of an unspaced script makes one. It errs on the high side for prose,
//! which is the safe side for a budget.

use super::glyphs::is_unspaced;

/// Characters of an alphabetic script that make one token, on average over English prose.
const CHARS_PER_TOKEN: usize = 4;

/// About how many tokens `text` costs.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
    let spaced = text.chars().count() - unspaced;
    unspaced + spaced.div_ceil(CHARS_PER_TOKEN)
}

/// Counts tokens: by the estimate, or as exactly as somebody needs it.
pub trait TokenCounter: Send + Sync {
    /// How many tokens a text costs.
    fn count(&self, text: &str) -> usize;
}

/// Counts by [`estimate_tokens`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

impl TokenCounter for Estimate {
    fn count(&self, text: &str) -> usize {
        estimate_tokens(text)
    }
}

/// Counts as the models of OpenAI since 2024 do (`o200k_base`); for others it is near.
#[cfg(feature = "exact-tokens")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactTokens;

#[cfg(feature = "exact-tokens")]
impl TokenCounter for ExactTokens {
    fn count(&self, text: &str) -> usize {
        bpe_openai::o200k_base().count(text)
    }
}

#[cfg(all(test, feature = "exact-tokens"))]
mod tests {
    use super::*;

    #[test]
    fn exact_counts_are_those_of_the_vocabulary() {
        // Known of `o200k_base`: whole words, and a word that is several tokens.
        for (text, tokens) in [("", 0), ("hello", 1), ("hello world", 2), ("tiktoken", 3)] {
            assert_eq!(ExactTokens.count(text), tokens, "{text:?}");
        }
        let prose = "The tests run before every release, and nobody skips them. ".repeat(50);
        let (exact, estimate) = (ExactTokens.count(&prose), Estimate.count(&prose));
        assert!(exact <= estimate, "the estimate errs on the high side: {exact}, {estimate}");
    }
}
