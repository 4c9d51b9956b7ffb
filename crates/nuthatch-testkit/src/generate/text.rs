//! Texts that break naive codecs.
//!
//! Each oddity has broken some store, index, file format or terminal; most are legal in a
//! memory that came from elsewhere. None is empty: the gate refuses that before any store.

use super::Rng;

/// One of each: Unicode, control characters, line ends, and the syntax of everything that
/// text passes through on its way to a disk.
pub const ODDITIES: &[&str] = &[
    // Unicode.
    "e\u{301}a\u{308}o\u{20dd}u\u{335}\u{336}",
    "é and e\u{301}, Å and \u{212b} and A\u{30a}",
    "שלום \u{202e}dlrow olleh\u{202c} مرحبا \u{2067}x\u{2069}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 🏳\u{fe0f}\u{200d}🌈 🇩🇪 👍🏽",
    "東京タワーは高い。서울에서 สวัสดีครับ",
    "नमस्ते दुनिया, বাংলা, தமிழ்",
    "straße ſ İIıi Σίσυφος ǅ ﬁ № ½",
    "\u{feff}begins with a byte order mark",
    "private \u{e000}\u{f8ff}\u{f0000}\u{10fffd} use",
    "noncharacters \u{fffe}\u{ffff}\u{fdd0}\u{1ffff}\u{10ffff}",
    "invisible \u{200b}\u{200c}\u{2060}\u{ad}\u{180e}\u{e0001}\u{e0041} text",
    "replaced \u{fffd} already",
    // Control characters and line ends.
    "a nul \u{0} in the middle",
    "\u{0}",
    "\u{1}\u{7}\u{8}\u{b}\u{c}\u{e}\u{1b}[31mred\u{1b}[0m\u{1c}\u{1d}\u{1e}\u{1f}\u{7f}\u{85}\u{9f}",
    "a lone\rcarriage return",
    "\r",
    "windows\r\nlines\r\n",
    "unix\nlines\n\n\nand gaps",
    "\nbegins and ends with a line end\n",
    "line\u{2028}separator and paragraph\u{2029}separator",
    // Blank at the edges, or nothing but blank.
    " leading",
    "trailing ",
    "\ttabs\tall\tover\t",
    "  two  spaces  everywhere  ",
    " ",
    "\t",
    "\n",
    "\u{a0}",
    "\u{200b}",
    "\u{3000}",
    // HTML and Markdown.
    "<!-- -->",
    "before <!-- nuthatch {\"id\": 1} --> after",
    "--> closes what was never opened <!--",
    "--!> ]]> </script><script>alert(1)</script> &amp; &#0;",
    "- a list item",
    "- **key**: a keyed entry",
    "- [Conversation] **key**: a conversation entry",
    "**bold**: not a key **",
    "# a heading\n\n- **forged**: entry\n## another",
    "line one\n- **forged**: by a second line",
    "---",
    "---\ntitle: front matter\n---\n",
    "```\nfenced - **key**: code\n```",
    "    indented code",
    "> quoted | table | [link](javascript:x) ![image](x) `code` \\* \\",
    "1. numbered\n2. list",
    "§ one § two",
    // JSON.
    "\"quoted\" and \\ escaped \\\" both",
    "{\"fact\": \"forged\", \"category\": \"core\"}",
    "\"}, {\"fact\": \"forged",
    "]",
    "\\u0000 \\ud800 \\n",
    "null",
    // SQL and full-text search.
    "'; DROP TABLE memories; --",
    "it''s 100% \"sure\" about_this",
    "?1 :name @name $1 {} {0} %s",
    "a* OR b AND NOT c",
    "NEAR(a b, 3) content:x ^first {a b}:c",
    "\"unbalanced (",
    "-minus +plus ~tilde",
    // Shells, templates and paths.
    "$(rm -rf x) `whoami` !{ls} {{args}} ${HOME}",
    "../../outside /etc/passwd C:\\con %2e%2e%2f",
    "key = value ; comment # comment",
];

/// Letters to make ordinary words of, so that searches have something to find.
const WORDS: &[&str] = &[
    "staging",
    "database",
    "listens",
    "port",
    "prefers",
    "tabs",
    "deploy",
    "friday",
    "rust",
    "parseHttpRequest",
    "max_retry_count",
    "harbour",
    "granite",
    "東京",
    "café",
    "5433",
];

/// Long enough to cross every buffer and page on the way.
const LONG_CHARS: usize = 20_000;

/// A text that holds the oddity of this place, alone or among others. Consecutive places
/// cover all of them.
pub fn content(rng: &mut Rng, place: u64) -> String {
    let oddity = ODDITIES[(place % ODDITIES.len() as u64) as usize];
    match rng.below(8) {
        0..=2 => oddity.to_owned(),
        3 => long_line(rng, oddity),
        _ => mixed(rng, oddity),
    }
}

/// A key: never empty, and otherwise anything at all.
pub fn key(rng: &mut Rng, place: u64) -> String {
    match rng.below(4) {
        0 => ODDITIES[(place.wrapping_mul(7) % ODDITIES.len() as u64) as usize].to_owned(),
        1 => rng.pick(WORDS).to_string(),
        _ => (0..=rng.below(24)).map(|_| any_char(rng)).collect(),
    }
}

/// A name or value of metadata, a title, a place: may be empty.
pub fn anything(rng: &mut Rng) -> String {
    match rng.below(5) {
        0 => String::new(),
        1 => rng.pick(WORDS).to_string(),
        2 => rng.pick(ODDITIES).to_string(),
        _ => (0..rng.below(30)).map(|_| any_char(rng)).collect(),
    }
}

/// A text that can be a session id: no control characters, no blank at either end.
pub fn printable(rng: &mut Rng) -> String {
    let inner: String = (0..rng.below(40)).map(|_| any_char(rng)).collect();
    let legal: String = inner.chars().filter(|c| !c.is_control()).collect();
    format!("s{legal}/{}", rng.below(1_000_000))
}

fn long_line(rng: &mut Rng, oddity: &str) -> String {
    let piece = if rng.chance(2) { "x" } else { "word " };
    let half = piece.repeat(LONG_CHARS / piece.len() / 2);
    format!("{half}{oddity}{half}")
}

fn mixed(rng: &mut Rng, oddity: &str) -> String {
    let mut pieces: Vec<String> = (0..rng.below(6)).map(|_| rng.pick(WORDS).to_string()).collect();
    pieces.push((0..rng.below(8)).map(|_| any_char(rng)).collect());
    pieces.insert(rng.below(pieces.len() as u64) as usize, oddity.to_owned());
    let between = *rng.pick(&[" ", "\n", "\r\n", ""]);
    pieces.join(between)
}

/// Any scalar value there is, with every block as likely as ASCII.
fn any_char(rng: &mut Rng) -> char {
    let (first, last) = *rng.pick(&[
        (0x00, 0x7f),
        (0x80, 0x24f),
        (0x300, 0x36f),
        (0x370, 0x1fff),
        (0x2000, 0x206f),
        (0x2070, 0xd7ff),
        (0xe000, 0xffff),
        (0x1_0000, 0x10_ffff),
    ]);
    let scalar = first + rng.below(u64::from(last - first + 1)) as u32;
    char::from_u32(scalar).expect("the ranges leave the surrogates out")
}
