//! What is understood, and where mistakes are said to be.

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Invocation {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn both_ways_of_combining_mean_the_same() {
    let apart = parsed("agent[input:a.md,b.md][tail:100]");
    assert_eq!(apart, parsed("agent[input:a.md,b.md;tail:100]"));
    assert_eq!(apart, parsed(" agent [ input: a.md , b.md ; tail: 100 ] "));
    assert_eq!(apart, parsed("agent[input:a.md][input:b.md,a.md][tail:100]"));
    assert_eq!(
        (apart.inputs.as_slice(), apart.tail),
        (&["a.md".into(), "b.md".into()][..], Some(100))
    );
    assert_eq!(parsed("agent"), Invocation::of(AgentId::new("agent").unwrap()));
    assert_eq!(parsed("a[input:docs/über uns.md]").inputs, ["docs/über uns.md"]);
}

#[test]
fn every_mistake_has_its_place() {
    for (text, place, what) in [
        ("", 1, "name of an agent is missing"),
        ("[tail:1]", 1, "name of an agent is missing"),
        ("../x", 3, "not an agent id"),
        ("ä/b", 1, "not an agent id"),
        ("a b", 2, "not an agent id"),
        ("agent[input:spec.md", 6, "never closed"),
        ("agent[", 6, "never closed"),
        ("agent[input:", 6, "never closed"),
        ("agent]", 6, "closes nothing"),
        ("agent[]", 7, "a directive is missing"),
        ("agent[tail]", 11, "a colon is missing"),
        ("agent[head:3]", 7, "no such directive"),
        ("agent[tail:abc]", 12, "a number of lines is expected"),
        ("agent[tail:5x]", 13, "a number of lines is expected"),
        ("agent[tail:]", 12, "a number of lines is missing"),
        ("agent[tail:0]", 12, "at least one line"),
        ("agent[tail:99999999999999999999999]", 12, "too great"),
        ("agent[tail:1;tail:2]", 14, "a second tail"),
        ("agent[input:a,,b]", 15, "name of a file is missing"),
        ("agent[input:a]b", 15, "unexpected"),
        ("agent[input:a[b]", 14, "unexpected"),
        ("ag[input:ö,/etc/passwd]", 12, "inside the project"),
        ("ag[input:docs/../../x]", 15, "inside the project"),
        ("ag[input:~/.ssh/id]", 10, "inside the project"),
        ("ag[input:C:/x]", 10, "inside the project"),
        ("ag[input:a\\b]", 11, "cannot hold this character"),
    ] {
        let error = text.parse::<Invocation>().expect_err(text);
        let message = error.to_string();
        assert!(message.contains(&format!("character {place}: ")), "{text}: {message}");
        assert!(message.contains(what), "{text}: {message}");
        assert!(error.hint().is_some(), "{text}");
    }
}

#[test]
fn the_place_is_shown() {
    let error = "agent[tail:x]".parse::<Invocation>().unwrap_err();
    assert_eq!(error.hint(), Some("here: agent[tail:▸x]"));
}

fn invocation() -> impl Strategy<Value = Invocation> {
    let name = "[a-z0-9][a-z0-9_-]{0,20}".prop_map(|name| AgentId::new(name).unwrap());
    let path = "[a-zA-Z0-9_ü.-]{1,8}(/[a-zA-Z0-9_ .-]{0,7}[a-zA-Z0-9_-]){0,3}"
        .prop_filter("leads outside", |path| !path.split('/').any(|part| part == ".."));
    (name, prop::collection::vec(path, 0..4), prop::option::of(1_usize..usize::MAX)).prop_map(
        |(agent, paths, tail)| {
            let mut inputs: Vec<String> = Vec::new();
            for path in paths {
                if !inputs.contains(&path) {
                    inputs.push(path);
                }
            }
            Invocation { agent, inputs, tail }
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(call in invocation()) {
        prop_assert_eq!(parsed(&call.to_string()), call);
    }

    #[test]
    fn order_and_spelling_do_not_matter(call in invocation()) {
        let mut parts: Vec<String> =
            call.inputs.iter().map(|path| format!("input:{path}")).collect();
        if let Some(lines) = call.tail {
            parts.insert(0, format!("tail:{lines}"));
        }
        if !parts.is_empty() {
            prop_assert_eq!(&parsed(&format!("{}[{}]", call.agent, parts.join(";"))), &call);
            prop_assert_eq!(&parsed(&format!("{} [{}]", call.agent, parts.join("] ["))), &call);
        }
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_place(text in "[a-c\\[\\]:;,. /0-9ä]{0,40}|input|.{0,60}") {
        match text.parse::<Invocation>() {
            Ok(call) => prop_assert_eq!(parsed(&call.to_string()), call),
            Err(error) => {
                let message = error.to_string();
                let place = message.split("character ").nth(1).and_then(|rest| rest.split(':').next());
                let place: usize = place.unwrap().parse().unwrap();
                prop_assert!(place >= 1 && place <= text.chars().count() + 1, "{}", message);
            }
        }
    }
}
