//! How failures leave the program: one table from kind to exit code, one shape in JSON.
//!
//! For people an error is a line on stderr with the hint below it; with `--json` it is
//! `{error: {kind, message, hint?}}` on stdout, where the answer would have been.

use std::process::ExitCode;

use clap::error::ErrorKind;
use nuthatch::error::{Error, Kind};
use serde::Serialize;

use crate::output::{Chatter, Format, Output};

/// The exit code of each kind of failure.
pub fn exit_code(kind: Kind) -> u8 {
    match kind {
        Kind::Internal => 1,
        Kind::Invalid => 2,
        Kind::NotFound => 3,
        Kind::Conflict => 4,
        Kind::Denied => 5,
        Kind::Unavailable => 6,
    }
}

/// An error on the wire.
#[derive(Debug, Serialize)]
struct Reported<'a> {
    error: Details<'a>,
}

#[derive(Debug, Serialize)]
struct Details<'a> {
    kind: Kind,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

/// Tells of an error, and gives its exit code.
pub fn report(error: &Error, out: &mut Output) -> ExitCode {
    let details = Details { kind: error.kind(), message: error.to_string(), hint: error.hint() };
    // Whoever cannot be told of an error cannot be told of that either.
    let _ = match out.format() {
        Format::Json => out.json(&Reported { error: details }),
        Format::Human => out.error(&details.message, details.hint),
    };
    let _ = out.flush();
    ExitCode::from(exit_code(error.kind()))
}

/// Tells of arguments that cannot be parsed; help and version come this way, too.
pub fn report_usage(error: &clap::Error, format: Format) -> ExitCode {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked {
        // A reader that closed the pipe has seen enough.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::InvalidUtf8 {
        let error = Error::invalid("an argument is not UTF-8 text")
            .with_hint("write it in UTF-8, or convert it with iconv");
        return report(&error, &mut Output::to_streams(format, Chatter::Usual));
    }
    match format {
        Format::Human => {
            let _ = error.print();
            ExitCode::from(exit_code(Kind::Invalid))
        }
        Format::Json => {
            let error = Error::invalid(first_sentence(error))
                .with_hint("`nuthatch help` lists the commands, `--help` their options");
            report(&error, &mut Output::to_streams(format, Chatter::Usual))
        }
    }
}

/// What clap says first, on one line and without its own `error:`.
fn first_sentence(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let sentence = words.join(" ");
    sentence.strip_prefix("error: ").map(str::to_owned).unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_exit_code_that_is_documented() {
        let codes = Kind::ALL.map(|kind| (kind.name(), exit_code(kind)));
        let documented = [
            ("invalid", 2),
            ("not_found", 3),
            ("conflict", 4),
            ("denied", 5),
            ("unavailable", 6),
            ("internal", 1),
        ];
        assert_eq!(codes, documented);
    }
}
