//! Points in time as people type them: `2h` (ago), a date, or RFC 3339.

use super::failure::Failure;
use crate::sys::clock;

/// Reads a point in time as RFC 3339 in UTC with milliseconds; a date is its beginning in UTC.
///
/// # Errors
/// A usage failure that says how it is typed.
pub(crate) fn parse(text: &str) -> anyhow::Result<String> {
    at(text, clock::now_ms()).map(clock::rfc3339).ok_or_else(|| {
        Failure::usage(format!("`{}` is no time", crate::guard::label::one_line(text, 40)))
            .hint("type a time such as 2h (ago), 2026-12-01 or 2026-12-01T08:00:00Z")
            .into()
    })
}

fn at(text: &str, now: i64) -> Option<i64> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(time.as_millisecond());
    }
    if text.len() == 10
        && let Ok(time) = format!("{text}T00:00:00Z").parse::<jiff::Timestamp>()
    {
        return Some(time.as_millisecond());
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let unit: i64 = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let ago = number.parse::<i64>().ok()?.checked_mul(unit)?;
    (ago <= now).then_some(now - ago)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ago_or_absolute() {
        // 2026-12-01T08:00:00Z
        let now = 1_796_112_000_000;
        for (text, expected) in [
            ("2h", "2026-12-01T06:00:00.000Z"),
            ("30m", "2026-12-01T07:30:00.000Z"),
            ("2026-12-01", "2026-12-01T00:00:00.000Z"),
            ("2026-12-01T07:00:00+02:00", "2026-12-01T05:00:00.000Z"),
            ("2026-12-01T07:00:00.250Z", "2026-12-01T07:00:00.250Z"),
        ] {
            assert_eq!(at(text, now).map(clock::rfc3339).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "h", "2", "2w", "yesterday", "99999999999999999d", "90000d", "2026-13-01"]
        {
            assert_eq!(at(text, now), None, "{text}");
        }
    }
}
