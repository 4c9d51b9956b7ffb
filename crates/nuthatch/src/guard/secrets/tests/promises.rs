//! What holds for every text: spans, disguises, punctuation, and what stays free.

use proptest::prelude::*;

use crate::guard::Category;
use crate::guard::secrets::scan;

/// A token of a well-known kind, put together here.
fn token() -> String {
    ["gh", "p_", "x7Kq2mZ9", "vB4nR8tW1sY6", "pL3dF5gH0jC7aE2u"].concat()
}

#[test]
fn a_finding_points_at_the_secret_and_does_not_repeat_it() {
    let text = format!("The deploy token is {}, keep it.", token());
    let found = scan(&text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].category, Category::Secret);
    assert_eq!(text[found[0].start..found[0].end], token());
    assert!(!format!("{found:?}").contains(&token()));
}

#[test]
fn punctuation_around_a_token_does_not_hide_it() {
    for (before, after) in [
        ("", "."),
        ("(", ")"),
        ("`", "`"),
        ("| ", " |"),
        ("\"", "\","),
        ("<", ">"),
        ("=", ";"),
        ("\\n", "\\n"),
    ] {
        assert_eq!(scan(&format!("see {before}{}{after}", token())).len(), 1, "{before}…{after}");
    }
}

#[test]
fn invisible_characters_do_not_hide_a_token() {
    let text = format!("key {}\u{200b}{} is old", &token()[..20], &token()[20..]);
    let found = scan(&text);
    assert_eq!(text[found[0].start..found[0].end].replace('\u{200b}', ""), token());
}

#[test]
fn one_layer_of_base64_does_not_hide_an_assignment() {
    // `db_password=correct7horse9battery`
    let text = format!("blob: {}", ["ZGJfcGFzc3dvcmQ9Y29y", "cmVjdDdob3JzZTliYXR0ZXJ5"].concat());
    let found = scan(&text);
    assert_eq!((found[0].start, found[0].end), (6, text.len()));
}

#[test]
fn passwords_in_sentences_and_settings_are_found() {
    let password = ["s3cr", "3tPa", "55"].concat();
    for text in [
        "the admin password is @!",
        "Password for the staging box was @&3, rotate it",
        "ensure the password is '@' first",
        "db:\n  password: @",
        "{\"content\":\"{\\\"password\\\":\\\"@\\\"}\"}",
        "mysql://app:@@db.internal/app",
        "Server=db;Uid=app;Pwd=@;",
        "<setting name=\"password\" value=\"@\" />",
        "curl -u bot:@ https://api.internal",
    ] {
        let text = text.replacen('@', &password, 1);
        let found = scan(&text);
        assert!(!found.is_empty(), "{text}");
        assert!(text[found[0].start..found[0].end].contains(&password), "{text}");
    }
}

#[test]
fn what_only_looks_like_a_secret_stays_free() {
    for text in [
        "Fixed in 41eafe6ab7233a007b22f16ec9fc9fab9b32fed0 on main",
        "session 4d259b37-17bd-4c2d-aa9a-5f04c5503b11 resumed",
        "image sha256:87db821f6a0efa5ea7d26dc47bbcfb4768314cd2feabbda5f05cb39676b9852e",
        "token: ${GITHUB_TOKEN}, key: <API_KEY>, secret=$(cat secret.txt)",
        "const token = process.env.GITHUB_TOKEN; key = os.environ['API_KEY']",
        "api_key: your-api-key-here, token: xxxxxxxxxxxxxxxxxxxx, password: ********",
        "the password policy requires 12 characters; reset your password",
        "the password is required, and the token is expired",
        "cache key 8514f31c827129084bb5, ETag W/\"5554b1e1e0ee0ac414f5c500bd6cdaf5\"",
        "note permalink: notes/MwvekD84-OO6-LzP-9Wd2, id 01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDL8s2kq0vX9 user@host",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0Z3\n-----END PUBLIC KEY-----",
        "The prompt used 22161 tokens; key insight: batch size 0.",
        "see target/release/deps/libfoo-356b6b3dacd8e7f0.rlib and getUserAccessTokenFromCache()",
    ] {
        assert_eq!(scan(text), [], "{text}");
    }
}

proptest! {
    #[test]
    fn spans_are_whole_characters_in_order(text in "(?s)(\\PC|token=|password is |ghp_|://a:|@|\u{200b}){0,60}") {
        let mut last = 0;
        for finding in scan(&text) {
            prop_assert!(finding.start >= last && finding.end > finding.start);
            prop_assert!(text.get(finding.start..finding.end).is_some());
            last = finding.end;
        }
    }
}
