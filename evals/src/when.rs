//! Points in time as data sets write them: many forms, no zone, often only a day.
//!
//! What a set leaves out is taken as UTC and as the start of the day. A text without a date
//! gives nothing; what then counts is decided where turns are recorded.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use regex::{Captures, Regex};

/// Milliseconds of 2001: a bare number beyond it cannot be seconds.
const LEAST_MILLISECONDS: i64 = 1_000_000_000_000;
/// Seconds of 2001: a smaller bare number is no time but a count.
const LEAST_SECONDS: i64 = 1_000_000_000;

/// A way to write a day, and which groups hold year, month and day.
struct Form {
    pattern: Regex,
    day: fn(&Captures<'_>) -> Option<Date>,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let form = |pattern: &str, day| Form {
        pattern: Regex::new(pattern).expect("the pattern is written above"),
        day,
    };
    vec![
        form(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})", |c| date(&c[1], &c[2], &c[3])),
        form(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", |c| date(&c[3], &c[2], &c[1])),
        // A month comes first unless it cannot be one.
        form(r"([0-9]{1,2})[-/]([0-9]{1,2})[-/]([0-9]{4})", |c| {
            date(&c[3], &c[1], &c[2]).or_else(|| date(&c[3], &c[2], &c[1]))
        }),
        form(r"([0-9]{1,2})(?:st|nd|rd|th)?(?: of)?[ -]([A-Za-z]{3,9}),?[ -]([0-9]{4})", |c| {
            date(&c[3], &month(&c[2])?, &c[1])
        }),
        form(r"([A-Za-z]{3,9})[ -]([0-9]{1,2})(?:st|nd|rd|th)?,?[ -]([0-9]{4})", |c| {
            date(&c[3], &month(&c[1])?, &c[2])
        }),
        form(r"([A-Za-z]{3,9}),? ([0-9]{4})", |c| date(&c[2], &month(&c[1])?, "1")),
    ]
});

static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?[ ]?([aApP][mM])?")
        .expect("the pattern is written above")
});

/// The time that `text` names, if it names a day.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(exact) = text.parse::<Timestamp>() {
        return Some(exact);
    }
    if let Ok(number) = text.parse::<i64>() {
        return match number {
            LEAST_MILLISECONDS.. => Timestamp::from_millisecond(number).ok(),
            LEAST_SECONDS.. => Timestamp::from_second(number).ok(),
            _ => None,
        };
    }
    let day = FORMS.iter().find_map(|form| {
        form.pattern.captures_iter(text).find_map(|captures| (form.day)(&captures))
    })?;
    let time = CLOCK.captures(text).and_then(|captures| clock(&captures));
    let moment = day.to_datetime(time.unwrap_or(Time::midnight()));
    Some(moment.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// The number of a month, by its name or the first three letters of it.
fn month(name: &str) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let name = name.to_ascii_lowercase();
    let known = |month: &&str| **month == name || month[..3] == name || name == "sept";
    let at = match name.as_str() {
        "sept" => 8,
        _ => MONTHS.iter().position(known)?,
    };
    Some((at + 1).to_string())
}

fn clock(captures: &Captures<'_>) -> Option<Time> {
    let hour: i8 = captures[1].parse().ok()?;
    let half = captures.get(4).map(|half| half.as_str().to_ascii_lowercase());
    let hour = match half.as_deref() {
        Some("am") => hour % 12,
        Some("pm") => hour % 12 + 12,
        _ => hour,
    };
    let second = captures.get(3).map_or(Ok(0), |second| second.as_str().parse()).ok()?;
    Time::new(hour, captures[2].parse().ok()?, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_written_form_gives_its_moment() {
        let forms = [
            ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
            ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00Z"),
            ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00Z"),
            ("2025-12-15 (Monday)", "2025-12-15T00:00:00Z"),
            ("29.12.2023, 22:42", "2023-12-29T22:42:00Z"),
            ("29.12.2023, 22:42:07", "2023-12-29T22:42:07Z"),
            ("March-15-2024", "2024-03-15T00:00:00Z"),
            ("Sep 3, 2024 at 9:05 AM", "2024-09-03T09:05:00Z"),
            ("Sept 3, 2024", "2024-09-03T00:00:00Z"),
            ("3rd of October 2021", "2021-10-03T00:00:00Z"),
            ("12/31/2023, 11:59 PM", "2023-12-31T23:59:00Z"),
            ("31/12/2023", "2023-12-31T00:00:00Z"),
            ("July 2024", "2024-07-01T00:00:00Z"),
            ("2026-03-01T10:00:00+01:00", "2026-03-01T09:00:00Z"),
            ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z"),
            ("1700000000", "2023-11-14T22:13:20Z"),
            ("1700000000000", "2023-11-14T22:13:20Z"),
        ];
        for (text, moment) in forms {
            assert_eq!(parse(text).map(|at| at.to_string()).as_deref(), Some(moment), "{text}");
        }
    }

    #[test]
    fn what_names_no_day_gives_nothing() {
        for text in ["", "soon", "13:05", "42", "31.02.2023", "2023-13-45", "turn 3 of 2024x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
