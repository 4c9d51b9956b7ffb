//! How a query speaks: to whom, and whether it asks or goes on with a conversation.

/// Whether a query speaks to the model ("what did you recommend?"), so that what a model
/// said is what is asked for.
pub fn is_to_model(query: &str) -> bool {
    let mut words = query.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ["you", "your", "yours"].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether a query is a message of several sentences that goes on with something, rather
/// than a question about it: then what was said lately is likelier meant.
pub fn goes_on(query: &str) -> bool {
    let sentences = query.split(['.', '!', '?', '\n', '。', '！', '？']);
    let says_something =
        |part: &&str| part.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some();
    sentences.filter(says_something).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_said_is_asked_of_the_model() {
        assert!(is_to_model("What did you recommend?") && is_to_model("YOUR plan"));
        assert!(!is_to_model("What did Ann do in her youth?"));
    }

    #[test]
    fn a_message_of_several_sentences_goes_on() {
        assert!(goes_on("I did the review you suggested. What is next?"));
        assert!(goes_on("Alright!\nLet us begin"));
        assert!(goes_on("やりました。次は何ですか？"));
        assert!(!goes_on("When did Ann go to Rome?") && !goes_on("version 1.2 of k8s?"));
        assert!(!goes_on("") && !goes_on("..."));
    }
}
