//! Words for the shell, and where in a command line one may stand.
//!
//! A word in single quotes means itself, whatever bytes it holds; but only where the shell
//! is not inside other quotes already. [`Lexer`] follows a command line as far as that needs
//! and says how a word must be quoted at each place. Where the answer would depend on fine
//! points (substitutions inside quotes, here-documents, comments), the place is refused.

/// Quotes a word so that the shell takes it as it is.
///
/// Holds for every string of bytes without NUL, which no command line can carry.
#[must_use]
pub fn quote(word: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len() + 2);
    out.push(b'\'');
    for byte in word {
        match byte {
            // Ends the quotes, stands alone, begins them again.
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

/// What surrounds a place in a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing.
    Nothing,
    /// Single quotes.
    Single,
    /// Double quotes.
    Double,
}

impl Around {
    /// A word as it must stand here. Quotes that surround it are ended before and begun
    /// again behind it.
    pub(super) fn quote(self, word: &[u8]) -> Vec<u8> {
        let quoted = quote(word);
        let around: &[u8] = match self {
            Around::Nothing => return quoted,
            Around::Single => b"'",
            Around::Double => b"\"",
        };
        [around, &quoted, around].concat()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// Commands; the number of parentheses open in them, if they stand in some.
    Plain(Option<usize>),
    Single,
    Double,
    Backticks,
    /// `${…}` that is more than a name.
    Parameter,
    /// `$((…))`, with the number of open parentheses.
    Arithmetic(usize),
    Comment,
}

/// Follows a command line.
#[derive(Debug)]
pub(super) struct Lexer {
    contexts: Vec<Context>,
    /// Why no word may stand anywhere from here on.
    doubt: Option<&'static str>,
    /// The character before this one means something together with the next.
    pending: Option<&'static str>,
    braces: usize,
    at_word: bool,
    last: Option<char>,
}

/// What a character was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Part of the line.
    Inside,
    /// The brace that ends the line.
    End,
}

impl Lexer {
    pub(super) fn new() -> Self {
        Lexer {
            contexts: vec![Context::Plain(None)],
            doubt: None,
            pending: None,
            braces: 0,
            at_word: true,
            last: None,
        }
    }

    /// How a word must be quoted here, or why none may stand here.
    pub(super) fn here(&mut self) -> Result<Around, &'static str> {
        if let Some(why) = self.pending.or(self.doubt) {
            return Err(why);
        }
        self.at_word = false;
        self.last = None;
        match self.context() {
            Context::Plain(_) => Ok(Around::Nothing),
            Context::Single => Ok(Around::Single),
            Context::Double => Ok(Around::Double),
            Context::Backticks => Err("between backticks; use $(…)"),
            Context::Parameter => Err("inside ${…}"),
            Context::Arithmetic(_) => Err("inside $((…))"),
            Context::Comment => Err("in a comment"),
        }
    }

    /// Whether a name in braces follows a dollar sign, which is harmless anywhere.
    pub(super) fn skip_parameter(&mut self, rest: &str) -> Option<usize> {
        if matches!(self.context(), Context::Single | Context::Comment) || self.is_escaped() {
            return None;
        }
        let inner = rest.strip_prefix("${")?;
        let name = inner.find('}').map(|end| &inner[..end])?;
        let plain =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        plain.then(|| {
            (self.at_word, self.last) = (false, Some('}'));
            name.len() + 3
        })
    }

    /// Takes the next character, with the one behind it.
    pub(super) fn step(&mut self, c: char, next: Option<char>) -> Step {
        if self.is_escaped() {
            (self.pending, self.at_word, self.last) = (None, false, None);
            return Step::Inside;
        }
        self.pending = None;
        let step = match self.context() {
            Context::Plain(open) => self.plain(c, next, open),
            Context::Double => self.double(c, next),
            Context::Single => self.until(c == '\''),
            Context::Parameter => self.parameter(c),
            Context::Arithmetic(open) => self.arithmetic(c, open),
            Context::Backticks => {
                if c == '\\' {
                    self.pending = Some(ESCAPE);
                }
                self.until(c == '`')
            }
            Context::Comment if c == '\n' => {
                self.until(true);
                self.at_word = true;
                Step::Inside
            }
            Context::Comment => self.brace(c),
        };
        self.last = Some(c);
        step
    }

    /// Whether every quote and substitution is closed.
    pub(super) fn is_whole(&self) -> bool {
        let open = self.contexts.len() - 1;
        open == 0 || (open == 1 && self.context() == Context::Comment)
    }

    fn context(&self) -> Context {
        self.contexts.last().copied().unwrap_or(Context::Plain(None))
    }

    fn is_escaped(&self) -> bool {
        self.pending == Some(ESCAPE)
    }

    fn until(&mut self, ends: bool) -> Step {
        self.at_word = false;
        if ends {
            self.contexts.pop();
        }
        Step::Inside
    }

    fn plain(&mut self, c: char, next: Option<char>, open: Option<usize>) -> Step {
        let begins = std::mem::replace(&mut self.at_word, " \t\n;&|()".contains(c));
        match c {
            '\\' => self.pending = Some(ESCAPE),
            '\'' if self.last == Some('$') => {
                self.doubt = Some("after $'…'");
                self.contexts.push(Context::Single);
            }
            '\'' => self.contexts.push(Context::Single),
            '"' => self.contexts.push(Context::Double),
            '`' => self.contexts.push(Context::Backticks),
            '$' => self.dollar(next),
            '#' if begins => self.contexts.push(Context::Comment),
            '<' if next == Some('<') => self.doubt = Some("after a here-document"),
            '(' if self.last == Some('$') => self.substitution(next),
            '(' => self.set_top(Context::Plain(open.map(|open| open + 1))),
            ')' => match open {
                Some(0) => {
                    self.contexts.pop();
                }
                Some(open) => self.set_top(Context::Plain(Some(open - 1))),
                None => {}
            },
            '{' if self.last == Some('$') => self.contexts.push(Context::Parameter),
            _ => return self.brace(c),
        }
        Step::Inside
    }

    fn double(&mut self, c: char, next: Option<char>) -> Step {
        match c {
            '\\' => self.pending = Some(ESCAPE),
            '"' => {
                self.contexts.pop();
            }
            '$' => self.dollar(next),
            '`' => {
                self.doubt = Some(SUBSTITUTION);
                self.contexts.push(Context::Backticks);
            }
            '(' if self.last == Some('$') => {
                self.doubt = Some(SUBSTITUTION);
                self.substitution(next);
            }
            '{' if self.last == Some('$') => {
                self.doubt = Some(SUBSTITUTION);
                self.contexts.push(Context::Parameter);
            }
            _ => {}
        }
        Step::Inside
    }

    /// A word directly behind a dollar sign would change what its quotes mean.
    fn dollar(&mut self, next: Option<char>) {
        if next == Some('{') {
            self.pending = Some("directly behind a dollar sign");
        }
    }

    fn substitution(&mut self, next: Option<char>) {
        self.at_word = true;
        match next {
            Some('(') => self.contexts.push(Context::Arithmetic(0)),
            _ => self.contexts.push(Context::Plain(Some(0))),
        }
    }

    fn parameter(&mut self, c: char) -> Step {
        self.doubt = Some("after a ${…} that is more than a name");
        if c == '\\' {
            self.pending = Some(ESCAPE);
        }
        self.until(c == '}')
    }

    fn arithmetic(&mut self, c: char, open: usize) -> Step {
        match (c, open) {
            ('(', _) => self.set_top(Context::Arithmetic(open + 1)),
            (')', 0) => {
                self.contexts.pop();
            }
            (')', _) => self.set_top(Context::Arithmetic(open - 1)),
            _ => {}
        }
        Step::Inside
    }

    fn brace(&mut self, c: char) -> Step {
        match c {
            '{' => self.braces += 1,
            '}' if self.braces > 0 => self.braces -= 1,
            '}' if self.is_whole() => return Step::End,
            _ => {}
        }
        Step::Inside
    }

    fn set_top(&mut self, context: Context) {
        if let Some(top) = self.contexts.last_mut() {
            *top = context;
        }
    }
}

const ESCAPE: &str = "directly behind a backslash";
const SUBSTITUTION: &str = "after a substitution inside double quotes";
