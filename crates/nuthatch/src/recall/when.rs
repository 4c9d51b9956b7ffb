//! The time a query speaks of: "last week", "in March", "two days ago", "2026-03-01".
//!
//! What is found is a period, which lifts what was said in it; it never hides the rest,
//! because people misremember times more often than things. Only `since` and `until` of a
//! filter hide. A month or a weekday without more means the last one there was.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// A stretch of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Period {
    /// From here.
    pub from: Timestamp,
    /// To here.
    pub to: Timestamp,
}

impl Period {
    /// How much a time belongs to it: 1 inside, half of that an eighth of its length outside.
    #[must_use]
    pub fn nearness(&self, at: Timestamp) -> f64 {
        let gap = if at < self.from {
            self.from.duration_since(at)
        } else if at > self.to {
            at.duration_since(self.to)
        } else {
            return 1.0;
        };
        let length = self.to.duration_since(self.from).as_secs_f64();
        0.5_f64.powf(gap.as_secs_f64() / (length / 8.0).max(86_400.0))
    }

    fn days(from: Date, to: Date) -> Option<Period> {
        let start = |date: Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp());
        let to = start(to.tomorrow().ok()?)?;
        Some(Period { from: start(from)?, to: Timestamp::from_second(to.as_second() - 1).ok()? })
    }
}

/// The period a query speaks of, seen from `now`; nothing where it speaks of none.
#[must_use]
pub fn period(query: &str, now: Timestamp) -> Option<Period> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let lower = query.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '/').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let found = (0..words.len()).find_map(|at| {
        let rest = &words[at..];
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        numeric(rest[0])
            .or_else(|| named(rest, before, today))
            .or_else(|| counted(rest, today))
            .or_else(|| relative(rest, before, today))
    });
    let (from, to) = found?;
    Period::days(from, to)
}

type Days = (Date, Date);

/// `2026-03-01`, `2026/03/01` or `2026-03`.
fn numeric(word: &str) -> Option<Days> {
    let parts: Vec<&str> = word.split(['-', '/']).collect();
    if parts[0].len() != 4 || parts.len() < 2 {
        return None;
    }
    let (year, month) = (parts[0].parse().ok()?, parts[1].parse().ok()?);
    match parts.get(2) {
        Some(day) => {
            let day = Date::new(year, month, day.parse().ok()?).ok()?;
            Some((day, day))
        }
        None => month_of(year, month),
    }
}

/// A month with a day, a year, or a word before it that makes it one; or a year alone.
fn named(rest: &[&str], before: &str, today: Date) -> Option<Days> {
    let leads = matches!(
        before,
        "in" | "last" | "this" | "during" | "since" | "of" | "until" | "by" | "before" | "after"
    );
    let next = |place: usize| rest.get(place).copied().unwrap_or_default();
    if let Some(month) = month(rest[0]) {
        if let Some(day) = day_number(next(1)) {
            return one_day(year(next(2)), month, day, today);
        }
        let given = year(next(1)).or_else(|| year(next(2)).filter(|_| next(1) == "of"));
        return match given {
            Some(year) => month_of(year, month),
            None if leads => month_of(last_year_of(month, 1, today), month),
            None => None,
        };
    }
    if let Some(day) = day_number(rest[0]) {
        let of = usize::from(next(1) == "of");
        let month = month(next(1 + of))?;
        return one_day(year(next(2 + of)), month, day, today);
    }
    let year = year(rest[0]).filter(|_| leads)?;
    Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?))
}

fn one_day(year: Option<i16>, month: i8, day: i8, today: Date) -> Option<Days> {
    let year = year.unwrap_or_else(|| last_year_of(month, day, today));
    let day = Date::new(year, month, day).ok()?;
    Some((day, day))
}

/// `two weeks ago`, `the last 3 days`, `past few months`.
fn counted(rest: &[&str], today: Date) -> Option<Days> {
    let (lead, rest) = match rest[0] {
        "last" | "past" | "previous" => (true, &rest[1..]),
        _ => (false, rest),
    };
    let count = number(rest.first()?)?;
    // "A couple of days" are as many as "a couple days".
    let rest = if rest.get(1) == Some(&"of") { &rest[1..] } else { rest };
    let unit = rest.get(1)?.trim_end_matches('s');
    let back = |count: i64| today.checked_sub(span(unit, count)?).ok();
    if lead {
        return Some((back(count)?, today));
    }
    if *rest.get(2)? != "ago" {
        return None;
    }
    // "Two weeks ago" may be ten days or eighteen.
    let middle = back(count)?;
    let slack = match unit {
        "day" => 0,
        "week" => 4,
        "month" => 16,
        _ => 180,
    };
    let slack = Span::new().days(slack);
    Some((middle.checked_sub(slack).ok()?, middle.checked_add(slack).ok()?.min(today)))
}

fn relative(rest: &[&str], before: &str, today: Date) -> Option<Days> {
    let back = |days: i64| today.checked_sub(Span::new().days(days)).ok();
    let next = rest.get(1).copied().unwrap_or_default();
    match (rest[0], next) {
        ("today" | "tonight", _) | ("this", "morning" | "afternoon" | "evening") => {
            Some((today, today))
        }
        ("yesterday", _) | ("last", "night") => Some((back(1)?, back(1)?)),
        ("recently" | "lately", _) => Some((back(14)?, today)),
        (which @ ("this" | "last" | "past"), "week" | "weekend") => {
            let monday = back(i64::from(today.weekday().to_monday_zero_offset()))?;
            let monday = if which == "this" { monday } else { monday.checked_sub(week()).ok()? };
            let from = if next == "weekend" { 5 } else { 0 };
            let day = |days: i64| monday.checked_add(Span::new().days(days)).ok();
            Some((day(from)?, day(6)?))
        }
        (which @ ("this" | "last" | "past"), "month") => {
            let first = today.first_of_month();
            let first = if which == "this" {
                first
            } else {
                first.checked_sub(Span::new().months(1)).ok()?
            };
            Some((first, first.last_of_month()))
        }
        (which @ ("this" | "last" | "past"), "year") => {
            let year = if which == "this" { today.year() } else { today.year() - 1 };
            Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?))
        }
        (day, _) if matches!(before, "on" | "last" | "this") => {
            let wanted = weekday(day)?;
            let since = today.weekday().since(wanted);
            let since = if since == 0 && before == "last" { 7 } else { i64::from(since) };
            Some((back(since)?, back(since)?))
        }
        _ => None,
    }
}

