//! What is understood in other languages than English: plain requests to remember.
//!
//! A request names itself ("merk dir, dass …", "请记住…"); preferences and restrictions that
//! are only implied are left to a model or to search. What follows the request is kept in the
//! person's own words.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::pattern;

static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) ^ (?: bitte \s | por \s favor,? \s | s'il \s (?: te | vous ) \s pla(?:i|î)t,? \s | per \s favore,? \s
            | пожалуйста,? \s | 请 | 請 )? (?:
            merke? \s dir (?: \s bitte )? [,:] \s* (?: dass \s )?
            | (?: denk | denke ) \s (?: immer \s )? daran [,:] \s* (?: dass \s )?
            | (?: ab \s jetzt | von \s nun \s an | in \s zukunft | künftig ) ,? \s
            | (?: souviens-toi | rappelle-toi | retiens | n'oublie \s pas ) \s que \s
            | (?: désormais | à \s partir \s de \s maintenant | dorénavant ) ,? \s
            | (?: recuerda | recuérdate \s de | ten \s en \s cuenta | no \s olvides ) \s que \s
            | (?: a \s partir \s de \s ahora | de \s ahora \s en \s adelante ) ,? \s
            | (?: ricorda(?:ti)? | tieni \s presente | non \s dimenticare ) \s che \s
            | (?: d'ora \s in \s poi | da \s ora \s in \s poi ) ,? \s
            | (?: lembre-se (?: \s de )? | lembra (?: \s -te )? | não \s (?: se \s )? esqueça ) \s que \s
            | (?: a \s partir \s de \s agora | de \s agora \s em \s diante ) ,? \s
            | (?: onthoud | vergeet \s niet ) \s dat \s | (?: vanaf \s nu | voortaan ) ,? \s
            | (?: запомни | помни ) ,? \s+ (?: что \s )? | (?: с \s этого \s момента | впредь ) ,? \s
            | (?: 记住 | 記住 | 牢记 | 从现在开始 | 從現在開始 | 以后都? | 以後都? ) (?: , | ， | : | ： )? \s*
            | (?: 覚えて(?:おいて)?(?:ください)? | 今後は ) (?: 、 | : | ： )? \s*
            | (?: 기억해(?:줘|주세요)? | 앞으로는? ) [,:]? \s*
            ) (?P<what> .+ ) $",
    )
});

/// What a sentence in one of these languages asks to be remembered.
pub fn remember(sentence: &str) -> Option<&str> {
    // Where folding moves bytes, the few languages concerned write requests in lower case.
    let folded = sentence.to_lowercase();
    let folded = if folded.len() == sentence.len() { &folded } else { sentence };
    let range = REQUEST.captures(folded)?.name("what")?.range();
    let what = sentence.get(range)?.trim();
    // Unspaced scripts say much in few characters.
    let (chars, words) = (what.chars().count(), what.split_whitespace().count());
    let unspaced = what.chars().any(|c| ('\u{2e80}'..='\u{d7a3}').contains(&c));
    (words >= 3 && chars >= 12 || unspaced && chars >= 6).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_remember_is_understood_in_other_languages() {
        for (sentence, what) in [
            ("Merk dir, dass wir Tabs verwenden", "wir Tabs verwenden"),
            ("ab jetzt immer pnpm statt npm verwenden", "immer pnpm statt npm verwenden"),
            ("Souviens-toi que les tests tournent avec tox", "les tests tournent avec tox"),
            ("recuerda que el puerto es 8080", "el puerto es 8080"),
            ("ricorda che usiamo Postgres ovunque", "usiamo Postgres ovunque"),
            ("请记住我们使用pnpm", "我们使用pnpm"),
            ("запомни, что мы пишем тесты первыми", "мы пишем тесты первыми"),
        ] {
            assert_eq!(remember(sentence), Some(what), "{sentence}");
        }
        for other in ["Ich merke mir das", "immer wieder das Gleiche", "recuerda", "以后"] {
            assert_eq!(remember(other), None, "{other}");
        }
    }
}
