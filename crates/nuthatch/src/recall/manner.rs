//! How a query speaks: to whom, and whether it asks or goes on with a conversation.
//!
//! Only its form counts, never its subject; what follows from it is decided in `fuse`.

/// Whether a query speaks to the model ("what did you recommend?"), so that what a model
/// said is what is asked for.
pub fn is_to_model(query: &str) -> bool {
    let mut words = query.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ["you", "your", "yours"].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Whether a query is a message of several sentences that goes on with something, rather
/// than a question about it: then what was said lately is likelier meant.
pub fn goes_on(query: &str) -> bool {
    let mut chars = query.chars().peekable();
    let (mut sentences, mut letters) = (0, 0);
    while let Some(c) = chars.next() {
        letters += u32::from(c.is_alphanumeric());
        let before_blank = chars.peek().is_none_or(|next| next.is_whitespace());
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => before_blank,
            _ => chars.peek().is_none(),
        };
        if ends {
            sentences += u32::from(letters > 1);
            letters = 0;
        }
    }
    sentences > 1
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