fn week() -> Span {
    Span::new().days(7)
}

fn span(unit: &str, count: i64) -> Option<Span> {
    let span = Span::new();
    match unit {
        "day" => span.try_days(count).ok(),
        "week" => span.try_weeks(count).ok(),
        "month" => span.try_months(count).ok(),
        "year" => span.try_years(count).ok(),
        _ => None,
    }
}

fn number(word: &str) -> Option<i64> {
    const WORDS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" | "several" => Some(3),
        _ => {
            let spelled = WORDS.iter().position(|known| *known == word).map(|at| at as i64 + 1);
            spelled.or_else(|| word.parse().ok().filter(|count| (1..1000).contains(count)))
        }
    }
}

fn month(word: &str) -> Option<i8> {
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
    let known = |full: &&str| *full == word || (word.len() == 3 && full.starts_with(word));
    MONTHS.iter().position(known).map(|at| at as i8 + 1)
}

fn weekday(word: &str) -> Option<Weekday> {
    match word {
        "monday" => Some(Weekday::Monday),
        "tuesday" => Some(Weekday::Tuesday),
        "wednesday" => Some(Weekday::Wednesday),
        "thursday" => Some(Weekday::Thursday),
        "friday" => Some(Weekday::Friday),
        "saturday" => Some(Weekday::Saturday),
        "sunday" => Some(Weekday::Sunday),
        _ => None,
    }
}

/// `5`, `5th`, `21st`.
fn day_number(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
    digits.unwrap_or(word).parse().ok().filter(|day| (1..=31).contains(day))
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| (1900..2200).contains(year))
}

/// The last year in which that day was not still to come.
fn last_year_of(month: i8, day: i8, today: Date) -> i16 {
    if (month, day) > (today.month(), today.day()) { today.year() - 1 } else { today.year() }
}

fn month_of(year: i16, month: i8) -> Option<Days> {
    let first = Date::new(year, month, 1).ok()?;
    Some((first, first.last_of_month()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Tuesday.
    const NOW: &str = "2026-03-10T12:00:00Z";

    fn found(query: &str) -> Option<(String, String)> {
        let period = period(query, NOW.parse().unwrap())?;
        let day = |at: Timestamp| at.to_string()[..10].to_owned();
        Some((day(period.from), day(period.to)))
    }

    fn is(query: &str, from: &str, to: &str) {
        assert_eq!(found(query), Some((from.to_owned(), to.to_owned())), "{query}");
    }

    #[test]
    fn words_for_the_recent_past_are_periods() {
        is("what did I do yesterday?", "2026-03-09", "2026-03-09");
        is("which shoes did I clean last month", "2026-02-01", "2026-02-28");
        is("what happened last week", "2026-03-02", "2026-03-08");
        is("plans for this week", "2026-03-09", "2026-03-15");
        is("where were we last weekend", "2026-03-07", "2026-03-08");
        is("who came last Friday?", "2026-03-06", "2026-03-06");
        is("the trip last year", "2025-01-01", "2025-12-31");
        is("what was broken two weeks ago", "2026-02-20", "2026-02-28");
        is("in the past 3 days", "2026-03-07", "2026-03-10");
        is("what did I cook a couple of days ago", "2026-03-08", "2026-03-08");
        is("a month ago", "2026-01-25", "2026-02-26");
    }

    #[test]
    fn dates_are_found_in_the_ways_people_write_them() {
        is("the release of 2026-02-01", "2026-02-01", "2026-02-01");
        is("notes for 2025-12", "2025-12-01", "2025-12-31");
        is("setback in October 2023", "2023-10-01", "2023-10-31");
        is("on 8 May, 2023", "2023-05-08", "2023-05-08");
        is("on May 8th 2023", "2023-05-08", "2023-05-08");
        is("what did we decide in March", "2026-03-01", "2026-03-31");
        is("what did we decide in April", "2025-04-01", "2025-04-30");
        is("the 4th of July", "2025-07-04", "2025-07-04");
        is("back in 2021", "2021-01-01", "2021-12-31");
    }

    #[test]
    fn what_only_looks_like_time_is_none() {
        for query in [
            "we may march on",
            "which port does staging use",
            "before the release",
            "error 2021 in the log",
            "the last commit",
            "a few good men",
            "2026-13-01",
            "99999999999999999999 days ago",
            "",
        ] {
            assert_eq!(found(query), None, "{query}");
        }
    }

    #[test]
    fn nearness_falls_with_the_distance() {
        let period = period("yesterday", NOW.parse().unwrap()).unwrap();
        let near = |at: &str| period.nearness(at.parse().unwrap());
        assert!((near("2026-03-09T08:00:00Z") - 1.0).abs() < 1e-12);
        assert!(near("2026-03-08T08:00:00Z") > 0.5 && near("2026-02-08T08:00:00Z") < 0.01);
    }
}
