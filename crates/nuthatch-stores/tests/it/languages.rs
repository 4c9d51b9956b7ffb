//! Recall in other languages than English: scripts without spaces by any substring, and
//! languages whose words the English stemmer does not know.

use nuthatch::Scope;

use crate::engine::desk;
use crate::places::block_on;

/// A text and a query that is a part of it, or the words of it that matter.
const UNSPACED: [(&str, &str); 30] = [
    ("我喜欢喝绿茶", "绿茶"),
    ("数据库运行在端口五四三三", "数据库"),
    ("她的姐姐六月份结婚", "结婚"),
    ("我们上周末去爬山了", "爬山"),
    ("会议改到星期四下午", "星期四"),
    ("请用中文回答问题", "中文回答"),
    ("他的狗昨天生病了", "生病"),
    ("部署脚本在服务器上", "部署脚本"),
    ("火车七点十五分出发", "火车"),
    ("我对花生过敏", "花生过敏"),
    ("東京タワーの近くに住んでいます", "東京タワー"),
    ("毎朝コーヒーを飲みます", "コーヒー"),
    ("来週の会議は金曜日です", "金曜日"),
    ("データベースのパスワードは金庫にあります", "データベース"),
    ("妹は大学で音楽を勉強しています", "音楽を勉強"),
    ("猫が二匹います", "猫"),
    ("新しい車を買いました", "新しい車"),
    ("京都へ旅行に行きたい", "京都"),
    ("テストはサーバーで失敗します", "テスト"),
    ("ピアノを習っています", "ピアノ"),
    ("저는녹차를좋아합니다", "녹차"),
    ("회의는 목요일 오후로 옮겼습니다", "목요일"),
    ("데이터베이스 포트는 오사삼삼입니다", "데이터베이스"),
    ("동생은 서울에서 일합니다", "서울"),
    ("매일 아침 커피를 마십니다", "커피"),
    ("다음 주에 부산으로 여행갑니다", "부산"),
    ("강아지가 어제 아팠습니다", "강아지"),
    ("배포 스크립트는 서버에 있습니다", "스크립트"),
    ("땅콩 알레르기가 있습니다", "알레르기"),
    ("피아노를 배우고 있어요", "피아노"),
];

/// German and French texts with questions in another form of the same words.
const INFLECTED: [(&str, &str); 16] = [
    ("Die Datenbank läuft auf dem neuen Server", "Wo läuft die Datenbank?"),
    ("Meine Schwester heiratet im Juni", "Wann heiratet die Schwester?"),
    ("Der Zug fährt um sieben Uhr ab", "Wann fährt der Zug?"),
    ("Er trinkt am liebsten grünen Tee", "Welchen Tee trinkt er?"),
    (
        "Die Besprechung wurde auf Donnerstag verschoben",
        "Auf wann wurde die Besprechung verschoben?",
    ),
    ("Unser Hund ist seit gestern krank", "Was hat der Hund?"),
    ("Das Passwort liegt im Tresor", "Wo liegt das Passwort?"),
    ("Sie spielt seit drei Jahren Geige", "Wer spielt Geige?"),
    ("La base de données tourne sur le nouveau serveur", "Où tourne la base de données ?"),
    ("Ma sœur se marie en juin", "Quand se marie ma sœur ?"),
    ("Le train part à sept heures", "À quelle heure part le train ?"),
    ("Il préfère le thé vert", "Quel thé préfère-t-il ?"),
    ("La réunion est reportée à jeudi", "À quand la réunion est-elle reportée ?"),
    ("Notre chien est malade depuis hier", "Le chien est-il malade ?"),
    ("Le mot de passe est dans le coffre", "Où est le mot de passe ?"),
    ("Elle joue du violon depuis trois ans", "Qui joue du violon ?"),
];

fn finds(pairs: &[(&str, &str)]) {
    block_on(async {
        let desk = desk();
        for (text, _) in pairs {
            desk.say(text, Scope::Global).await;
        }
        for (text, query) in pairs {
            let found = desk.found(query, vec![Scope::Global]).await;
            assert_eq!(found.first().map(String::as_str), Some(*text), "{query}");
        }
    });
}

#[test]
fn a_part_of_a_text_without_spaces_finds_it() {
    finds(&UNSPACED);
}

#[test]
fn german_and_french_are_found_by_their_words() {
    finds(&INFLECTED);
}
