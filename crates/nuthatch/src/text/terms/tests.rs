//! What text becomes which terms.

use proptest::prelude::*;

use super::*;

fn terms(text: &str) -> Vec<String> {
    analyse(text).into_iter().map(|t| t.term).collect()
}

#[test]
fn words_are_folded_and_stemmed() {
    assert_eq!(terms("Running CAFÉS naïvely"), ["run", "cafe", "naiv"]);
    assert_eq!(terms("ﬁle ＡＢＣ１２"), ["file", "abc12"]);
}

#[test]
fn an_identifier_gives_itself_and_its_parts() {
    assert_eq!(terms("parseHttpRequest"), ["parsehttprequest", "pars", "http", "request"]);
    assert_eq!(terms("max_retry_count"), ["max_retry_count", "max", "retri", "count"]);
    assert_eq!(terms("src/main.rs"), ["src", "main", "rs"]);
}

#[test]
fn unspaced_scripts_give_characters_and_pairs() {
    assert_eq!(terms("東京都"), ["東", "東京", "京", "京都", "都"]);
    assert_eq!(query_terms("京都"), ["京都"]);
    assert_eq!(query_terms("都"), ["都"]);
    assert_eq!(terms("東京tower"), ["東", "東京", "京", "tower"]);
    assert_eq!(query_terms("서울에서"), ["서울", "울에", "에서"]);
}

#[test]
fn queries_lose_words_that_say_nothing_unless_nothing_is_left() {
    assert_eq!(query_terms("what is the database of the project"), ["databas", "project"]);
    assert_eq!(query_terms("to be or not to be"), ["to", "be", "or", "not"]);
    assert!(query_terms("?! -- \"*\"").is_empty());
}

#[test]
fn no_term_holds_anything_but_letters_digits_and_underscores() {
    let hostile = "a\"b' OR 1=1 -- NEAR(x,y) col:z ^w* {a} (b) \u{0}\u{7f} é\u{301}\u{200d}x";
    for term in terms(hostile) {
        assert!(term.chars().all(is_word), "{term:?}");
    }
}

#[test]
fn a_single_character_beside_longer_runs_is_kept() {
    assert_eq!(query_terms("猫 東京"), ["猫", "東京"]);
    assert_eq!(query_terms("東京 京"), ["東京", "京"]);
}

#[test]
fn composed_decomposed_and_half_width_letters_are_the_same() {
    for (given, meant) in [
        ("\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}", "서울"),
        ("か\u{3099}っこう", "がっこう"),
        ("ｶﾞｯｺｳ ﾊﾟﾝ", "ガッコウ パン"),
        ("cafe\u{301}", "café"),
        ("葛\u{E0100}飾", "葛飾"),
    ] {
        assert_eq!(terms(given), terms(meant), "{given:?}");
    }
    let text = "x か\u{3099}y";
    let found = analyse(text).into_iter().find(|t| t.term == "が").unwrap();
    assert_eq!(&text[found.start..found.end], "か\u{3099}");
}

#[test]
fn capitals_in_a_row_are_a_word_of_their_own() {
    assert_eq!(terms("HTTPServer"), ["httpserver", "http", "server"]);
    assert_eq!(terms("parseHTTP2Request"), ["parsehttp2request", "pars", "http2", "request"]);
    assert_eq!(terms("URLs APIs HTTP2"), ["url", "api", "http2"]);
    assert_eq!(terms("utf8Decode"), ["utf8decode", "utf8", "decod"]);
}

#[test]
fn emoji_are_words() {
    assert_eq!(terms("🎉🚀 done"), ["🎉", "🚀", "done"]);
    assert_eq!(query_terms("👍🏽"), query_terms("👍"));
    assert_eq!(terms("❤\u{FE0F}"), ["❤"]);
    assert_eq!(query_terms("🇩🇪"), ["🇩🇪"]);
    assert!(terms("🇫🇷🇩🇪").contains(&"🇩🇪".to_owned()));
    assert_eq!(terms("a → b"), ["a", "b"]);
}

#[test]
fn versions_addresses_and_hosts_have_a_term_of_their_own() {
    assert_eq!(terms("1.2.3"), ["1_2_3", "1", "2", "3"]);
    assert_eq!(terms("(v1.2.3-rc1)."), ["v1_2_3_rc1", "v1", "2", "3", "rc1"]);
    assert_eq!(
        terms("<Ann@mail.example.com>"),
        ["ann_mail_example_com", "mail_example_com", "ann", "mail", "exampl", "com"]
    );
    assert_eq!(terms("example.com"), ["example_com", "exampl", "com"]);
    assert_eq!(terms("well-known. Next"), ["well", "known", "next"]);
    assert_eq!(terms("東京ann@x.comです")[3], "ann_x_com");
}

#[test]
fn languages_with_signs_are_told_apart() {
    assert_eq!(terms("C C++ C#"), ["c", "c_plus_plus", "c", "c_sharp", "c"]);
    assert_eq!(terms("C++17"), ["c_plus_plus", "c", "17"]);
    assert_eq!(terms("a+b x++y page#part"), ["a", "b", "x", "y", "page", "part"]);
}

#[test]
fn letters_with_two_shapes_are_one() {
    assert_eq!(terms("ΟΔΟΣ"), terms("οδός"));
    assert_eq!(terms("Straße"), terms("STRASSE"));
    assert_eq!(terms("STRAẞE"), terms("strasse"));
}

#[test]
fn a_query_has_an_end() {
    let page: String = (0..100_000).map(|n| format!("word{n} the ")).collect();
    assert_eq!(query_terms(&page).len(), QUERY_TERMS);
    assert_eq!(query_terms(&"the of and ".repeat(100_000)), ["the", "of", "and"]);
}

/// Letters of many scripts, signs, marks, emoji, and whatever else there is.
fn any_text() -> impl Strategy<Value = String> {
    let odd = "[a-zA-Z0-9_.@+# \\-ßςΣéがか\u{3099}ｶﾞ한\u{1112}\u{1161}猫東京ก\u{E33}🎉🇩🇪👍\u{1F3FD}\u{200D}\u{FE0F}\u{301}ﬁ㎪\u{A8}\u{A0}]{0,40}";
    prop_oneof![odd, ".{0,60}"]
}

proptest! {
    #[test]
    fn every_term_stands_somewhere_in_the_text(text in any_text()) {
        for term in analyse(&text) {
            prop_assert!(term.start < term.end && term.end <= text.len());
            prop_assert!(text.is_char_boundary(term.start) && text.is_char_boundary(term.end));
            prop_assert!(!term.term.is_empty() && !term.term.contains(char::is_whitespace));
        }
    }

    #[test]
    fn every_word_of_a_text_finds_it(text in any_text()) {
        let terms = analyse(&text);
        let held: HashSet<&str> = terms.iter().map(|t| t.term.as_str()).collect();
        let places = terms.iter().map(|t| &text[t.start..t.end]);
        for word in text.split_whitespace().chain(places) {
            let asked = query_terms(word);
            let found = asked.is_empty() || asked.iter().any(|term| held.contains(term.as_str()));
            prop_assert!(found, "{word:?} gives {asked:?}, the text {held:?}");
        }
    }
}
