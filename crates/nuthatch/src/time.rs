//! Points in time as users write them: `7d`, `yesterday`, `2026-03-01`, RFC 3339.
//!
//! The present and the time zone are arguments; nothing here looks at a clock. Times are
//! kept to the microsecond, because that is what every store can give back unchanged.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Unit, Zoned};

use crate::error::{Error, Result};

/// Cuts a time to the microsecond.
#[must_use]
pub fn to_micros(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// Which end of a day a bare date means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// `since 2026-03-01` begins with that day.
    Start,
    /// `until 2026-03-01` still holds that day.
    End,
}

/// Reads a point in time as a person writes it, relative to `now`.
///
/// Understood: RFC 3339 (`2026-03-01T10:00:00+01:00`), a local date and time, a date, a
/// month (`2026-03`), `now`, `today`, `yesterday`, and ages such as `90s`, `30m`, `12h`,
/// `7d`, `2w`, `3mo`, `1y`.
///
/// # Errors
/// Of kind `invalid`, naming the forms that are understood.
pub fn parse(text: &str, edge: Edge, now: &Zoned) -> Result<Timestamp> {
    let text = text.trim();
    let found = parse_word(text, edge, now)
        .or_else(|| parse_age(text, Way::Back, now))
        .or_else(|| text.parse::<Timestamp>().ok())
        .or_else(|| parse_local(text, now.time_zone()))
        .or_else(|| parse_day(text, edge, now.time_zone()));
    found.map(to_micros).ok_or_else(|| {
        Error::invalid(format!("not a time: {:?}", text.chars().take(40).collect::<String>()))
            .with_hint("write 7d, 12h, yesterday, 2026-03-01 or 2026-03-01T10:00:00+01:00")
    })
}

/// Reads a time to come: a date, whose day still counts, a date and time, or how far ahead it is,
/// such as `30d` or `1y`.
///
/// # Errors
/// Of kind `invalid`, for what is no time or is over already.
pub fn parse_ahead(text: &str, now: &Zoned) -> Result<Timestamp> {
    let ahead = parse_age(text.trim(), Way::Ahead, now).map(to_micros);
    let at = ahead.map_or_else(|| parse(text, Edge::End, now), Ok)?;
    if at > now.timestamp() {
        return Ok(at);
    }
    Err(Error::invalid("this time is over already").with_hint("write 30d, 12h or a date to come"))
}

/// Which way from now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Back,
    Ahead,
}

fn parse_word(text: &str, edge: Edge, now: &Zoned) -> Option<Timestamp> {
    match text.to_ascii_lowercase().as_str() {
        "now" => Some(now.timestamp()),
        "today" => day_edge(now.date(), edge, now.time_zone()),
        "yesterday" => day_edge(now.date().yesterday().ok()?, edge, now.time_zone()),
        _ => None,
    }
}

fn parse_age(text: &str, way: Way, now: &Zoned) -> Option<Timestamp> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, unit) = text.split_at(digits);
    let count: i64 = count.parse().ok()?;
    let seconds = |each: i64| count.checked_mul(each).map(SignedDuration::from_secs);
    let age = match unit.trim().to_ascii_lowercase().as_str() {
        "s" | "sec" => seconds(1)?,
        "m" | "min" => seconds(60)?,
        "h" | "hour" | "hours" => seconds(3600)?,
        "d" | "day" | "days" => seconds(86_400)?,
        "w" | "week" | "weeks" => seconds(7 * 86_400)?,
        "mo" | "month" | "months" => return by_calendar(now, way, Unit::Month, count),
        "y" | "year" | "years" => return by_calendar(now, way, Unit::Year, count),
        _ => return None,
    };
    match way {
        Way::Back => now.timestamp().checked_sub(age).ok(),
        Way::Ahead => now.timestamp().checked_add(age).ok(),
    }
}

fn by_calendar(now: &Zoned, way: Way, unit: Unit, count: i64) -> Option<Timestamp> {
    let span = match unit {
        Unit::Year => jiff::Span::new().try_years(count).ok()?,
        _ => jiff::Span::new().try_months(count).ok()?,
    };
    let shifted = if way == Way::Back { now.checked_sub(span) } else { now.checked_add(span) };
    Some(shifted.ok()?.timestamp())
}

fn parse_local(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if !text.contains(['T', ' ', 't']) {
        return None;
    }
    let civil: DateTime = text.parse().ok()?;
    Some(civil.to_zoned(zone.clone()).ok()?.timestamp())
}

fn parse_day(text: &str, edge: Edge, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(date) = text.parse::<Date>() {
        return day_edge(date, edge, zone);
    }
    let first: Date = format!("{text}-01").parse().ok()?;
    match edge {
        Edge::Start => day_edge(first, edge, zone),
        Edge::End => day_edge(first.last_of_month(), edge, zone),
    }
}

/// The first or the last microsecond of a local day.
fn day_edge(date: Date, edge: Edge, zone: &TimeZone) -> Option<Timestamp> {
    let start = |date: Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
    match edge {
        Edge::Start => start(date),
        Edge::End => start(date.tomorrow().ok()?)?.checked_sub(SignedDuration::from_micros(1)).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        "2026-03-10T12:00:00+01:00[Europe/Berlin]".parse().unwrap()
    }

    fn start(text: &str) -> String {
        parse(text, Edge::Start, &now()).unwrap().to_string()
    }

    #[test]
    fn words_and_ages_count_from_now() {
        assert_eq!(start("now"), "2026-03-10T11:00:00Z");
        assert_eq!(start("7d"), "2026-03-03T11:00:00Z");
        assert_eq!(start("90s"), "2026-03-10T10:58:30Z");
        assert_eq!(start("2w"), "2026-02-24T11:00:00Z");
        assert_eq!(start("1mo"), "2026-02-10T11:00:00Z");
        assert_eq!(start("yesterday"), "2026-03-08T23:00:00Z");
    }

    #[test]
    fn a_date_means_the_whole_local_day() {
        assert_eq!(start("2026-03-01"), "2026-02-28T23:00:00Z");
        let end = parse("2026-03-01", Edge::End, &now()).unwrap();
        assert_eq!(end.to_string(), "2026-03-01T22:59:59.999999Z");
        let month = parse("2026-02", Edge::End, &now()).unwrap();
        assert_eq!(month.to_string(), "2026-02-28T22:59:59.999999Z");
    }

    #[test]
    fn an_offset_is_respected_and_a_local_time_is_local() {
        assert_eq!(start("2026-03-01T10:00:00+05:00"), "2026-03-01T05:00:00Z");
        assert_eq!(start("2026-03-01 10:00"), "2026-03-01T09:00:00Z");
    }

    #[test]
    fn a_time_to_come_is_counted_ahead_or_is_a_day_that_still_counts() {
        let ahead = |text: &str| parse_ahead(text, &now()).map(|at| at.to_string());
        assert_eq!(ahead("7d").unwrap(), "2026-03-17T11:00:00Z");
        assert_eq!(ahead("1mo").unwrap(), "2026-04-10T10:00:00Z");
        assert_eq!(ahead("2026-03-10").unwrap(), "2026-03-10T22:59:59.999999Z");
        for over in ["0s", "yesterday", "2026-03-09", "now", "soon"] {
            assert!(ahead(over).is_err(), "{over}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_hint() {
        for text in ["", "soon", "7", "d", "99999999999999999999d", "2026-13-01", "-3d"] {
            let error = parse(text, Edge::Start, &now()).unwrap_err();
            assert!(error.hint().is_some(), "{text:?}");
        }
    }
}
